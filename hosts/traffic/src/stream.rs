// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Applications over a byte stream.

use crate::SECOND;
use crate::error::{TrafficError, check};
use crate::random::Random;
use crate::telnet;

/// What an application over a byte stream does. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamSpec {
    /// A file: this many bytes, then the end; `None` is without end.
    Bulk {
        /// Length in bytes.
        bytes: Option<u64>,
    },
    /// Data without end, until this time of the run's clock; what was not sent by then is not.
    Until {
        /// When the application stops.
        stop: u64,
    },
    /// A web session: transfers over one connection. When the last byte of one is acknowledged, the user thinks for a time
    /// uniform in `think`, then the next begins.
    Web {
        /// Length of each transfer in bytes.
        page_bytes: u64,
        /// Least and greatest think time.
        think: (u64, u64),
        /// Transfers until the end; `None` is without end.
        pages: Option<u64>,
    },
    /// A telnet user: writes of equal length at intervals of tcplib's distribution, the first after one interval.
    Telnet {
        /// Bytes of each write.
        write_bytes: u64,
    },
}

impl StreamSpec {
    /// Data without end.
    pub const UNLIMITED: Self = Self::Bulk { bytes: None };

    /// Web sessions with think times of 1 to 3 s, without end.
    #[must_use]
    pub const fn web(page_bytes: u64) -> Self {
        Self::Web {
            page_bytes,
            think: (SECOND, 3 * SECOND),
            pages: None,
        }
    }

    /// Checks what a source relies on.
    ///
    /// # Errors
    /// Names the first value that is out of range.
    pub fn validate(&self) -> Result<(), TrafficError> {
        const BYTES: &str = "1 to 2^40 bytes";
        let bytes = |n: u64| (1..=1 << 40).contains(&n);
        match *self {
            Self::Bulk { bytes: None } | Self::Until { .. } => Ok(()),
            Self::Bulk { bytes: Some(n) } => check(n >= 1, "limit_bytes", "at least 1"),
            Self::Web {
                page_bytes,
                think,
                pages,
            } => {
                check(bytes(page_bytes), "page_bytes", BYTES)?;
                check(pages != Some(0), "pages", "at least 1")?;
                check(
                    think.0 <= think.1 && think.1 <= 1_000_000 * SECOND,
                    "think_s",
                    "a range up to 10^6 s",
                )
            }
            Self::Telnet { write_bytes } => check(bytes(write_bytes), "write_bytes", BYTES),
        }
    }
}

/// What an application asks of its transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamAction {
    /// Send this many bytes more.
    Write(u64),
    /// Send data without end.
    WriteUnlimited,
    /// There is no more.
    Close,
}

/// What a web session has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebStats {
    /// Transfers completed.
    pub pages: u64,
    /// Time spent in transfers, completed or not, without think times; nanoseconds.
    pub active_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Writes at this time.
    Due(u64),
    /// Writes no more from this time on.
    Until(u64),
    /// A web transfer is under way: acknowledged up to this byte it is complete. It began then.
    Transfer {
        end: u64,
        since: u64,
    },
    /// The last write is done, and the end not yet told.
    Closing,
    Over,
}

/// An application over a byte stream.
#[derive(Clone, Debug)]
pub struct StreamSource {
    spec: StreamSpec,
    random: Random,
    state: State,
    written: u64,
    web: WebStats,
}

impl StreamSource {
    /// An application that begins when it is first polled.
    #[must_use]
    pub fn new(spec: StreamSpec, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let state = match spec {
            StreamSpec::Telnet { .. } => State::Due(telnet::interarrival(&mut random)),
            StreamSpec::Bulk { .. } | StreamSpec::Until { .. } | StreamSpec::Web { .. } => {
                State::Due(0)
            }
        };
        Self {
            spec,
            random,
            state,
            written: 0,
            web: WebStats::default(),
        }
    }

    /// The time from which the application counts: the begin of its connection.
    pub fn start(&mut self, now: u64) {
        if let State::Due(at) = &mut self.state {
            *at = at.saturating_add(now);
        }
    }

