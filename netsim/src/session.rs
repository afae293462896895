// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A simulation in steps, with a control plane between them.
//!
//! Between two steps the caller has the switches for itself: it takes their digests, reads counters and changes entries, as a
//! controller does that is fast beside the length of a step. What it changes holds from the next event on. Steps alone change
//! nothing: however many there are, the result is that of one run.

use p4_engine::Switch;

use crate::error::NetworkError;
use crate::network::{FlowId, NodeId};
use crate::result::{RunResult, SenderState};
use crate::sim::Simulation;

/// A simulation that has been begun.
pub struct Session {
    simulation: Simulation,
}

impl Session {
    pub(crate) fn new(simulation: Simulation) -> Self {
        Self { simulation }
    }

    /// The time up to which everything has been simulated, nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.simulation.now()
    }

    /// The end of the run, nanoseconds.
    pub fn until_ns(&self) -> u64 {
        self.simulation.until()
    }

    /// Simulates what happens up to `time_ns`, events at this very time included. Asks `interrupted` every few ten thousand
    /// events whether to stop; a session that was stopped so can go on.
    ///
    /// # Errors
    /// If the time lies before [`now_ns`](Self::now_ns) or after the end of the run.
    pub fn run_until(
        &mut self,
        time_ns: u64,
        interrupted: impl FnMut() -> bool,
    ) -> Result<(), NetworkError> {
        if time_ns < self.now_ns() || time_ns > self.until_ns() {
            return Err(NetworkError::value(
                "time_s",
                "must be neither before the present nor after the end of the run",
            ));
        }
        self.simulation.advance(time_ns, interrupted)
    }

    /// The switch at a node, with its state.
    ///
    /// # Errors
    /// If there is no such node, or it is not a switch.
    pub fn switch(&mut self, node: NodeId) -> Result<&mut Switch, NetworkError> {
        self.simulation.switch(node)
    }

    /// The sender's side of a flow now.
    ///
    /// # Errors
    /// If there is no such flow.
    pub fn sender(&self, flow: FlowId) -> Result<SenderState, NetworkError> {
        self.simulation.sender(flow)
    }

    /// Simulates the rest, and says what came out.
    pub fn finish(mut self, interrupted: impl FnMut() -> bool) -> Result<RunResult, NetworkError> {
        self.simulation.advance(self.until_ns(), interrupted)?;
        Ok(self.simulation.finish())
    }
}
