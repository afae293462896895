// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What `up` was told and what it changed. Kept in a pinned map, so that it goes with the pins.

use crate::UpArguments;
use anyhow::{Context, Result, bail};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of the map's value; see `struct settings` in `mecn.bpf.c`.
const SIZE: usize = 4096;
const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const TCP_ECN: &str = "/proc/sys/net/ipv4/tcp_ecn";

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

/// The namespace's settings before `up --default`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Default {
    /// Inode of the network namespace.
    pub namespace: u64,
    /// `net.ipv4.tcp_congestion_control`
    pub congestion_control: String,
    /// `net.ipv4.tcp_ecn`
    pub tcp_ecn: String,
}

/// What is up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Interfaces with the echo.
    pub interfaces: Vec<String>,
    /// Prefixes of the peers.
    pub peers: Vec<String>,
    /// beta1, beta2, beta3 in thousandths.
    pub betas: [u32; 3],
    /// cgroup2 the reader is attached to.
    pub cgroup: PathBuf,
    /// Marked segments are counted on ingress.
    pub count_on_ingress: bool,
    /// What to restore, if it is the default of a namespace.
    pub default: Option<Default>,
}

impl Settings {
    /// Settings for these arguments.
    pub fn new(arguments: &UpArguments, cgroup: PathBuf, count_on_ingress: bool) -> Self {
        Self {
            interfaces: arguments.interfaces.clone(),
            peers: arguments.peers.iter().map(ToString::to_string).collect(),
            betas: [arguments.beta1, arguments.beta2, arguments.beta3],
            cgroup,
            count_on_ingress,
            default: None,
        }
    }

    /// Read them from their pin.
    ///
    /// # Errors
    /// Nothing is up, or the pin is not ours.
    pub fn load(pins: &Path) -> Result<Self> {
        let map = MapHandle::from_pinned_path(pins.join("settings"))
            .with_context(|| format!("nothing is up: no pins in {}", pins.display()))?;
        let value = map
            .lookup(&0u32.to_ne_bytes(), MapFlags::ANY)?
            .context("the settings are missing")?;
        let end = value
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(value.len());
        serde_json::from_slice(&value[..end]).context("the settings cannot be read")
    }

    /// Write them into their map.
    ///
    /// # Errors
    /// They are too long: too many interfaces or prefixes.
    pub fn store(&self, map: &impl MapCore) -> Result<()> {
        let mut value = serde_json::to_vec(self)?;
        if value.len() >= SIZE {
            bail!("too many interfaces or prefixes: their names must fit into {SIZE} bytes");
        }
        value.resize(SIZE, 0);
        Ok(map.update(&0u32.to_ne_bytes(), &value, MapFlags::ANY)?)
    }
}

fn namespace() -> Result<u64> {
    Ok(fs::metadata("/proc/thread-self/ns/net")?.ino())
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
    /// The settings of this namespace as they are now.
    ///
    /// # Errors
    /// /proc cannot be read.
    pub fn current() -> Result<Self> {
        Ok(Self {
            namespace: namespace()?,
            congestion_control: read(CONGESTION_CONTROL)?,
            tcp_ecn: read(TCP_ECN)?,
        })
    }

    /// Make multi-level ECN this namespace's default.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn replace(&self) -> Result<()> {
        write(CONGESTION_CONTROL, NAME)?;
        write(TCP_ECN, "1")
    }

    /// Put back what was there, unless somebody has changed it since.
    ///
    /// # Errors
    /// This is another namespace, or the kernel refuses.
    pub fn restore(&self) -> Result<()> {
        if namespace()? != self.namespace {
            bail!(
                "it is the default of another network namespace: call `down` there, or with --force"
            );
        }
        if read(CONGESTION_CONTROL)? == NAME {
            write(CONGESTION_CONTROL, &self.congestion_control)?;
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

    #[test]
    fn betas_are_thousandths() {
        assert_eq!(parse_beta("2.5"), Ok(2500));
        assert_eq!(parse_beta("5"), Ok(5000));
        for text in ["0", "0.5", "-2", "NaN", "inf", "1001", "two"] {
            assert!(parse_beta(text).is_err(), "{text}");
        }
    }
}