    /// When [`Self::poll`] has something to say, if it is not waiting for [`Self::on_acked`].
    #[must_use]
    pub fn next_time(&self) -> Option<u64> {
        match self.state {
            State::Due(at) | State::Until(at) => Some(at),
            State::Closing => Some(0),
            State::Transfer { .. } | State::Over => None,
        }
    }

    /// What the application wants at `now`; to be called until it returns `None`.
    pub fn poll(&mut self, now: u64) -> Option<StreamAction> {
        match self.state {
            State::Due(at) if at <= now => Some(self.write(at, now)),
            State::Closing => {
                self.state = State::Over;
                Some(StreamAction::Close)
            }
            State::Until(stop) if stop <= now => {
                self.state = State::Over;
                Some(StreamAction::Close)
            }
            _ => None,
        }
    }

    fn write(&mut self, due: u64, now: u64) -> StreamAction {
        let bytes = match self.spec {
            StreamSpec::Bulk { bytes: None } => {
                self.state = State::Over;
                return StreamAction::WriteUnlimited;
            }
            StreamSpec::Until { stop } => {
                self.state = State::Until(stop);
                return StreamAction::WriteUnlimited;
            }
            StreamSpec::Bulk { bytes: Some(bytes) } => {
                self.state = State::Closing;
                bytes
            }
            StreamSpec::Web { page_bytes, .. } => {
                self.state = State::Transfer {
                    end: self.written + page_bytes,
                    since: now,
                };
                page_bytes
            }
            StreamSpec::Telnet { write_bytes } => {
                let next = telnet::interarrival(&mut self.random).max(1);
                self.state = State::Due(due.saturating_add(next));
                write_bytes
            }
        };
        self.written = self.written.saturating_add(bytes);
        StreamAction::Write(bytes)
    }

    /// `total` bytes of the stream are acknowledged by now.
    pub fn on_acked(&mut self, total: u64, now: u64) {
        if let (State::Transfer { end, since }, StreamSpec::Web { think, pages, .. }) =
            (self.state, self.spec)
            && total >= end
        {
            self.web.pages += 1;
            self.web.active_ns += now.saturating_sub(since);
            self.state = if pages.is_some_and(|pages| self.web.pages >= pages) {
                State::Closing
            } else {
                State::Due(now.saturating_add(self.random.uniform(think.0, think.1)))
            };
        }
    }

