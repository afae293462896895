// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Undoing offloads: a frame from a packet socket becomes the frames that a wire would have carried.
//!
//! A host hands frames to a virtual interface with the work of the network card undone: the checksum
//! is only that of the pseudo header, the VLAN tag is beside the frame, and a segment may be up to
//! 64 KiB long. The kernel tells all that by `struct virtio_net_hdr` (virtio specification 1.2,
//! section 5.1.6) and by `struct tpacket_auxdata` (packet(7)). A P4 program must see the tag, the
//! right checksum, and packets of the size that the queue is to count.

/// Length of `struct virtio_net_hdr` in bytes.
pub const VNET_HEADER: usize = 10;

const NEEDS_CSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
const GSO_UDP_L4: u8 = 5;
const GSO_ECN: u8 = 0x80;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// `struct virtio_net_hdr`: what is left to do to a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VnetHeader {
    flags: u8,
    gso_type: u8,
    gso_size: u16,
    csum_start: u16,
    csum_offset: u16,
}

impl VnetHeader {
    /// Reads the header, which is in the machine's byte order.
    pub fn parse(bytes: &[u8; VNET_HEADER]) -> Self {
        let half = |i: usize| u16::from_ne_bytes([bytes[i], bytes[i + 1]]);
        Self {
            flags: bytes[0],
            gso_type: bytes[1] & !GSO_ECN,
            gso_size: half(4),
            csum_start: half(6),
            csum_offset: half(8),
        }
    }

    /// The checksum of the transport header has yet to be computed.
    pub fn needs_checksum(&self) -> bool {
        self.flags & NEEDS_CSUM != 0
    }

    /// The frame has yet to be cut into segments.
    pub fn is_super_packet(&self) -> bool {
        self.gso_type != GSO_NONE
    }
}

/// Why a frame could not be made whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffloadError {
    /// The checksum's place is outside the frame.
    Checksum,
    /// The frame is not of the kind that its segmentation type says, or the type is unknown.
    Segmentation,
}

/// Completes a frame and hands the resulting frames to `emit`: one, or one for each segment.
///
/// `vlan` is a tag that was beside the frame: protocol id and tag control information.
///
/// # Errors
/// If the header and the frame contradict each other; nothing is emitted then.
pub fn complete(
    header: VnetHeader,
    frame: &mut [u8],
    vlan: Option<(u16, u16)>,
    mut emit: impl FnMut(&[&[u8]]),
) -> Result<(), OffloadError> {
    let mut tagged = |parts: &[&[u8]]| match vlan {
        None => emit(parts),
        Some((tpid, tci)) => {
            let tag = (u32::from(tpid) << 16 | u32::from(tci)).to_be_bytes();
            let (first, rest) = parts
                .split_first()
                .map_or((&[][..], parts), |(f, r)| (*f, r));
            // The tag stands after the two addresses.
            let (addresses, after) = first.split_at(first.len().min(12));
            match rest {
                [] => emit(&[addresses, &tag, after]),
                [payload, ..] => emit(&[addresses, &tag, after, payload]),
            }
        }
    };
    if header.is_super_packet() {
        return segment(header, frame, &mut tagged);
    }
    if header.needs_checksum() {
        let start = usize::from(header.csum_start);
        let at = start + usize::from(header.csum_offset);
        if at + 2 > frame.len() {
            return Err(OffloadError::Checksum);
        }
        // The field holds the sum of the pseudo header; the sum over both is the packet's.
        let sum = fold(sum(0, &frame[start..]));
        put(frame, at, not_zero(!sum));
    }
    tagged(&[frame]);
    Ok(())
}

/// Where the headers of a frame to be segmented are.
struct Layout {
    ip: usize,
    v6: bool,
    transport: usize,
    /// Where the payload begins.
    payload: usize,
}

