// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! IP prefixes, as the kernel's longest-prefix maps want them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An IPv4 or IPv6 prefix without host bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

impl Prefix {
    /// Whether this is an IPv4 prefix.
    pub fn is_ipv4(&self) -> bool {
        self.address.is_ipv4()
    }

    /// Key of a `BPF_MAP_TYPE_LPM_TRIE` (`struct prefix4`, `struct prefix6` of `mecn.bpf.c`): the length in host
    /// order, the cookie of the network namespace as the kernel has it in memory, the address.
    pub fn key(&self, cookie: u64) -> Vec<u8> {
        let mut key = (u64::BITS + u32::from(self.length)).to_ne_bytes().to_vec();
        key.extend(cookie.to_ne_bytes());
        match self.address {
            IpAddr::V4(address) => key.extend(address.octets()),
            IpAddr::V6(address) => key.extend(address.octets()),
        }
        key
    }
}

impl TryFrom<String> for Prefix {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Prefix> for String {
    fn from(prefix: Prefix) -> Self {
        prefix.to_string()
    }
}

impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address
            .parse()
            .map_err(|_| format!("{address:?} is no IP address"))?;
        let (width, value) = match address {
            IpAddr::V4(address) => (32, u128::from(address.to_bits()) << 96),
            IpAddr::V6(address) => (128, address.to_bits()),
        };
        let length = match length {
            Some(length) => length.parse().ok().filter(|&length| length <= width),
            None => Some(width),
        };
        let length = length.ok_or_else(|| format!("the length must be 0 to {width}"))?;
        if value.checked_shl(u32::from(length)).unwrap_or(0) != 0 {
            return Err(format!("{text} has bits set beyond its length"));
        }
        Ok(Self { address, length })
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "0.0.0.0/0",
            "10.0.0.0/8",
            "192.0.2.1/32",
            "::/0",
            "2001:db8::/32",
            "2001:db8::1/128",
        ] {
            assert_eq!(text.parse::<Prefix>().unwrap().to_string(), text);
        }
        assert_eq!(
            "192.0.2.1".parse::<Prefix>().unwrap().to_string(),
            "192.0.2.1/32"
        );
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "10.0.0.1/8",
            "10.0.0.0/33",
            "::1/64",
            "::/129",
            "host/8",
            "10.0.0.0/-1",
            "/8",
        ] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_length_then_address() {
        let prefix: Prefix = "10.1.0.0/16".parse().unwrap();
        assert_eq!(
            prefix.key(7),
            [
                &80u32.to_ne_bytes()[..],
                &7u64.to_ne_bytes(),
                &[10, 1, 0, 0]
            ]
            .concat()
        );
    }
}
