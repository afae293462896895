// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What can be set about an endpoint.

use crate::response::ResponseTable;
use core::fmt;

/// One millisecond in nanoseconds.
pub const MILLISECOND: u64 = 1_000_000;
/// One second in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;

/// Largest window that window scaling can express (RFC 7323, section 2.3), in bytes: just below 2^30.
pub const MAX_WINDOW: u32 = 0xffff << 14;

/// Which congestion signals in IP and TCP headers an endpoint uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EcnMode {
    /// No ECN: packets are Not-ECT, loss is the only signal.
    #[default]
    Off,
    /// RFC 3168: CE is echoed by ECE until CWR arrives.
    Classic,
    /// Multi-level ECN: every ACK echoes in (CWR, ECE) the highest level received since the last one.
    ///
    /// It is negotiated like classic ECN, and neither side can tell what the other means: both ends
    /// of a connection must be configured for it.
    MultiLevel,
}

/// How the sender repairs losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LossRecovery {
    /// Fast retransmit and fast recovery of RFC 5681, section 3.2: any ACK for new data ends recovery.
    #[default]
    Reno,
    /// RFC 6582: recovery lasts until everything outstanding at its begin is acknowledged; each partial ACK
    /// retransmits one segment. The timer is started anew by the first partial ACK only ("Impatient").
    NewReno,
    /// RFC 6675, with the selective acknowledgments of RFC 2018, which are offered on the SYN. With a peer that
    /// does not take them this is NewReno.
    Sack,
}

/// How the window grows in congestion avoidance (RFC 5681, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CongestionAvoidance {
    /// One SMSS for every `cwnd` bytes acknowledged: the way that RFC 5681 recommends.
    #[default]
    ByteCounting,
    /// SMSS*SMSS/cwnd bytes, at least 1, for each ACK of new data: equation (3). With delayed ACKs
    /// this grows about half as fast, as in ns-2.
    PerAck,
    /// Like [`Self::ByteCounting`], but a cut takes whole segments as Linux's does (`tcp_input.c`, `snd_cwnd`):
    /// rounded down, at least one, and two are left. Until the data that was outstanding at the cut is
    /// acknowledged the window does not grow (`TCP_CA_CWR`).
    WholeSegments,
}

/// The initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum InitialWindow {
    /// Two to four segments by segment size (RFC 5681, section 3.1).
    #[default]
    Rfc5681,
    /// A number of segments of SMSS, at least 1.
    Segments(u32),
}

/// How the retransmission timer is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TimerRules {
    /// RFC 6298.
    #[default]
    Rfc6298,
    /// Those of ns-2 until May 2001, after BSD (Jacobson 1988): a measurement is the number of ticks of the sender's clock that pass,
    /// SRTT counts in eighths of a tick and RTTVAR in quarters, so neither falls the last bit towards a constant round trip; the
    /// back-off ends at 64, and from 16 on the next measurement counts as the first; a lost SYN does not end it; and an ACK restarts
    /// the timer with the RTO before its measurement. The RTO is never below two ticks.
    WholeTicks,
}

/// Retransmission timer. All times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RtoConfig {
    /// RTO before the first measurement; RFC 6298 says 1 s.
    pub initial: u64,
    /// Lower bound; RFC 6298 says 1 s.
    pub min: u64,
    /// Upper bound, of the backed-off value too; at least 60 s in RFC 6298.
    pub max: u64,
    /// Clock granularity G. Measurements are rounded to the nearest tick (at least one), and the RTO
    /// up to whole ticks.
    pub granularity: u64,
    /// The rules.
    pub rules: TimerRules,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self {
            initial: SECOND,
            min: SECOND,
            max: 60 * SECOND,
            granularity: MILLISECOND,
            rules: TimerRules::default(),
        }
    }
}

