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
        let digits = |length: &&str| length.bytes().all(|byte| byte.is_ascii_digit());
        let length = match length {
            Some(length) => Some(length)
                .filter(digits)
                .and_then(|length| length.parse().ok())
                .filter(|&length| length <= width),
            None => Some(width),
        };
        let length = length.ok_or_else(|| format!("the length must be 0 to {width}"))?;
        // The programs look for such a peer among the IPv4 prefixes, where this one would never be found.
        if let IpAddr::V6(v6) = address
            && let (Some(v4), 96..) = (v6.to_ipv4_mapped(), length)
        {
            return Err(format!("write IPv4 as such: {v4}/{}", length - 96));
        }
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
    use proptest::prelude::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

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
            "10.0.0.0/+8",
            "10.0.0.0/",
            "10.0.0.0/8/8",
            "fe80::1%eth0",
            "::ffff:10.0.0.0/104",
        ] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
    }

    /// The first `length` bits of 128, the others zero.
    fn leading(bits: u128, length: u32) -> u128 {
        bits & u128::MAX.checked_shl(128 - length).unwrap_or(0)
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*") {
            let _ = text.parse::<Prefix>();
        }

        #[test]
        fn never_panics_on_what_looks_like_one(text in "[0-9a-f:.]{0,40}/?[-+0-9]{0,4}") {
            if let Ok(prefix) = text.parse::<Prefix>() {
                prop_assert_eq!(prefix.to_string().parse(), Ok(prefix));
            }
        }

        #[test]
        fn every_ipv4_prefix_is_read(bits: u32, length in 0u32..=32) {
            let network = (leading(u128::from(bits) << 96, length) >> 96) as u32;
            let text = format!("{}/{length}", Ipv4Addr::from_bits(network));
            let prefix: Prefix = text.parse().unwrap();
            prop_assert_eq!(prefix.to_string(), text);
            let key = prefix.key(1);
            prop_assert_eq!(&key[..4], (64 + length).to_ne_bytes());
            prop_assert_eq!(&key[12..], network.to_be_bytes());
        }

        #[test]
        fn every_ipv6_prefix_is_read(bits: u128, length in 0u32..=128) {
            let network = Ipv6Addr::from_bits(leading(bits, length));
            prop_assume!(network.to_ipv4_mapped().is_none());
            let prefix: Prefix = format!("{network}/{length}").parse().unwrap();
            let key = prefix.key(1);
            prop_assert_eq!(&key[..4], (64 + length).to_ne_bytes());
            prop_assert_eq!(&key[12..], network.octets());
        }

        #[test]
        fn host_bits_are_refused(bits: u128, length in 0u32..=127) {
            let host = bits & (u128::MAX >> length);
            prop_assume!(host != 0);
            let text = format!("{}/{length}", Ipv6Addr::from_bits(bits));
            prop_assert!(text.parse::<Prefix>().is_err(), "{}", text);
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
