// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Settings of a TCP connection.

use netsim::mecn_tcp::{
    Beta, Config, CongestionAvoidance, EcnMode, InitialWindow, LossRecovery, MILLISECOND,
    ResponseTable, RtoConfig, TimerRules,
};
use pyo3::prelude::*;

use super::NetworkError;
use super::convert::{nanoseconds, whole};

/// Receive window that needs no window scaling, bytes.
const UNSCALED_WINDOW: u32 = 65_535;
/// Longest that an ACK is delayed.
const DELAYED_ACK: u64 = 200 * MILLISECOND;

/// Settings of both ends of a TCP connection.
#[pyclass(frozen, eq, from_py_object, module = "mecn_native")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpConfig {
    config: Config,
}

impl TcpConfig {
    pub fn config(&self) -> Config {
        self.config
    }

    pub fn default_config() -> PyResult<Config> {
        let tcp = Self::new(
            960,
            "off",
            (5.0, 2.5, 2.0),
            None,
            false,
            0.1,
            1.0,
            None,
            None,
            "byte-counting",
            true,
            0,
            "reno",
            false,
            true,
            true,
            0.0,
            2.0,
            false,
            false,
            false,
            1.0,
            60.0,
            "rfc6298",
            false,
            false,
        )?;
        Ok(tcp.config)
    }
}

#[pymethods]
impl TcpConfig {
    #[new]
    #[pyo3(signature = (
        *, mss=960, ecn="off", beta=(5.0, 2.5, 2.0), window_cap=None, delayed_acks=false,
        timer_granularity_s=0.1, min_rto_s=1.0, initial_window=None, initial_ssthresh=None,
        congestion_avoidance="byte-counting", hold_at_one_segment=true, dscp=0, loss_recovery="reno",
        limited_transmit=false, restart_after_idle=true, avoid_multiple_fast_retransmits=true,
        processing_time_s=0.0, classic_beta=2.0, hold_below_one_segment=false,
        loss_cuts_window=false, top_up=false, initial_rto_s=1.0, max_rto_s=60.0, retransmission_timer="rfc6298",
        cuts_whole_segments=false, ecn_retransmissions=false
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn new(
        mss: i64,
        ecn: &str,
        beta: (f64, f64, f64),
        window_cap: Option<i64>,
        delayed_acks: bool,
        timer_granularity_s: f64,
        min_rto_s: f64,
        initial_window: Option<i64>,
        initial_ssthresh: Option<i64>,
        congestion_avoidance: &str,
        hold_at_one_segment: bool,
        dscp: i64,
        loss_recovery: &str,
        limited_transmit: bool,
        restart_after_idle: bool,
        avoid_multiple_fast_retransmits: bool,
        processing_time_s: f64,
        classic_beta: f64,
        hold_below_one_segment: bool,
        loss_cuts_window: bool,
        top_up: bool,
        initial_rto_s: f64,
        max_rto_s: f64,
        retransmission_timer: &str,
        cuts_whole_segments: bool,
        ecn_retransmissions: bool,
    ) -> PyResult<Self> {
        let mss: u16 = whole("mss", mss, "1 to 65455")?;
        let segments = |name, value| -> PyResult<u32> {
            whole::<u32>(name, value, "a number of segments")?
                .checked_mul(mss.into())
                .ok_or_else(|| {
                    NetworkError::new_err(format!("{name} of {value} segments is too much"))
                })
        };
        let (ecn, moderate) = match ecn {
            "off" => (EcnMode::Off, 2.0),
            "classic" => (EcnMode::Classic, classic_beta),
            "multilevel" => (EcnMode::MultiLevel, beta.1),
            other => {
                return Err(NetworkError::new_err(format!(
                    "ecn must be \"off\", \"classic\" or \"multilevel\", not {other:?}"
                )));
            }
        };
        let congestion_avoidance = match congestion_avoidance {
            "byte-counting" => CongestionAvoidance::ByteCounting,
            "per-ack" => CongestionAvoidance::PerAck,
            "whole-segments" => CongestionAvoidance::WholeSegments,
            other => {
                return Err(NetworkError::new_err(format!(
                    "congestion_avoidance must be \"byte-counting\", \"per-ack\" or \"whole-segments\", not {other:?}"
                )));
            }
        };
        let loss_recovery = match loss_recovery {
            "reno" => LossRecovery::Reno,
            "newreno" => LossRecovery::NewReno,
            "sack" => LossRecovery::Sack,
            other => {
                return Err(NetworkError::new_err(format!(
                    "loss_recovery must be \"reno\", \"newreno\" or \"sack\", not {other:?}"
                )));
            }
        };
        let rto = RtoConfig {
            initial: nanoseconds("initial_rto_s", initial_rto_s)?,
            min: nanoseconds("min_rto_s", min_rto_s)?,
            max: nanoseconds("max_rto_s", max_rto_s)?,
            granularity: nanoseconds("timer_granularity_s", timer_granularity_s)?,
            rules: timer_rules(retransmission_timer)?,
        };
        let config = Config {
            mss,
            receive_window: match window_cap {
                Some(cap) => segments("window_cap", cap)?,
                None => UNSCALED_WINDOW / u32::from(mss).max(1) * u32::from(mss),
            },
            initial_window: match initial_window {
                Some(window) => InitialWindow::Segments(whole(
                    "initial_window",
                    window,
                    "a number of segments",
                )?),
                None => InitialWindow::Rfc5681,
            },
            initial_ssthresh: initial_ssthresh
                .map(|ssthresh| segments("initial_ssthresh", ssthresh))
                .transpose()?,
            congestion_avoidance,
            ecn,
            response: ResponseTable {
                incipient: fraction("incipient", beta.0)?,
                moderate: fraction("moderate", moderate)?,
                loss: fraction("loss", beta.2)?,
            },
            hold_at_one_segment,
            hold_below_one_segment,
            loss_recovery,
            limited_transmit,
            restart_after_idle,
            avoid_multiple_fast_retransmits,
            loss_cuts_window,
            top_up,
            cuts_whole_segments,
            ecn_retransmissions,
            processing_time: nanoseconds("processing_time_s", processing_time_s)?,
            delayed_ack: delayed_acks.then_some(DELAYED_ACK),
            rto,
            dscp: whole("dscp", dscp, "0 to 63")?,
            ..Config::default()
        };
        let checked = config.validate();
        checked.map_err(|error| NetworkError::new_err(error.to_string()))?;
        Ok(Self { config })
    }

    fn __repr__(&self) -> String {
        let config = &self.config;
        format!("<TcpConfig mss={} ecn={:?}>", config.mss, config.ecn)
    }
}

/// A beta as a fraction, to the nearest millionth.
fn fraction(level: &str, beta: f64) -> PyResult<Beta> {
    const UNIT: u32 = 1_000_000;
    let refuse =
        || NetworkError::new_err(format!("beta for {level} must be 1 to 4000, not {beta}"));
    if !(1.0..=4000.0).contains(&beta) {
        return Err(refuse());
    }
    Beta::new((beta * f64::from(UNIT)).round() as u32, UNIT).map_err(|_| refuse())
}

fn timer_rules(name: &str) -> PyResult<TimerRules> {
    match name {
        "rfc6298" => Ok(TimerRules::Rfc6298),
        "whole-ticks" => Ok(TimerRules::WholeTicks),
        other => Err(NetworkError::new_err(format!(
            "retransmission_timer must be \"rfc6298\" or \"whole-ticks\", not {other:?}"
        ))),
    }
}
