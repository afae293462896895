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
    limited_transmit: bool,
    dup_acks: u32,
    in_recovery: bool,
    /// An ACK of this position acknowledges everything that was outstanding when recovery began.
    recovery_point: u64,
    /// Position that the cumulative acknowledgment must have reached before the next fast retransmit.
    not_before: u64,
    /// Partial ACKs in this recovery.
    partial_acks: u32,
}

/// What a duplicate ACK calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DupAckAction {
    Nothing,
    /// A loss: retransmit the first outstanding segment, enter recovery.
    FastRetransmit,
    /// Further duplicate in recovery: inflate the window.
    Inflate,
}

/// What an ACK of new data calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewAckAction {
    /// No recovery under way: the window may grow.
    Grow,
    /// NewReno, some of what was outstanding is still missing (RFC 6582, section 3.2, step 3): retransmit the
    /// first outstanding segment, deflate by what was acknowledged.
    Partial {
        /// The first in this recovery: only then is the retransmission timer started anew.
        first: bool,
    },
    /// SACK, some of what was outstanding is still missing: the scoreboard knows what.
    Continue,
    /// Recovery ends: deflate the window.
    LeaveRecovery,
}

impl Recovery {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            strategy: config.loss_recovery,
            avoid_multiple: config.avoid_multiple_fast_retransmits
                || config.loss_recovery != LossRecovery::Reno,
            limited_transmit: config.limited_transmit,
            dup_acks: 0,
            in_recovery: false,
            recovery_point: 0,
            not_before: 0,
            partial_acks: 0,
        }
    }

    pub(crate) const fn strategy(&self) -> LossRecovery {
        self.strategy
    }

    /// The peer takes no selective acknowledgments.
    pub(crate) fn without_sack(&mut self) {
        if self.strategy == LossRecovery::Sack {
            self.strategy = LossRecovery::NewReno;
        }
    }

    pub(crate) const fn in_recovery(&self) -> bool {
        self.in_recovery
    }

    pub(crate) const fn recovery_point(&self) -> u64 {
        self.recovery_point
    }

    /// Segments beyond cwnd that limited transmit allows now (RFC 3042, section 2).
    pub(crate) fn limited_transmit_segments(&self) -> u32 {
        if self.limited_transmit && !self.in_recovery && self.dup_acks < DUP_ACK_THRESHOLD {
            self.dup_acks
        } else {
            0
        }
    }

    /// Whether what was outstanding at a timeout is still being sent again.
    pub(crate) const fn repairs_by_timeout(&self, una: u64) -> bool {
        !self.in_recovery && una < self.not_before
    }

    /// `una`: first unacknowledged position; `snd_max`: end of what has been sent; `lost`: the scoreboard holds
    /// the segment at `una` for lost (RFC 6675, section 5, step 2).
    pub(crate) fn on_dup_ack(&mut self, una: u64, snd_max: u64, lost: bool) -> DupAckAction {
        self.dup_acks = self.dup_acks.saturating_add(1);
        let sack = self.strategy == LossRecovery::Sack;
        if self.in_recovery {
            return if sack {
                DupAckAction::Nothing
            } else {
                DupAckAction::Inflate
            };
        }
        let enough = if sack {
            self.dup_acks >= DUP_ACK_THRESHOLD || lost
        } else {
            self.dup_acks == DUP_ACK_THRESHOLD
        };
        if !enough || (self.avoid_multiple && una < self.not_before) {
            return DupAckAction::Nothing;
        }
        self.in_recovery = true;
        self.partial_acks = 0;
        self.not_before = snd_max;
        self.recovery_point = snd_max;
        DupAckAction::FastRetransmit
    }

    /// Everything below `ack` is acknowledged now.
    pub(crate) fn on_new_ack(&mut self, ack: u64) -> NewAckAction {
        self.dup_acks = 0;
        if !self.in_recovery {
            return NewAckAction::Grow;
        }
        if self.strategy == LossRecovery::Reno || ack >= self.recovery_point {
            self.in_recovery = false;
            return NewAckAction::LeaveRecovery;
        }
        self.partial_acks = self.partial_acks.saturating_add(1);
        if self.strategy == LossRecovery::Sack {
            return NewAckAction::Continue;
        }
        NewAckAction::Partial {
            first: self.partial_acks == 1,
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