/// Cuts a frame of up to 64 KiB as a network card would: headers repeated, lengths, IPv4
/// identification, sequence numbers and checksums of each segment its own; CWR only on the first
/// (RFC 3168, section 6.1.2), PSH and FIN only on the last.
fn segment(
    header: VnetHeader,
    frame: &mut [u8],
    emit: &mut impl FnMut(&[&[u8]]),
) -> Result<(), OffloadError> {
    let protocol = match header.gso_type {
        GSO_TCPV4 | GSO_TCPV6 => TCP,
        GSO_UDP_L4 => UDP,
        _ => return Err(OffloadError::Segmentation),
    };
    let layout = layout(header, frame, protocol).ok_or(OffloadError::Segmentation)?;
    let size = usize::from(header.gso_size);
    if size == 0 {
        return Err(OffloadError::Segmentation);
    }
    let (head, payload) = frame.split_at_mut(layout.payload);
    let (ip, transport) = (layout.ip, layout.transport);
    let first_id = get(head, ip + 4);
    let first_sequence =
        u32::from(get(head, transport + 4)) << 16 | u32::from(get(head, transport + 6));
    let flags = head.get(transport + 13).copied().unwrap_or_default();
    let count = payload.len().div_ceil(size).max(1);
    for i in 0..count {
        let part = &payload[i * size..payload.len().min((i + 1) * size)];
        let ip_length = head.len() - ip + part.len();
        if layout.v6 {
            put(head, ip + 4, (ip_length - 40) as u16);
        } else {
            put(head, ip + 2, ip_length as u16);
            put(head, ip + 4, first_id.wrapping_add(i as u16));
            put(head, ip + 10, 0);
            let ip_header = usize::from(head[ip] & 0xf) * 4;
            let checksum = !fold(sum(0, &head[ip..ip + ip_header]));
            put(head, ip + 10, checksum);
        }
        let length = (head.len() - transport + part.len()) as u16;
        let checksum_at = if protocol == TCP {
            let sequence = first_sequence.wrapping_add((i * size) as u32);
            head[transport + 4..transport + 8].copy_from_slice(&sequence.to_be_bytes());
            let mut own = flags;
            if i > 0 {
                own &= !0x80; // CWR
            }
            if i + 1 < count {
                own &= !0x09; // PSH, FIN
            }
            head[transport + 13] = own;
            transport + 16
        } else {
            put(head, transport + 4, length);
            transport + 6
        };
        put(head, checksum_at, 0);
        let addresses = if layout.v6 {
            &head[ip + 8..ip + 40]
        } else {
            &head[ip + 12..ip + 20]
        };
        let pseudo = sum(u64::from(protocol) + u64::from(length), addresses);
        // Headers of TCP and UDP have an even length, so the payload may be summed apart.
        let total = fold(sum(sum(pseudo, &head[transport..]), part));
        put(head, checksum_at, not_zero(!total));
        emit(&[head, part]);
    }
    Ok(())
}

fn layout(header: VnetHeader, frame: &[u8], protocol: u8) -> Option<Layout> {
    let mut ip = 14;
    while ip + 2 <= frame.len() && matches!(get(frame, ip - 2), 0x8100 | 0x88a8) {
        ip += 4;
    }
    let v6 = match frame.get(ip)? >> 4 {
        4 => false,
        6 => true,
        _ => return None,
    };
    if header.gso_type == GSO_TCPV4 && v6 || header.gso_type == GSO_TCPV6 && !v6 {
        return None;
    }
    let least = if v6 { 40 } else { 20 };
    let transport = if header.needs_checksum() {
        usize::from(header.csum_start)
    } else if v6 {
        ip + 40
    } else {
        ip + usize::from(frame[ip] & 0xf) * 4
    };
    let named = if v6 {
        frame.get(ip + 6)
    } else {
        let ip_header = usize::from(frame[ip] & 0xf) * 4;
        if ip_header < 20 || ip + ip_header > transport {
            return None;
        }
        frame.get(ip + 9)
    };
    // With IPv6 extension headers the protocol is named further on; then the checksum's place tells.
    if named != Some(&protocol) && !(v6 && header.needs_checksum()) || transport < ip + least {
        return None;
    }
    let length = match protocol {
        TCP => usize::from(frame.get(transport + 12)? >> 4) * 4,
        _ => 8,
    };
    let payload = transport + length;
    let enough = if protocol == TCP { 20 } else { 8 };
    (length >= enough && payload <= frame.len()).then_some(Layout {
        ip,
        v6,
        transport,
        payload,
    })
}

