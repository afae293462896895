// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Frames as hosts make and read them: Ethernet around IPv4 and TCP or UDP, and the tag that travels with a packet.

use std::net::{Ipv4Addr, SocketAddrV4};

use mecn_tcp::wire::{Checksum, Ecn, IPV4_HEADER_LEN, Ipv4Header, PROTOCOL_TCP};
use p4_engine::Packet;

use crate::network::{Interface, MacAddr};

/// Length of an Ethernet header.
pub(crate) const ETHERNET_LEN: usize = 14;

const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const PROTOCOL_UDP: u8 = 17;
/// Length of a UDP header (RFC 768).
const UDP_LEN: usize = 8;
/// IPv4 and UDP headers.
pub(crate) const DATAGRAM_HEADER_LEN: usize = IPV4_HEADER_LEN + UDP_LEN;

/// Writes a frame into a recycled packet: an Ethernet header before `headers`, those of IPv4 and TCP or UDP, and a payload of zeros.
pub(crate) fn fill(
    packet: &mut Packet,
    interface: &Interface,
    headers: &[u8],
    payload_len: u32,
    tag: Tag,
) {
    packet.bytes.clear();
    let mut ethernet = [0; ETHERNET_LEN];
    ethernet[..6].copy_from_slice(&interface.gateway_mac);
    ethernet[6..12].copy_from_slice(&interface.mac);
    ethernet[12..].copy_from_slice(&ETHERTYPE_IPV4);
    packet.bytes.extend_from_slice(&ethernet);
    packet.bytes.extend_from_slice(headers);
    packet.payload_len = payload_len;
    packet.tag = tag.pack();
}

/// Writes a UDP packet of `ip_len` bytes, its payload zeros; `ip_len` is at least [`DATAGRAM_HEADER_LEN`].
pub(crate) fn datagram(
    packet: &mut Packet,
    interface: &Interface,
    ends: [SocketAddrV4; 2],
    ip_len: u16,
    sent: u64,
) {
    let [src, dst] = ends;
    let (src_ip, dst_ip) = (src.ip().octets(), dst.ip().octets());
    let ip = Ipv4Header {
        dscp: 0,
        ecn: Ecn::NotEct,
        total_len: ip_len,
        ident: 0,
        dont_fragment: true,
        ttl: 64,
        protocol: PROTOCOL_UDP,
        src: src_ip,
        dst: dst_ip,
    };
    let len = ip_len.saturating_sub(IPV4_HEADER_LEN as u16);
    let mut udp = [0; UDP_LEN];
    udp[0..2].copy_from_slice(&src.port().to_be_bytes());
    udp[2..4].copy_from_slice(&dst.port().to_be_bytes());
    udp[4..6].copy_from_slice(&len.to_be_bytes());
    // RFC 768: a checksum of zero is sent as all ones
    let checksum = match datagram_sum(&udp, src_ip, dst_ip, len).finish() {
        0 => 0xffff,
        sum => sum,
    };
    udp[6..8].copy_from_slice(&checksum.to_be_bytes());
    let mut header = [0; IPV4_HEADER_LEN];
    ip.emit(&mut header);
    let mut headers = [0; DATAGRAM_HEADER_LEN];
    headers[..IPV4_HEADER_LEN].copy_from_slice(&header);
    headers[IPV4_HEADER_LEN..].copy_from_slice(&udp);
    let payload_len = usize::from(ip_len).saturating_sub(DATAGRAM_HEADER_LEN);
    fill(
        packet,
        interface,
        &headers,
        payload_len as u32,
        Tag::leaving(sent, false),
    );
}

/// The sum over a UDP header, its pseudo-header and a payload of zeros.
fn datagram_sum(udp: &[u8], src: [u8; 4], dst: [u8; 4], len: u16) -> Checksum {
    Checksum::new()
        .bytes(&src)
        .bytes(&dst)
        .word(u16::from(PROTOCOL_UDP))
        .word(len)
        .bytes(udp)
}

/// Whether a UDP packet's headers are right: lengths and checksums. `bytes` are its IPv4 and UDP headers.
pub(crate) fn datagram_is_whole(bytes: &[u8], payload_len: u32) -> bool {
    let Ok((ip, ip_len)) = Ipv4Header::parse(bytes) else {
        return false;
    };
    let Some(udp) = bytes.get(ip_len..ip_len + UDP_LEN) else {
        return false;
    };
    let len = u16::from_be_bytes([udp[4], udp[5]]);
    let actual = payload_len.saturating_add(UDP_LEN as u32);
    u32::from(len) == actual
        && u32::from(ip.total_len) == actual.saturating_add(ip_len as u32)
        && datagram_sum(udp, ip.src, ip.dst, len).sum() == 0xffff
}

