// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Frames as hosts make and read them: Ethernet around IPv4 and TCP, and the tag that travels with a packet.

use std::net::Ipv4Addr;

use mecn_tcp::MAX_HEADER_LEN;
use p4_engine::Packet;

use crate::network::{Interface, MacAddr};

/// Length of an Ethernet header.
pub(crate) const ETHERNET_LEN: usize = 14;

const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const PROTOCOL_TCP: u8 = 6;

/// Makes room in a recycled packet for an Ethernet header and any IPv4 and TCP headers.
pub(crate) fn open(packet: &mut Packet, interface: &Interface) {
    packet.bytes.clear();
    packet.bytes.extend_from_slice(&interface.gateway_mac);
    packet.bytes.extend_from_slice(&interface.mac);
    packet.bytes.extend_from_slice(&ETHERTYPE_IPV4);
    packet.bytes.resize(ETHERNET_LEN + MAX_HEADER_LEN, 0);
}

/// The packet is done: `header_len` bytes of IPv4 and TCP header were written.
pub(crate) fn close(packet: &mut Packet, header_len: usize, payload_len: u32, sent: u64) {
    packet.bytes.truncate(ETHERNET_LEN + header_len);
    packet.payload_len = payload_len;
    packet.tag = Tag { sent, ecn: 0 }.pack();
}

/// What the network knows of a packet beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// When TCP handed it to its host's queue, nanoseconds, below 2^62.
    pub(crate) sent: u64,
    /// ECN field with which it came into the switch that it is in.
    pub(crate) ecn: u8,
}

impl Tag {
    pub(crate) fn pack(self) -> u64 {
        self.sent << 2 | u64::from(self.ecn & 3)
    }

    pub(crate) fn unpack(tag: u64) -> Self {
        Self {
            sent: tag >> 2,
            ecn: (tag & 3) as u8,
        }
    }
}

/// The ECN field, if the frame is IPv4.
pub(crate) fn ecn(bytes: &[u8]) -> Option<u8> {
    if bytes.get(12..14)? != ETHERTYPE_IPV4 {
        return None;
    }
    bytes.get(ETHERNET_LEN + 1).map(|tos| tos & 3)
}

/// What a host needs to know of a frame to find the connection that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addressed {
    pub(crate) dst_port: u16,
    /// Length of the IPv4 and TCP headers.
    pub(crate) header_len: usize,
    /// Bytes after them.
    pub(crate) payload_len: u32,
}

/// Reads a frame's addresses; `None` if it is no TCP segment for this interface. Checksums are TCP's business.
pub(crate) fn addressed(packet: &Packet, interface: &Interface) -> Option<Addressed> {
    let bytes = packet.bytes.as_slice();
    let mac: &MacAddr = bytes.first_chunk()?;
    if *mac != interface.mac || bytes.get(12..14)? != ETHERTYPE_IPV4 {
        return None;
    }
    let ip = &bytes[ETHERNET_LEN..];
    let dst: [u8; 4] = *ip.get(16..20)?.first_chunk()?;
    if Ipv4Addr::from(dst) != interface.address || ip[9] != PROTOCOL_TCP {
        return None;
    }
    let ip_len = usize::from(ip[0] & 0x0F) * 4;
    let tcp = ip.get(ip_len..)?;
    let dst_port = u16::from_be_bytes(*tcp.get(2..4)?.first_chunk()?);
    let header_len = ip_len + usize::from(tcp.get(12)? >> 4) * 4;
    let real_payload = ip.len().checked_sub(header_len)?;
    Some(Addressed {
        dst_port,
        header_len,
        payload_len: packet.payload_len + real_payload as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface() -> Interface {
        Interface {
            address: Ipv4Addr::new(10, 0, 1, 1),
            mac: [2, 0, 0, 0, 0, 1],
            gateway_mac: [2, 0, 0, 255, 0, 0],
        }
    }

    fn segment() -> Packet {
        let mut packet = Packet::default();
        open(&mut packet, &interface());
        packet.bytes[..6].copy_from_slice(&interface().mac);
        packet.bytes[14] = 0x45;
        packet.bytes[15] = 2;
        packet.bytes[23] = 6;
        packet.bytes[30..34].copy_from_slice(&[10, 0, 1, 1]);
        packet.bytes[36..38].copy_from_slice(&[4, 0]);
        packet.bytes[46] = 0x50;
        close(&mut packet, 40, 960, 77);
        packet
    }

    #[test]
    fn finds_the_connection() {
        let mut packet = segment();
        let expected = Addressed {
            dst_port: 1024,
            header_len: 40,
            payload_len: 960,
        };
        assert_eq!(addressed(&packet, &interface()), Some(expected));
        // A switch may have made some of the payload real.
        packet.bytes.extend([0; 10]);
        packet.payload_len -= 10;
        assert_eq!(addressed(&packet, &interface()), Some(expected));
        packet.bytes[5] = 9;
        assert_eq!(addressed(&packet, &interface()), None);
    }

    #[test]
    fn reads_no_further_than_the_frame() {
        let packet = segment();
        for len in 0..packet.bytes.len() {
            let mut cut = packet.clone();
            cut.bytes.truncate(len);
            assert_eq!(addressed(&cut, &interface()), None);
            assert!(len > 15 || ecn(&cut.bytes).is_none());
        }
        assert_eq!(ecn(&packet.bytes), Some(2));
    }

    #[test]
    fn tag_packs() {
        let tag = Tag {
            sent: (1 << 62) - 1,
            ecn: 3,
        };
        assert_eq!(Tag::unpack(tag.pack()), tag);
    }
}
