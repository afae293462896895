// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Congestion signals on the wire: what goes into IP and TCP headers, and how it is read.

use crate::config::EcnMode;
use crate::response::Level;
use crate::wire::{Ecn, Flags};

/// ECN state of an established connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EcnState {
    /// Not negotiated.
    Off,
    /// RFC 3168.
    Classic {
        /// Receiver: CE has arrived and CWR not yet; every ACK carries ECE (section 6.1.3).
        echo: bool,
        /// Sender: the window was reduced; the next new data segment carries CWR (section 6.1.2).
        cwr: bool,
    },
    /// Multi-level ECN.
    MultiLevel {
        /// Receiver: highest level since the last segment with an ACK.
        highest: Level,
    },
}

impl EcnState {
    pub(crate) const fn negotiated(mode: EcnMode) -> Self {
        match mode {
            EcnMode::Off => Self::Off,
            EcnMode::Classic => Self::Classic {
                echo: false,
                cwr: false,
            },
            EcnMode::MultiLevel => Self::MultiLevel {
                highest: Level::None,
            },
        }
    }

    /// Receiver: a data segment within the window arrived with this ECN field and these flags.
    pub(crate) fn on_data(&mut self, ecn: Ecn, flags: Flags) {
        match self {
            Self::Off => {}
            Self::Classic { echo, .. } => {
                // A segment with both CWR and CE starts a new echo.
                *echo = ecn == Ecn::Ce || (*echo && !flags.contains(Flags::CWR));
            }
            Self::MultiLevel { highest } => {
                let level = match ecn {
                    Ecn::NotEct | Ecn::Ect0 => Level::None,
                    Ecn::Ect1 => Level::Incipient,
                    Ecn::Ce => Level::Moderate,
                };
                *highest = level.max(*highest);
            }
        }
    }

    /// Sender: the level that an ACK's flags report.
    pub(crate) const fn level_of_ack(self, flags: Flags) -> Level {
        match self {
            Self::Off => Level::None,
            Self::Classic { .. } => {
                if flags.contains(Flags::ECE) {
                    Level::Moderate
                } else {
                    Level::None
                }
            }
            // (CWR,ECE): (0,1) incipient, (1,1) moderate. (1,0) is no code point of the scheme.
            Self::MultiLevel { .. } => {
                match (flags.contains(Flags::CWR), flags.contains(Flags::ECE)) {
                    (false, true) => Level::Incipient,
                    (true, true) => Level::Moderate,
                    (_, false) => Level::None,
                }
            }
        }
    }

    /// Sender: the window was reduced, for whatever cause.
    pub(crate) const fn on_reduction(&mut self) {
        if let Self::Classic { cwr, .. } = self {
            *cwr = true;
        }
    }

    /// The flags of an outgoing segment that carries an ACK. `capable`: it carries data never sent before, or
    /// what is sent again is ECN-capable ([`crate::Config::ecn_retransmissions`]).
    pub(crate) fn flags_to_send(&mut self, capable: bool) -> Flags {
        match self {
            Self::Off => Flags::NONE,
            Self::Classic { echo, cwr } => {
                let send_cwr = *cwr && capable;
                if send_cwr {
                    *cwr = false;
                }
                Flags::NONE
                    .with_if(*echo, Flags::ECE)
                    .with_if(send_cwr, Flags::CWR)
            }
            Self::MultiLevel { highest } => match core::mem::take(highest) {
                Level::None => Flags::NONE,
                Level::Incipient => Flags::ECE,
                Level::Moderate | Level::Loss => Flags::CWR | Flags::ECE,
            },
        }
    }

    /// The ECN field of an outgoing packet: ECT(0) where [`Self::flags_to_send`] may send CWR. Pure ACKs (RFC 3168, section 6.1.4),
    /// retransmissions (6.1.5) and window probes (6.1.6) are Not-ECT.
    pub(crate) fn field_to_send(self, capable: bool) -> Ecn {
        if capable && self != Self::Off {
            Ecn::Ect0
        } else {
            Ecn::NotEct
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 1: echo of the level in (CWR,ECE).
    #[test]
    fn multi_level_echo_is_table_1_and_not_sticky() {
        let table = [
            (Ecn::NotEct, Flags::NONE),
            (Ecn::Ect0, Flags::NONE),
            (Ecn::Ect1, Flags::ECE),
            (Ecn::Ce, Flags::CWR | Flags::ECE),
        ];
        for (field, flags) in table {
            let mut state = EcnState::negotiated(EcnMode::MultiLevel);
            state.on_data(field, Flags::ACK);
            assert_eq!(state.flags_to_send(false), flags);
            assert_eq!(state.flags_to_send(false), Flags::NONE);
        }
    }

    #[test]
    fn multi_level_echo_takes_the_highest_level() {
        for order in [
            [Ecn::Ce, Ecn::Ect1],
            [Ecn::Ect1, Ecn::Ce],
            [Ecn::Ce, Ecn::Ect0],
        ] {
            let mut state = EcnState::negotiated(EcnMode::MultiLevel);
            for field in order {
                state.on_data(field, Flags::ACK);
            }
            assert_eq!(state.flags_to_send(false), Flags::CWR | Flags::ECE);
        }
    }

    #[test]
    fn levels_of_acks() {
        let classic = EcnState::negotiated(EcnMode::Classic);
        let multi = EcnState::negotiated(EcnMode::MultiLevel);
        let rows = [
            (Flags::ACK, Level::None, Level::None),
            (Flags::ACK | Flags::ECE, Level::Moderate, Level::Incipient),
            (
                Flags::ACK | Flags::ECE | Flags::CWR,
                Level::Moderate,
                Level::Moderate,
            ),
            (Flags::ACK | Flags::CWR, Level::None, Level::None),
        ];
        for (flags, as_classic, as_multi) in rows {
            assert_eq!(classic.level_of_ack(flags), as_classic, "{flags:?}");
            assert_eq!(multi.level_of_ack(flags), as_multi, "{flags:?}");
            assert_eq!(EcnState::Off.level_of_ack(flags), Level::None);
        }
    }

    /// RFC 3168, section 6.1.3: a segment that carries CWR and is itself marked starts a new echo.
    #[test]
    fn classic_cwr_with_ce_keeps_echoing() {
        let mut state = EcnState::negotiated(EcnMode::Classic);
        state.on_data(Ecn::Ce, Flags::ACK);
        state.on_data(Ecn::Ce, Flags::ACK | Flags::CWR);
        assert_eq!(state.flags_to_send(false), Flags::ECE);
        state.on_data(Ecn::Ect0, Flags::ACK | Flags::CWR);
        assert_eq!(state.flags_to_send(false), Flags::NONE);
    }
}