/// What the network knows of a packet beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// When TCP handed it to its host's queue, nanoseconds, below 2^61.
    pub(crate) sent: u64,
    /// Whether it carries data of a stream that was not sent before.
    pub(crate) new_data: bool,
    /// ECN field with which it came into the switch that it is in.
    pub(crate) ecn: u8,
}

impl Tag {
    /// Of a packet that leaves its host.
    pub(crate) fn leaving(sent: u64, new_data: bool) -> Self {
        Self {
            sent,
            new_data,
            ecn: 0,
        }
    }

    pub(crate) fn pack(self) -> u64 {
        self.sent << 3 | u64::from(self.new_data) << 2 | u64::from(self.ecn & 3)
    }

    pub(crate) fn unpack(tag: u64) -> Self {
        Self {
            sent: tag >> 3,
            new_data: tag & 4 != 0,
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

/// What carries a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
}

/// What a host needs to know of a frame to find the connection that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addressed {
    pub(crate) protocol: Protocol,
    pub(crate) dst_port: u16,
    /// Length of the IPv4 and TCP or UDP headers.
    pub(crate) header_len: usize,
    /// Bytes after them.
    pub(crate) payload_len: u32,
}

/// Reads a frame's addresses; `None` if it is no TCP segment or UDP packet for this interface. Checksums are the receiver's
/// business.
pub(crate) fn addressed(packet: &Packet, interface: &Interface) -> Option<Addressed> {
    let bytes = packet.bytes.as_slice();
    let mac: &MacAddr = bytes.first_chunk()?;
    if *mac != interface.mac || bytes.get(12..14)? != ETHERTYPE_IPV4 {
        return None;
    }
    let ip = &bytes[ETHERNET_LEN..];
    let dst: [u8; 4] = *ip.get(16..20)?.first_chunk()?;
    if Ipv4Addr::from(dst) != interface.address {
        return None;
    }
    let ip_len = usize::from(ip[0] & 0x0F) * 4;
    let transport = ip.get(ip_len..)?;
    let dst_port = u16::from_be_bytes(*transport.get(2..4)?.first_chunk()?);
    let (protocol, len) = match ip[9] {
        PROTOCOL_TCP => (Protocol::Tcp, usize::from(transport.get(12)? >> 4) * 4),
        PROTOCOL_UDP => (Protocol::Udp, UDP_LEN),
        _ => return None,
    };
    let header_len = ip_len + len;
    let real_payload = ip.len().checked_sub(header_len)?;
    Some(Addressed {
        protocol,
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
        let mut headers = [0; 40];
        headers[0] = 0x45;
        headers[1] = 2;
        headers[9] = 6;
        headers[16..20].copy_from_slice(&[10, 0, 1, 1]);
        headers[22..24].copy_from_slice(&[4, 0]);
        headers[32] = 0x50;
        let mut packet = Packet::default();
        fill(
            &mut packet,
            &interface(),
            &headers,
            960,
            Tag::leaving(77, true),
        );
        packet.bytes[..6].copy_from_slice(&interface().mac);
        packet
    }

    #[test]
    fn finds_the_connection() {
        let mut packet = segment();
        let expected = Addressed {
            protocol: Protocol::Tcp,
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

    /// The checksum of a UDP packet made by hand: 10.0.1.2:1024 to 10.0.1.1:2048, 210 bytes of IP.
    #[test]
    fn datagrams_are_whole() {
        let src = SocketAddrV4::new(Ipv4Addr::new(10, 0, 1, 2), 1024);
        let dst = SocketAddrV4::new(Ipv4Addr::new(10, 0, 1, 1), 2048);
        let mut packet = Packet::default();
        datagram(&mut packet, &interface(), [src, dst], 210, 5);
        assert_eq!((packet.bytes.len(), packet.len()), (42, 224));
        packet.bytes[..6].copy_from_slice(&interface().mac);
        let to = addressed(&packet, &interface()).unwrap();
        assert_eq!(
            (to.protocol, to.dst_port, to.payload_len),
            (Protocol::Udp, 2048, 182)
        );
        // 0a00+0102+0a00+0101+0011+00be + 0400+0800+00be = 2390, of which the complement
        assert_eq!(packet.bytes[40..42], [!0x23, !0x90]);
        let headers = &mut packet.bytes[ETHERNET_LEN..];
        assert!(datagram_is_whole(headers, 182));
        assert!(!datagram_is_whole(headers, 181));
        for at in 0..headers.len() {
            headers[at] ^= 0x10;
            assert!(!datagram_is_whole(headers, 182), "byte {at}");
            headers[at] ^= 0x10;
            assert!(!datagram_is_whole(&headers[..at], 182));
        }
    }

    #[test]
    fn tag_packs() {
        for new_data in [false, true] {
            let tag = Tag {
                sent: (1 << 61) - 1,
                new_data,
                ecn: 3,
            };
            assert_eq!(Tag::unpack(tag.pack()), tag);
        }
    }
}
