// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Congestion window and slow start threshold (RFC 5681), in bytes.
//!
//! Floors: `cwnd` never falls below 1 SMSS (RFC 3168, section 6.1.2, and the loss window of RFC 5681),
//! `ssthresh` never below 2 SMSS (RFC 5681, equation 4). A cut removes `window / beta` rounded down to
//! whole bytes, or as [`CongestionAvoidance::WholeSegments`] says.

use crate::config::{Config, CongestionAvoidance, InitialWindow, MAX_WINDOW};
use crate::response::{Beta, Level, ResponseTable};

/// cwnd, ssthresh and the rule that a window of data is cut for once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Congestion {
    smss: u32,
    cwnd: u32,
    ssthresh: u32,
    mode: CongestionAvoidance,
    response: ResponseTable,
    /// Whether a cut to less than a segment is like a mark at one segment.
    hold_below: bool,
    /// Whether a stronger mark adds to the cut for a weaker one of the same window.
    top_up: bool,
    /// Whether cuts are in whole segments, as [`Config::cuts_whole_segments`] says.
    whole: bool,
    /// Bytes acknowledged since the last growth in congestion avoidance.
    bytes_acked: u32,
    /// End of the data outstanding at the last reduction, as a position: signals about data before it
    /// belong to the congestion already answered (RFC 3168, section 6.1.2).
    answered_until: u64,
    /// What was answered then, and the window before it.
    answered_level: Level,
    cwnd_before: u32,
    /// With whole segments, end of the data outstanding at the last cut for a mark: no growth before.
    held_until: u64,
}

/// How the window grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    None,
    SlowStart,
    CongestionAvoidance,
}

/// What became of an ECN signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EcnResponse {
    /// Congestion of this window of data was answered before.
    AlreadyAnswered,
    /// The window was cut.
    Reduced,
    /// The window was one segment already (RFC 3168, section 6.1.2, last paragraph).
    AtOneSegment,
}

impl Congestion {
    pub(crate) fn new(config: &Config) -> Self {
        let mut this = Self {
            smss: u32::from(config.mss),
            cwnd: 0,
            ssthresh: config.initial_ssthresh.unwrap_or(MAX_WINDOW),
            mode: config.congestion_avoidance,
            response: config.response,
            hold_below: config.hold_below_one_segment,
            top_up: config.top_up,
            whole: config.cuts_whole_segments,
            bytes_acked: 0,
            answered_until: 0,
            answered_level: Level::None,
            cwnd_before: 0,
            held_until: 0,
        };
        this.start(this.smss, config.initial_window, false);
        this
    }

    /// Sets the window when the connection is established, `smss` being what the peer accepts.
    pub(crate) fn start(&mut self, smss: u32, initial: InitialWindow, syn_was_lost: bool) {
        self.smss = smss;
        // RFC 5681, section 3.1: one segment if the SYN or the SYN-ACK was lost
        self.cwnd = if syn_was_lost {
            smss
        } else {
            self.initial_window(initial)
        };
    }

    fn initial_window(&self, initial: InitialWindow) -> u32 {
        let segments = match initial {
            InitialWindow::Segments(n) => n,
            InitialWindow::Rfc5681 if self.smss > 2190 => 2,
            InitialWindow::Rfc5681 if self.smss > 1095 => 3,
            InitialWindow::Rfc5681 => 4,
        };
        segments.saturating_mul(self.smss).min(MAX_WINDOW)
    }

    pub(crate) const fn cwnd(&self) -> u32 {
        self.cwnd
    }

    pub(crate) const fn ssthresh(&self) -> u32 {
        self.ssthresh
    }

    pub(crate) const fn smss(&self) -> u32 {
        self.smss
    }

    /// An ACK with cumulative acknowledgment `ack` took `acked` bytes of new data off the network.
    pub(crate) fn grow(&mut self, acked: u32, ack: u64) -> Growth {
        if ack <= self.held_until {
            return Growth::None;
        }
        if self.cwnd < self.ssthresh {
            // RFC 5681, equation (2): cwnd += min(N, SMSS)
            self.set(self.cwnd.saturating_add(acked.min(self.smss)));
            return Growth::SlowStart;
        }
        match self.mode {
            CongestionAvoidance::ByteCounting | CongestionAvoidance::WholeSegments => {
                self.bytes_acked = self.bytes_acked.saturating_add(acked);
                if self.bytes_acked < self.cwnd {
                    return Growth::None;
                }
                self.bytes_acked -= self.cwnd;
                self.set(self.cwnd.saturating_add(self.smss));
            }
            CongestionAvoidance::PerAck => {
                // RFC 5681, equation (3), rounded up to one byte
                let increment = u64::from(self.smss) * u64::from(self.smss) / u64::from(self.cwnd);
                self.set(self.cwnd.saturating_add((increment as u32).max(1)));
            }
        }
        Growth::CongestionAvoidance
    }

