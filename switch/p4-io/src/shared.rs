// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A switch that the thread of packets and threads of the control plane take turns on.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use p4_engine::Switch;

/// How long the thread of packets steps back for others between two batches.
const PATIENCE: Duration = Duration::from_micros(200);

/// A switch behind a lock that lets the control plane have its turn.
///
/// A plain mutex is not fair: a thread that gives it back and takes it again at once, as the thread of
/// packets does under load, can keep others waiting for ever. So others announce themselves.
pub struct SharedSwitch {
    engine: Mutex<Switch>,
    waiting: AtomicU32,
}

/// An announcement; it ends when this is dropped.
pub struct Turn<'a>(&'a SharedSwitch);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Release);
    }
}

impl SharedSwitch {
    /// Shares a switch.
    pub fn new(engine: Switch) -> Self {
        Self {
            engine: Mutex::new(engine),
            waiting: AtomicU32::new(0),
        }
    }

    /// Announces that this thread wants the lock. Keep the result until the lock was given back.
    pub fn announce(&self) -> Turn<'_> {
        self.waiting.fetch_add(1, Ordering::Acquire);
        Turn(self)
    }

    /// The lock itself. A thread that panicked with it has left the switch unusable: it is poisoned.
    pub fn mutex(&self) -> &Mutex<Switch> {
        &self.engine
    }

    /// Takes the lock as the control plane does, whoever panicked with it before.
    pub(crate) fn control(&self) -> MutexGuard<'_, Switch> {
        let _turn = self.announce();
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets threads that have announced themselves go first, for a bounded time.
    pub(crate) fn step_back(&self) {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return;
        }
        let start = Instant::now();
        while self.waiting.load(Ordering::Acquire) != 0 && start.elapsed() < PATIENCE {
            thread::yield_now();
        }
    }
}
