// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Loss recovery strategies. What they decide is returned as an action; the endpoint carries it out, so
//! that a strategy holds only its own state.

use crate::config::{Config, LossRecovery};

/// Duplicate ACKs that mean a loss (RFC 5681, section 3.2).
const DUP_ACK_THRESHOLD: u32 = 3;

/// State of loss recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovery {
    strategy: LossRecovery,
    avoid_multiple: bool,
    dup_acks: u32,
    in_recovery: bool,
    /// Position that the cumulative acknowledgment must have reached before the next fast retransmit.
    not_before: u64,
}

/// What a duplicate ACK calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DupAckAction {
    Nothing,
    /// Third duplicate: retransmit the first outstanding segment, enter recovery.
    FastRetransmit,
    /// Further duplicate in recovery: inflate the window.
    Inflate,
}

/// What an ACK of new data calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewAckAction {
    /// No recovery under way: the window may grow.
    Grow,
    /// Recovery ends: deflate the window.
    LeaveRecovery,
}

impl Recovery {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            strategy: config.loss_recovery,
            avoid_multiple: config.avoid_multiple_fast_retransmits,
            dup_acks: 0,
            in_recovery: false,
            not_before: 0,
        }
    }

    pub(crate) const fn in_recovery(&self) -> bool {
        self.in_recovery
    }

    /// `una`: first unacknowledged position; `snd_max`: end of what has been sent.
    pub(crate) fn on_dup_ack(&mut self, una: u64, snd_max: u64) -> DupAckAction {
        self.dup_acks = self.dup_acks.saturating_add(1);
        if self.in_recovery {
            return DupAckAction::Inflate;
        }
        if self.dup_acks != DUP_ACK_THRESHOLD || (self.avoid_multiple && una < self.not_before) {
            return DupAckAction::Nothing;
        }
        self.in_recovery = true;
        self.not_before = snd_max;
        DupAckAction::FastRetransmit
    }

    pub(crate) fn on_new_ack(&mut self) -> NewAckAction {
        self.dup_acks = 0;
        if !self.in_recovery {
            return NewAckAction::Grow;
        }
        match self.strategy {
            LossRecovery::Reno => {
                self.in_recovery = false;
                NewAckAction::LeaveRecovery
            }
        }
    }

    /// After a timeout everything outstanding is sent again, and copies of what had arrived cause
    /// duplicate ACKs that mean no loss: up to and including those for the end of the old data
    /// (RFC 6582, section 4.1), hence the 1.
    pub(crate) fn on_timeout(&mut self, snd_max: u64) {
        self.dup_acks = 0;
        self.in_recovery = false;
        self.not_before = snd_max + 1;
    }
}