    /// An ACK with cumulative acknowledgment `ack` carried a congestion level; `snd_max` is the end of
    /// what has been sent.
    pub(crate) fn on_ecn(&mut self, level: Level, ack: u64, snd_max: u64) -> EcnResponse {
        let Some(beta) = self.response.beta(level) else {
            return EcnResponse::AlreadyAnswered;
        };
        // The last segment sent before the reduction is acknowledged by `answered_until` itself.
        if ack > self.answered_until {
            self.answered_until = snd_max;
            self.cwnd_before = self.cwnd;
        } else if !self.top_up || level <= self.answered_level || self.cwnd <= self.smss {
            return EcnResponse::AlreadyAnswered;
        }
        self.answered_level = level;
        self.bytes_acked = 0;
        // A cut that is topped up leaves what the stronger mark alone would have left.
        let window = self.cwnd_before;
        if self.mode == CongestionAvoidance::WholeSegments {
            self.held_until = snd_max;
            let two = 2 * self.smss;
            self.cwnd = self
                .whole_segments_after(beta, window)
                .min(self.cwnd.max(two));
            self.ssthresh = self.cwnd;
            return EcnResponse::Reduced;
        }
        let cut = self.left_by(beta, window);
        if window <= self.smss || (self.hold_below && cut < self.smss) {
            self.cwnd = self.smss;
            self.ssthresh = 2 * self.smss;
            return EcnResponse::AtOneSegment;
        }
        self.cwnd = cut.max(self.smss).min(self.cwnd);
        self.ssthresh = self.cwnd.max(2 * self.smss);
        EcnResponse::Reduced
    }

    /// The segment at position `una` was found lost by duplicate ACKs; the threshold becomes a part of `base` bytes. The
    /// window is inflated by `left` segments that are known to have left the network.
    /// Returns whether the threshold was lowered: not if this window of data has been answered.
    pub(crate) fn on_fast_retransmit(
        &mut self,
        una: u64,
        base: u32,
        snd_max: u64,
        left: u32,
    ) -> bool {
        let reduce = una >= self.answered_until;
        if reduce {
            self.ssthresh = self.loss_threshold(base);
            self.answered_until = snd_max;
            self.answered_level = Level::Loss;
        } else {
            // keep what the earlier cut left, also where its floor had lifted ssthresh above cwnd
            self.ssthresh = self.ssthresh.min(self.cwnd).max(2 * self.smss);
        }
        self.bytes_acked = 0;
        self.set(self.ssthresh.saturating_add(left * self.smss));
        reduce
    }

    /// RFC 5681, section 3.2, step 4: another segment has left the network.
    pub(crate) fn inflate(&mut self) {
        self.set(self.cwnd.saturating_add(self.smss));
    }

    /// RFC 5681, section 3.2, step 6.
    pub(crate) fn deflate(&mut self) {
        self.set(self.ssthresh);
        self.bytes_acked = 0;
    }

    /// RFC 6582, section 3.2, step 3, full acknowledgment, way (1): no burst with little in flight.
    pub(crate) fn deflate_to(&mut self, flight: u32) {
        let needed = flight.max(self.smss).saturating_add(self.smss);
        self.set(self.ssthresh.min(needed));
        self.bytes_acked = 0;
    }

    /// RFC 6582, section 3.2, step 3, partial acknowledgment of `acked` bytes: what has left the network no longer
    /// counts, and one segment may follow what is sent again.
    pub(crate) fn on_partial_ack(&mut self, acked: u32) {
        let added = if acked >= self.smss { self.smss } else { 0 };
        self.set(self.cwnd.saturating_sub(acked).saturating_add(added));
    }

    /// RFC 5681, section 4.1: nothing was sent for longer than the RTO. Returns whether the window was lowered.
    pub(crate) fn restart_after_idle(&mut self, initial: InitialWindow) -> bool {
        let restart = self.initial_window(initial);
        let lowered = restart < self.cwnd;
        if lowered {
            self.set(restart);
            self.bytes_acked = 0;
        }
        lowered
    }

    /// Retransmission timeout (RFC 5681, section 3.1): cwnd becomes the loss window; with `lower`, ssthresh a part of
    /// `base` bytes. RFC 5681 lowers it unless the timer ran out for a segment that it had resent before.
    pub(crate) fn on_timeout(&mut self, lower: bool, base: u32, snd_max: u64) {
        if lower {
            self.ssthresh = self.loss_threshold(base);
        }
        self.cwnd = self.smss;
        self.bytes_acked = 0;
        self.answered_until = snd_max;
        self.answered_level = Level::Loss;
        self.held_until = 0;
    }

    /// RFC 5681, equation (4), with beta for 2 and `base` for FlightSize: max(base - base/beta, 2*SMSS).
    fn loss_threshold(&self, base: u32) -> u32 {
        if self.mode == CongestionAvoidance::WholeSegments {
            return self.whole_segments_after(self.response.loss, base);
        }
        self.left_by(self.response.loss, base).max(2 * self.smss)
    }

    /// What a cut leaves of `window` bytes.
    const fn left_by(&self, beta: Beta, window: u32) -> u32 {
        if !self.whole {
            return beta.cut(window);
        }
        let left = beta.cut(window - window % self.smss);
        left - left % self.smss
    }

    /// What a cut leaves of `window` bytes, in whole segments: see [`CongestionAvoidance::WholeSegments`].
    const fn whole_segments_after(&self, beta: Beta, window: u32) -> u32 {
        let segments = window / self.smss;
        let part = beta.part_of(segments);
        let left = segments.saturating_sub(if part == 0 { 1 } else { part });
        (if left < 2 { 2 } else { left }) * self.smss
    }

    fn set(&mut self, cwnd: u32) {
        self.cwnd = cwnd.clamp(self.smss, MAX_WINDOW);
    }
}