/// Everything that can be set about an endpoint. All times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Payload bytes of a full segment: what is announced in the MSS option, and the most that is sent.
    pub mss: u16,
    /// Receive window in bytes, the papers' "window cap". Rounded up to a multiple of the window
    /// scale's unit, so that the announced window is exact.
    pub receive_window: u32,
    /// Initial congestion window.
    pub initial_window: InitialWindow,
    /// Initial slow start threshold in bytes; `None` is "arbitrarily high".
    pub initial_ssthresh: Option<u32>,
    /// Growth in congestion avoidance.
    pub congestion_avoidance: CongestionAvoidance,
    /// Loss recovery.
    pub loss_recovery: LossRecovery,
    /// Whether a fast retransmit is refused until everything outstanding at the last one, or at the
    /// last timeout, is acknowledged (RFC 6582, section 3.2, step 2; ns-2's `bugFix_`). The second loss of
    /// a window then waits for the timer. Without it, Reno repairs one loss after the other, each after
    /// three more duplicate ACKs; a window of data is answered by one cut in either case.
    pub avoid_multiple_fast_retransmits: bool,
    /// Whether a loss takes its part of the window that admits data (RFC 2001, section 3; ns-2), rather than of the data outstanding
    /// (RFC 5681, equation 4), and a further timeout for the same segment does so again. The two differ when a timeout follows a fast
    /// retransmit: the window has been halved, and what is outstanding has not.
    pub loss_cuts_window: bool,
    /// Whether a cut starts from the whole segments in the window and leaves whole segments, rounded down, as in ns-2 until 2006
    /// (`precisionReduce_ false`). A mark may then leave none, which is a cut below one segment.
    pub cuts_whole_segments: bool,
    /// Whether what is sent again is ECN-capable and can carry CWR, as in ns-2. RFC 3168 (section 6.1.5) has neither.
    pub ecn_retransmissions: bool,
    /// Whether each of the first two duplicate ACKs lets one new segment go beyond the window (RFC 3042). With
    /// SACK: whether, before recovery, reported data counts as out of the network (RFC 6675, section 5, step 3).
    pub limited_transmit: bool,
    /// Whether, with nothing outstanding and nothing sent for longer than the RTO, the window falls back to the
    /// initial window (RFC 5681, section 4.1: slow-start restart).
    pub restart_after_idle: bool,
    /// Before each segment of the stream but those that loss recovery sends, a time uniform in [0, this) passes: random
    /// processing at the sender, which breaks phase effects in simulations (ns-2's `overhead_`). 0: none.
    pub processing_time: u64,
    /// Congestion signals.
    pub ecn: EcnMode,
    /// Response to congestion by level.
    pub response: ResponseTable,
    /// With a window of one segment and congestion still signalled, send the next new segment only when
    /// the retransmission timer has run out (RFC 3168, section 6.1.2, a MUST). Many implementations,
    /// Linux among them, keep sending one segment per round trip instead.
    pub hold_at_one_segment: bool,
    /// With `hold_at_one_segment`: hold also when a cut would leave less than one segment, as a window of one and a
    /// half halved, and double the time from the second such mark in a row on. This is what ns-2 does: its window
    /// then is below one packet, and nothing is sent until the timer runs out.
    pub hold_below_one_segment: bool,
    /// Whether a moderate mark after an incipient one of the same window of data cuts the window down to what the moderate
    /// one alone would have left. Without it a window of data is answered once, by its first mark.
    pub top_up: bool,
    /// How long an ACK may be delayed (RFC 5681, section 4.2); `None` acknowledges every segment at once.
    pub delayed_ack: Option<u64>,
    /// Retransmission timer.
    pub rto: RtoConfig,
    /// Timeouts in a row after which the connection is given up.
    pub max_timeouts: u32,
    /// Time in TIME-WAIT.
    pub time_wait: u64,
    /// Most challenge ACKs in any 5 seconds (RFC 5961, section 7).
    pub challenge_ack_limit: u32,
    /// Most ranges of out-of-order data that the receiver keeps; what would need more is dropped. Also the most
    /// ranges on the sender's scoreboard.
    pub max_ranges: u16,
    /// Differentiated services codepoint of all packets, 0 to 63.
    pub dscp: u8,
    /// Time to live of all packets.
    pub ttl: u8,
    /// Whether `Endpoint::poll_event` reports changes of the window and RTT samples.
    pub trace: bool,
}