/// Adds the 16-bit words of `bytes` (an odd last byte is the upper half of a word), RFC 1071.
fn sum(start: u64, bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(2);
    let total = words.by_ref().fold(start, |total, word| {
        total + u64::from(u16::from_be_bytes([word[0], word[1]]))
    });
    match words.remainder() {
        [last] => total + (u64::from(*last) << 8),
        _ => total,
    }
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

/// UDP says "no checksum" by 0, so 0 is written as its other form; TCP takes either.
fn not_zero(checksum: u16) -> u16 {
    if checksum == 0 { 0xffff } else { checksum }
}

fn get(bytes: &[u8], at: usize) -> u16 {
    match bytes.get(at..at + 2) {
        Some(&[high, low]) => u16::from_be_bytes([high, low]),
        _ => 0,
    }
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    if let Some(to) = bytes.get_mut(at..at + 2) {
        to.copy_from_slice(&value.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header(gso_type: u8, gso_size: u16, csum_start: u16, csum_offset: u16) -> VnetHeader {
        VnetHeader {
            flags: NEEDS_CSUM,
            gso_type,
            gso_size,
            csum_start,
            csum_offset,
        }
    }

    fn frames(h: VnetHeader, frame: &[u8], vlan: Option<(u16, u16)>) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        complete(h, &mut frame.to_vec(), vlan, |parts| {
            found.push(parts.concat())
        })
        .unwrap();
        found
    }

    /// Ethernet, IPv4 and TCP with the given flags and payload, the checksum that of the pseudo header.
    fn tcp4(flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut f = vec![2; 12];
        f.extend([0x08, 0x00, 0x45, 0x02]);
        f.extend(((40 + payload.len()) as u16).to_be_bytes());
        f.extend([0xff, 0xff, 0x40, 0, 64, TCP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        f.extend([
            0x12, 0x34, 0x00, 0x50, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 9, 0x50, flags, 1, 0,
        ]);
        let pseudo = fold(sum(
            u64::from(TCP) + 20 + payload.len() as u64,
            &[10, 0, 0, 1, 10, 0, 0, 2],
        ));
        f.extend(pseudo.to_be_bytes());
        f.extend([0, 0]);
        f.extend(payload);
        f
    }

    /// A right Internet checksum makes the sum over everything 0xffff.
    fn assert_tcp4_right(frame: &[u8], ip: usize) {
        assert_eq!(fold(sum(0, &frame[ip..ip + 20])), 0xffff, "IPv4");
        assert_eq!(usize::from(get(frame, ip + 2)), frame.len() - ip);
        let pseudo = sum(
            u64::from(TCP) + (frame.len() - ip - 20) as u64,
            &frame[ip + 12..ip + 20],
        );
        assert_eq!(fold(sum(pseudo, &frame[ip + 20..])), 0xffff, "TCP");
    }

    #[test]
    fn a_partial_checksum_is_completed() {
        for payload in [&b""[..], b"odd", b"even"] {
            let mut frame = tcp4(0x18, payload);
            let ip_checksum = !fold(sum(0, &frame[14..34]));
            put(&mut frame, 24, ip_checksum);
            let [whole] = &frames(header(GSO_NONE, 0, 34, 16), &frame, None)[..] else {
                panic!("one frame")
            };
            assert_tcp4_right(whole, 14);
        }
    }

    #[test]
    fn a_vlan_tag_is_put_back() {
        let frame = tcp4(0x10, b"payload");
        let found = frames(VnetHeader::default(), &frame, Some((0x88a8, 0x2064)));
        assert_eq!(found[0][12..18], [0x88, 0xa8, 0x20, 0x64, 0x08, 0x00]);
        assert_eq!(found[0].len(), frame.len() + 4);
        let cut = frames(header(GSO_TCPV4, 3, 34, 16), &frame, Some((0x8100, 5)));
        assert_eq!(cut.len(), 3);
        for frame in &cut {
            assert_eq!(frame[12..18], [0x81, 0, 0, 5, 0x08, 0x00]);
            assert_tcp4_right(frame, 18);
        }
    }

    #[test]
    fn segments_of_a_super_packet() {
        let payload: Vec<u8> = (0..=255).cycle().take(2500).collect();
        // CWR, ACK, PSH, FIN
        let cut = frames(
            header(GSO_TCPV4, 1000, 34, 16),
            &tcp4(0x80 | 0x19, &payload),
            None,
        );
        assert_eq!(
            cut.iter().map(Vec::len).collect::<Vec<_>>(),
            [1054, 1054, 554]
        );
        let flags: Vec<u8> = cut.iter().map(|f| f[47]).collect();
        assert_eq!(flags, [0x90, 0x10, 0x19]);
        let ids: Vec<u16> = cut.iter().map(|f| get(f, 18)).collect();
        assert_eq!(ids, [0xffff, 0, 1]);
        let sequences: Vec<u32> = cut
            .iter()
            .map(|f| u32::from(get(f, 38)) << 16 | u32::from(get(f, 40)))
            .collect();
        assert_eq!(sequences, [0xffff_fff0, 984, 1984]);
        for frame in &cut {
            assert_tcp4_right(frame, 14);
        }
        let joined: Vec<u8> = cut.iter().flat_map(|f| f[54..].to_vec()).collect();
        assert_eq!(joined, payload);
    }

    #[test]
    fn udp_over_ipv6_is_cut_into_datagrams() {
        let mut f = vec![2; 12];
        f.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, 18, UDP, 64]);
        f.extend([0xfd; 32]);
        f.extend([0, 7, 0, 8, 0, 18, 0, 0]);
        f.extend(b"0123456789");
        let cut = frames(header(GSO_UDP_L4, 4, 54, 6), &f, None);
        assert_eq!(cut.len(), 3);
        for (frame, payload) in cut.iter().zip([&b"0123"[..], b"4567", b"89"]) {
            assert_eq!(&frame[62..], payload);
            let length = (8 + payload.len()) as u16;
            assert_eq!((get(frame, 18), get(frame, 58)), (length, length));
            let pseudo = sum(u64::from(UDP) + u64::from(length), &frame[22..54]);
            assert_eq!(fold(sum(pseudo, &frame[54..])), 0xffff);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let mut frame = tcp4(0x10, b"x");
        let mut refused = |h| complete(h, &mut frame, None, |_| panic!("emitted"));
        assert_eq!(
            refused(header(GSO_NONE, 0, 60, 16)),
            Err(OffloadError::Checksum)
        );
        for h in [
            header(GSO_TCPV6, 100, 34, 16),
            header(GSO_UDP_L4, 100, 34, 6),
            header(GSO_TCPV4, 0, 34, 16),
            header(GSO_TCPV4, 100, 30, 16),
            header(GSO_TCPV4, 100, 50, 16),
            header(3, 100, 34, 16),
        ] {
            assert_eq!(refused(h), Err(OffloadError::Segmentation), "{h:?}");
        }
    }

    proptest! {
        #[test]
        fn no_header_and_frame_panics(
            raw in any::<[u8; VNET_HEADER]>(),
            small in prop::array::uniform4(0u16..80),
            kind in 0u8..6,
            plausible in any::<bool>(),
            mut frame in prop::collection::vec(any::<u8>(), 0..120),
            vlan in prop::option::of(any::<(u16, u16)>()),
        ) {
            let mut h = VnetHeader::parse(&raw);
            if plausible {
                h = header(kind, small[0], small[1], small[2]);
                for (at, v) in [(12, 0x08), (13, 0), (14, 0x45), (23, TCP), (46, 0x50)] {
                    if let Some(b) = frame.get_mut(at) {
                        *b = v;
                    }
                }
            }
            let mut emitted = 0;
            let done = complete(h, &mut frame, vlan, |_| emitted += 1);
            prop_assert_eq!(done.is_ok(), emitted > 0);
        }
    }
}
