// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What `up` was told and what it changed. Kept in a pinned map, so that it goes with the pins.

use crate::UpArguments;
use crate::machine::OTHERS;
use crate::netns::Namespace;
use crate::prefix::Prefix;
use anyhow::{Context, Result, bail};
use libbpf_rs::{MapCore, MapFlags};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// Bytes of the map's value; see `struct settings` in `mecn.bpf.c`.
const SIZE: usize = 4096;
const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const TCP_ECN: &str = "/proc/sys/net/ipv4/tcp_ecn";
/// What every kernel has.
const FALLBACK: &str = "reno";

/// Name of the congestion control.
pub const NAME: &str = "mecn";

/// Read a beta; 2.5 becomes 2500. At least 1 (the whole window), at most 1000.
pub fn parse_beta(text: &str) -> Result<u32, String> {
    let beta: f64 = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if !(1.0..=1000.0).contains(&beta) {
        return Err("beta must be 1 to 1000".into());
    }
    Ok((beta * 1000.0).round() as u32)
}

/// A namespace's settings before `up --default`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Default {
    /// `net.ipv4.tcp_congestion_control`
    pub congestion_control: String,
    /// `net.ipv4.tcp_ecn`
    pub tcp_ecn: String,
}

/// How programs are attached to interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachment {
    /// By links, which are pinned: Linux 6.6.
    Tcx,
    /// As classifiers of a clsact qdisc.
    Clsact,
}

/// How the congestion control is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// By a link, which is pinned: Linux 6.4.
    Link,
    /// By its map, until the map's element is deleted.
    Map,
}

/// What is up on the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Version of mecn-host that loaded the programs.
    pub version: String,
    /// cgroup2 the reader is attached to.
    pub cgroup: PathBuf,
    /// How the congestion control is registered.
    pub registration: Registration,
}

/// What is up in one network namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The namespace's name when it was brought up.
    pub netns: String,
    /// Its inode.
    pub inode: u64,
    /// Interfaces with the echo.
    pub interfaces: Vec<String>,
    /// Prefixes of the peers.
    pub peers: Vec<Prefix>,
    /// beta1, beta2, beta3 in thousandths.
    pub betas: [u32; 3],
    /// Marked segments are counted on ingress.
    pub count_on_ingress: bool,
    /// How the programs are attached to the interfaces.
    pub attachment: Attachment,
    /// Indices of the interfaces, in the same order, for classifiers: these are not pinned.
    pub indices: Vec<u32>,
    /// Indices of the interfaces whose clsact qdisc was made for the classifiers.
    pub clsact_made: Vec<u32>,
    /// Whether it is to be the default of the namespace.
    pub wants_default: bool,
    /// What to restore then.
    pub default: Option<Default>,
    /// False while `up` or `down` is at work, and for ever if it was killed.
    pub complete: bool,
}

fn load<T: DeserializeOwned>(map: &impl MapCore, cookie: u64) -> Result<Option<T>> {
    let Some(value) = map.lookup(&cookie.to_ne_bytes(), MapFlags::ANY)? else {
        return Ok(None);
    };
    decode(&value).map(Some)
}

fn store<T: Serialize>(map: &impl MapCore, cookie: u64, settings: &T) -> Result<()> {
    Ok(map.update(&cookie.to_ne_bytes(), &encode(settings)?, MapFlags::ANY)?)
}

/// JSON, padded with zeros to the size of the map's value.
fn encode<T: Serialize>(settings: &T) -> Result<Vec<u8>> {
    let mut value = serde_json::to_vec(settings)?;
    if value.len() >= SIZE {
        bail!("too many interfaces or prefixes: their names must fit into {SIZE} bytes");
    }
    value.resize(SIZE, 0);
    Ok(value)
}

fn decode<T: DeserializeOwned>(value: &[u8]) -> Result<T> {
    let end = value.iter().position(|&byte| byte == 0);
    serde_json::from_slice(&value[..end.unwrap_or(value.len())])
        .context("the settings cannot be read: is another version of mecn-host up?")
}

impl Machine {
    /// Of this program.
    pub fn new(cgroup: PathBuf, registration: Registration) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            cgroup,
            registration,
        }
    }

    /// Read it from its map.
    ///
    /// # Errors
    /// It is not there, or not ours.
    pub fn load(map: &impl MapCore) -> Result<Self> {
        load(map, OTHERS)?.context("the settings are missing")
    }

    /// Write it into its map.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn store(&self, map: &impl MapCore) -> Result<()> {
        store(map, OTHERS, self)
    }
}

impl Settings {
    /// Settings for these arguments; not complete yet.
    pub fn new(
        arguments: &UpArguments,
        namespace: &Namespace,
        count_on_ingress: bool,
        attachment: Attachment,
    ) -> Self {
        Self {
            netns: namespace.name.clone(),
            inode: namespace.inode,
            interfaces: arguments.interfaces.clone(),
            peers: arguments.peers.clone(),
            betas: [arguments.beta1, arguments.beta2, arguments.beta3],
            count_on_ingress,
            attachment,
            indices: Vec::new(),
            clsact_made: Vec::new(),
            wants_default: arguments.default,
            default: None,
            complete: false,
        }
    }