impl Default for Config {
    /// Reno without ECN, MSS 960 bytes (so that packets are 1000 bytes and ACKs 40), window 65,280 bytes
    /// (68 segments), no delayed ACKs.
    fn default() -> Self {
        Self {
            mss: 960,
            receive_window: 68 * 960,
            initial_window: InitialWindow::default(),
            initial_ssthresh: None,
            congestion_avoidance: CongestionAvoidance::default(),
            loss_recovery: LossRecovery::default(),
            avoid_multiple_fast_retransmits: true,
            loss_cuts_window: false,
            cuts_whole_segments: false,
            ecn_retransmissions: false,
            limited_transmit: false,
            restart_after_idle: true,
            processing_time: 0,
            ecn: EcnMode::Off,
            response: ResponseTable::CLASSIC,
            hold_at_one_segment: true,
            hold_below_one_segment: false,
            top_up: false,
            delayed_ack: None,
            rto: RtoConfig::default(),
            max_timeouts: 15,
            time_wait: 60 * SECOND,
            challenge_ack_limit: 10,
            max_ranges: 1024,
            dscp: 0,
            ttl: 64,
            trace: false,
        }
    }
}

impl Config {
    /// The default with classic ECN (RFC 3168): CE halves the window.
    #[must_use]
    pub fn classic_ecn() -> Self {
        Self {
            ecn: EcnMode::Classic,
            response: ResponseTable::CLASSIC,
            ..Self::default()
        }
    }

    /// The default with multi-level ECN and its betas 5, 2.5 and 2.
    #[must_use]
    pub fn multi_level_ecn() -> Self {
        Self {
            ecn: EcnMode::MultiLevel,
            response: ResponseTable::MULTI_LEVEL,
            ..Self::default()
        }
    }

    /// Sets the receive window to a number of full segments.
    #[must_use]
    pub fn with_window_segments(self, segments: u32) -> Self {
        Self {
            receive_window: segments.saturating_mul(u32::from(self.mss)),
            ..self
        }
    }

    /// Checks what an endpoint relies on.
    ///
    /// # Errors
    /// Names the first value that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = |ok, name, allowed| {
            if ok {
                Ok(())
            } else {
                Err(ConfigError { name, allowed })
            }
        };
        check((1..=65_455).contains(&self.mss), "mss", "1 to 65455 bytes")?;
        check(
            (1..=MAX_WINDOW).contains(&self.receive_window),
            "receive_window",
            "1 to 65535 * 2^14 bytes",
        )?;
        check(
            self.initial_window != InitialWindow::Segments(0),
            "initial_window",
            "at least 1 segment",
        )?;
        check(self.dscp <= 63, "dscp", "0 to 63")?;
        check(self.ttl >= 1, "ttl", "1 to 255")?;
        check(self.max_timeouts >= 1, "max_timeouts", "at least 1")?;
        check(
            self.rto.granularity >= 1,
            "rto.granularity",
            "at least 1 ns",
        )?;
        check(
            self.rto.min >= 1 && self.rto.initial >= 1,
            "rto.min and rto.initial",
            "at least 1 ns",
        )?;
        check(
            self.processing_time <= SECOND,
            "processing_time",
            "at most one second",
        )?;
        check(
            self.rto.max <= 3_600 * SECOND,
            "rto.max",
            "at most one hour",
        )?;
        check(
            self.rto.min <= self.rto.max
                && self.rto.initial <= self.rto.max
                && self.rto.granularity <= self.rto.max,
            "rto",
            "min, initial and granularity not above max",
        )
    }
}

/// A value of [`Config`] that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Field of [`Config`].
    pub name: &'static str,
    /// What is allowed.
    pub allowed: &'static str,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TCP configuration: {} must be {}",
            self.name, self.allowed
        )
    }
}

impl std::error::Error for ConfigError {}
