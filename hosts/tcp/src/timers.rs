// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Timers: retransmission (RFC 6298), delayed ACK, hold (RFC 3168, section 6.1.2), TIME-WAIT, processing.

use crate::endpoint::{AckDue, Endpoint, Processing, State};
use crate::stats::WindowCause;

impl Endpoint {
    /// When [`Endpoint::on_timer`] wants to be called next, in nanoseconds. Changes with every call of
    /// another method.
    #[must_use]
    pub fn next_timeout(&self) -> Option<u64> {
        let mut next = self.rto_at.unwrap_or(u64::MAX);
        if let AckDue::At(at) = self.ack_due {
            next = next.min(at);
        }
        if let Processing::Until(at) = self.processing {
            next = next.min(at);
        }
        if let Some(at) = self.hold_until {
            next = next.min(at);
        }
        if let Some(at) = self.time_wait_until {
            next = next.min(at);
        }
        // Times are sums that saturate: the end of time is never reached.
        (next < u64::MAX).then_some(next)
    }

    /// Handles every timer that has run out by `now`. Calling it early or late does no harm.
    pub fn on_timer(&mut self, now: u64) {
        if matches!(self.ack_due, AckDue::At(at) if at <= now) {
            self.ack_due = AckDue::Now;
        }
        if matches!(self.processing, Processing::Until(at) if at <= now) {
            self.processing = Processing::Done;
        }
        if self.hold_until.is_some_and(|at| at <= now) {
            self.hold_until = None;
        }
        if self.time_wait_until.is_some_and(|at| at <= now) {
            self.finish(now);
        }
        if self.rto_at.is_some_and(|at| at <= now) {
            self.on_retransmission_timeout(now);
        }
    }

    pub(crate) fn arm_rto(&mut self, now: u64) {
        self.rto_at = Some(now.saturating_add(self.rtt.rto()));
    }

    /// RFC 6298, (5.4) to (5.7); RFC 5681, section 3.1.
    fn on_retransmission_timeout(&mut self, now: u64) {
        self.rtt.back_off();
        self.arm_rto(now);
        if matches!(self.state, State::SynSent | State::SynReceived) {
            self.stats.timeouts += 1;
            self.syn_lost = true;
            self.syn_pending = true;
            self.count_timeout(now);
            return;
        }
        if self.snd_wnd == 0 {
            // RFC 9293, section 3.8.6.1: probe the closed window; no congestion, and no end of patience
            self.snd_nxt = self.snd_una;
            self.probe_now = true;
            return;
        }
        if self.snd_una == self.snd_max {
            // a window probe's timer, and the window has opened meanwhile
            self.rto_at = None;
            return;
        }
        self.stats.timeouts += 1;
        self.stats.reductions.timeout += 1;
        let lower = self.timeouts_in_a_row == 0 || self.config.loss_cuts_window;
        let lost_from = self.loss_base(self.flight());
        self.congestion.on_timeout(lower, lost_from, self.snd_max);
        self.recovery.on_timeout(self.snd_max);
        self.scoreboard.clear();
        self.limited_transmit_bytes = 0;
        self.ecn.on_reduction();
        self.retransmit_now = false;
        self.hold_until = None;
        self.snd_nxt = self.snd_una;
        self.trace_window(WindowCause::Timeout, now);
        self.count_timeout(now);
    }

    fn count_timeout(&mut self, now: u64) {
        self.timeouts_in_a_row += 1;
        if self.timeouts_in_a_row > self.config.max_timeouts {
            self.finish(now);
        }
    }
}
