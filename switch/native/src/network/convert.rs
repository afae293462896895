// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Python's values to the network's: seconds, addresses, whole numbers.

use std::net::Ipv4Addr;

use pyo3::prelude::*;

use super::NetworkError;

/// Seconds to the nearest nanosecond.
pub fn nanoseconds(name: &str, seconds: f64) -> PyResult<u64> {
    let max = netsim::MAX_TIME_NS as f64 / 1e9;
    if (0.0..=max).contains(&seconds) {
        Ok((seconds * 1e9).round() as u64)
    } else {
        Err(NetworkError::new_err(format!(
            "{name} must be 0 to {max:e} seconds, not {seconds}"
        )))
    }
}

/// A whole number in the range of its type.
pub fn whole<T: TryFrom<i64>>(name: &str, value: i64, range: &str) -> PyResult<T> {
    T::try_from(value)
        .map_err(|_| NetworkError::new_err(format!("{name} must be {range}, not {value}")))
}

/// An IPv4 address in dotted form.
pub fn parse_address(text: &str) -> PyResult<Ipv4Addr> {
    text.parse()
        .map_err(|_| NetworkError::new_err(format!("address {text:?} is not an IPv4 address")))
}

/// A MAC address, as `02:00:00:00:00:01`.
pub fn parse_mac(name: &str, text: &str) -> PyResult<[u8; 6]> {
    let mut mac = [0; 6];
    let mut parts = text.split(':');
    let complete = mac.iter_mut().all(|octet| {
        let part = parts
            .next()
            .filter(|part| part.len() == 2 && !part.starts_with('+'));
        match part.map(|part| u8::from_str_radix(part, 16)) {
            Some(Ok(value)) => {
                *octet = value;
                true
            }
            _ => false,
        }
    });
    if complete && parts.next().is_none() {
        Ok(mac)
    } else {
        Err(NetworkError::new_err(format!(
            "{name} {text:?} is not a MAC address like 02:00:00:00:00:01"
        )))
    }
}

/// A MAC address, as `02:00:00:00:00:01`.
pub fn format_mac(mac: [u8; 6]) -> String {
    mac.map(|octet| format!("{octet:02x}")).join(":")
}