    /// Whether nothing more will come of it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// Bytes written so far; those of data without end do not count.
    #[must_use]
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// What a web session has seen up to `now`; nothing for others.
    #[must_use]
    pub fn web_stats(&self, now: u64) -> WebStats {
        let mut web = self.web;
        if let State::Transfer { since, .. } = self.state {
            web.active_ns += now.saturating_sub(since);
        }
        web
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bulk_writes_once() {
        let mut source = StreamSource::new(StreamSpec::UNLIMITED, 1);
        source.start(5);
        assert_eq!((source.next_time(), source.poll(4)), (Some(5), None));
        assert_eq!(source.poll(5), Some(StreamAction::WriteUnlimited));
        assert_eq!((source.next_time(), source.poll(9)), (None, None));
        let mut source = StreamSource::new(StreamSpec::Bulk { bytes: Some(7) }, 1);
        assert_eq!(source.poll(0), Some(StreamAction::Write(7)));
        assert_eq!(source.poll(0), Some(StreamAction::Close));
        assert_eq!(source.poll(0), None);
    }

    #[test]
    fn data_until_a_time() {
        let mut source = StreamSource::new(StreamSpec::Until { stop: 20 }, 1);
        source.start(5);
        assert_eq!(source.poll(5), Some(StreamAction::WriteUnlimited));
        assert_eq!((source.next_time(), source.poll(19)), (Some(20), None));
        assert_eq!(source.poll(20), Some(StreamAction::Close));
        assert_eq!((source.poll(20), source.next_time()), (None, None));
        assert!(source.is_over());
    }

    /// Think times begin with the last acknowledgment, lie in the range and use all of it; goodput can leave them out.
    #[test]
    fn web_session() {
        let mut web = StreamSource::new(StreamSpec::web(30_000), 3);
        web.start(0);
        let (mut now, mut thought) = (0, Vec::new());
        for page in 1..=2000 {
            assert_eq!(web.poll(now), Some(StreamAction::Write(30_000)));
            assert_eq!(web.poll(now), None);
            web.on_acked(page * 30_000 - 1, now + SECOND / 2);
            assert_eq!(web.next_time(), None);
            assert_eq!(web.web_stats(now + 7).active_ns, (page - 1) * SECOND + 7);
            now += SECOND;
            web.on_acked(page * 30_000, now);
            let next = web.next_time().unwrap();
            thought.push(next - now);
            now = next;
        }
        assert_eq!(
            web.web_stats(now),
            WebStats {
                pages: 2000,
                active_ns: 2000 * SECOND
            }
        );
        assert!(thought.iter().all(|t| (SECOND..=3 * SECOND).contains(t)));
        let mean = thought.iter().sum::<u64>() as f64 / 2e12;
        assert!(
            (mean - 2.0).abs() < 5.0 * 2.0 / (12.0 * 2000.0_f64).sqrt(),
            "{mean}"
        );
    }

    #[test]
    fn web_session_of_two_pages_ends() {
        let spec = StreamSpec::Web {
            page_bytes: 10,
            think: (5, 5),
            pages: Some(2),
        };
        let mut web = StreamSource::new(spec, 3);
        web.poll(0);
        web.on_acked(10, 100);
        assert_eq!(web.next_time(), Some(105));
        assert_eq!(web.poll(105), Some(StreamAction::Write(10)));
        web.on_acked(20, 200);
        assert_eq!(web.poll(200), Some(StreamAction::Close));
        assert_eq!(
            (web.poll(300), web.next_time(), web.written()),
            (None, None, 20)
        );
    }

    #[test]
    fn telnet_goes_on() {
        let mut telnet = StreamSource::new(StreamSpec::Telnet { write_bytes: 460 }, 9);
        telnet.start(1_000);
        let mut now = telnet.next_time().unwrap();
        assert!(now > 1_000 && telnet.poll(now - 1).is_none());
        for _ in 0..100 {
            assert_eq!(telnet.poll(now), Some(StreamAction::Write(460)));
            let next = telnet.next_time().unwrap();
            assert!(next > now);
            now = next;
        }
        assert_eq!(telnet.written(), 46_000);
    }

    #[test]
    fn values_are_checked() {
        for (spec, name) in [
            (StreamSpec::Bulk { bytes: Some(0) }, "limit_bytes"),
            (StreamSpec::web(0), "page_bytes"),
            (
                StreamSpec::Web {
                    page_bytes: 1,
                    think: (2, 1),
                    pages: None,
                },
                "think_s",
            ),
            (
                StreamSpec::Web {
                    page_bytes: 1,
                    think: (0, 1),
                    pages: Some(0),
                },
                "pages",
            ),
            (StreamSpec::Telnet { write_bytes: 0 }, "write_bytes"),
        ] {
            assert_eq!(spec.validate().unwrap_err().name, name);
        }
        assert!(StreamSpec::web(30_000).validate().is_ok());
    }

    proptest! {
        /// The same seed, the same times; another seed, others.
        #[test]
        fn seed_decides(seed: u64) {
            let times = |seed| {
                let mut telnet = StreamSource::new(StreamSpec::Telnet { write_bytes: 1 }, seed);
                (0..10).map(|_| { let t = telnet.next_time(); telnet.poll(t.unwrap_or(0)); t }).collect::<Vec<_>>()
            };
            prop_assert_eq!(times(seed), times(seed));
            prop_assert_ne!(times(seed), times(seed.wrapping_add(1)));
        }
    }
}