    /// Those of one namespace, if it is up there.
    ///
    /// # Errors
    /// They are not ours.
    pub fn load(map: &impl MapCore, cookie: u64) -> Result<Option<Self>> {
        load(map, cookie)
    }

    /// Those of all namespaces in which it is up, by cookie.
    ///
    /// # Errors
    /// They are not ours.
    pub fn all(map: &impl MapCore) -> Result<Vec<(u64, Self)>> {
        let keys = map.keys().filter_map(|key| key.try_into().ok());
        let mut cookies: Vec<u64> = keys.map(u64::from_ne_bytes).collect();
        cookies.retain(|&cookie| cookie != OTHERS);
        cookies.sort_unstable();
        let mut found = Vec::with_capacity(cookies.len());
        for cookie in cookies {
            if let Some(settings) = Self::load(map, cookie)? {
                found.push((cookie, settings));
            }
        }
        Ok(found)
    }

    /// Write them into their map.
    ///
    /// # Errors
    /// They are too long: too many interfaces or prefixes.
    pub fn store(&self, map: &impl MapCore, cookie: u64) -> Result<()> {
        store(map, cookie, self)
    }
}

fn read(path: &str) -> Result<String> {
    Ok(fs::read_to_string(path)
        .with_context(|| path.to_owned())?
        .trim()
        .to_owned())
}

fn write(path: &str, value: &str) -> Result<()> {
    fs::write(path, value).with_context(|| format!("{path} = {value}"))
}

impl Default {
    /// The settings of this thread's network namespace as they are now.
    ///
    /// # Errors
    /// /proc cannot be read.
    pub fn current() -> Result<Self> {
        Ok(Self {
            congestion_control: read(CONGESTION_CONTROL)?,
            tcp_ecn: read(TCP_ECN)?,
        })
    }

    /// Make multi-level ECN the default of this thread's network namespace.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn replace() -> Result<()> {
        write(CONGESTION_CONTROL, NAME)?;
        write(TCP_ECN, "1")
    }

    /// Put back what was there, unless somebody has changed it since.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn restore(&self) -> Result<()> {
        if read(CONGESTION_CONTROL)? == NAME
            && let Err(error) = write(CONGESTION_CONTROL, &self.congestion_control)
        {
            eprintln!("mecn-host: {error:#}; taking {FALLBACK} instead");
            write(CONGESTION_CONTROL, FALLBACK)?;
        }
        if read(TCP_ECN)? == "1" {
            write(TCP_ECN, &self.tcp_ecn)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn prefixes()(bits: u128, length in 0u32..=128) -> Option<Prefix> {
            let network = bits & u128::MAX.checked_shl(128 - length).unwrap_or(0);
            format!("{}/{length}", std::net::Ipv6Addr::from_bits(network)).parse().ok()
        }
    }

    prop_compose! {
        fn all_settings()(
            netns in ".{0,20}",
            inode: u64,
            interfaces in prop::collection::vec(".{1,15}", 0..8),
            peers in prop::collection::vec(prefixes(), 0..8),
            betas in [1000u32..=1_000_000, 1000..=1_000_000, 1000..=1_000_000],
            count_on_ingress: bool,
            indices in prop::option::of(prop::collection::vec(any::<u32>(), 0..8)),
            default in prop::option::of((".{0,16}", "[0-9]{0,3}")),
            complete: bool,
        ) -> Settings {
            let default = default.map(|(congestion_control, tcp_ecn)| Default { congestion_control, tcp_ecn });
            Settings {
                netns,
                inode,
                interfaces,
                peers: peers.into_iter().flatten().collect(),
                betas,
                count_on_ingress,
                attachment: if indices.is_some() { Attachment::Clsact } else { Attachment::Tcx },
                clsact_made: indices.iter().flatten().skip(1).copied().collect(),
                indices: indices.unwrap_or_default(),
                wants_default: default.is_some(),
                default,
                complete,
            }
        }
    }

    proptest! {
        #[test]
        fn settings_come_back_as_they_went(settings in all_settings()) {
            let value = encode(&settings).unwrap();
            prop_assert_eq!(value.len(), SIZE);
            prop_assert_eq!(decode::<Settings>(&value).unwrap(), settings);
        }

        #[test]
        fn foreign_bytes_are_refused_not_fatal(value in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(decode::<Settings>(&value).is_err());
        }

        #[test]
        fn betas_are_refused_or_in_range(text in "\\PC{0,12}") {
            if let Ok(beta) = parse_beta(&text) {
                prop_assert!((1000..=1_000_000).contains(&beta));
            }
        }

        #[test]
        fn betas_keep_three_decimals(thousandths in 1000u32..=1_000_000) {
            let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
            prop_assert_eq!(parse_beta(&text), Ok(thousandths));
        }
    }

    #[test]
    fn settings_that_do_not_fit_are_refused() {
        let machine = Machine::new(PathBuf::from("x".repeat(SIZE)), Registration::Map);
        assert!(encode(&machine).is_err());
    }

    #[test]
    fn betas_are_thousandths() {
        assert_eq!(parse_beta("2.5"), Ok(2500));
        assert_eq!(parse_beta("5"), Ok(5000));
        for text in ["0", "0.5", "-2", "NaN", "inf", "1001", "two"] {
            assert!(parse_beta(text).is_err(), "{text}");
        }
    }
}
