// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Capture files of Ethernet frames: pcap and pcapng, read and written with nanosecond timestamps.
//!
//! Sources: draft-ietf-opsawg-pcap (the classic format) and draft-ietf-opsawg-pcapng.

mod read;
mod write;

pub use read::{ReadError, Reader};
pub use write::Writer;

/// The two formats of capture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The classic format; written with nanosecond timestamps (magic number 0xa1b23c4d).
    Pcap,
    /// Blocks with options; written with one section, one interface and nanosecond timestamps.
    PcapNg,
}

/// A frame and the time at which it was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    pub time_ns: u64,
    /// The frame's length on the wire in bytes; more than `bytes` if the capture cut it.
    pub original_len: u32,
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
}

/// LINKTYPE_ETHERNET.
const ETHERNET: u16 = 1;
/// The longest record that is read or written, in bytes; libpcap's MAXIMUM_SNAPLEN.
const MAX_RECORD: u32 = 262_144;

const MAGIC_MICROS: u32 = 0xa1b2_c3d4;
const MAGIC_NANOS: u32 = 0xa1b2_3c4d;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records() -> impl Strategy<Value = Vec<Record>> {
        let record = (
            0u64..1 << 62,
            prop::collection::vec(any::<u8>(), 0..200),
            0u32..9,
        )
            .prop_map(|(time_ns, bytes, cut)| Record {
                // The classic format counts seconds in 32 bits.
                time_ns: time_ns % (u64::from(u32::MAX) * 1_000_000_000),
                original_len: bytes.len() as u32 + cut,
                bytes,
            });
        prop::collection::vec(record, 0..20)
    }

    fn write(format: Format, records: &[Record]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), format).unwrap();
        for record in records {
            writer
                .write(record.time_ns, &record.bytes, record.original_len)
                .unwrap();
        }
        writer.into_inner()
    }

    fn read(bytes: &[u8]) -> Result<Vec<Record>, String> {
        let mut reader = Reader::new(bytes).map_err(|e| e.to_string())?;
        let mut found = Vec::new();
        while let Some(record) = reader.next_record().map_err(|e| e.to_string())? {
            found.push(record);
        }
        Ok(found)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(records in records()) {
            for format in [Format::Pcap, Format::PcapNg] {
                prop_assert_eq!(read(&write(format, &records)), Ok(records.clone()));
            }
        }

        #[test]
        fn arbitrary_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..300), ng in any::<bool>()) {
            let _ = read(&bytes);
            let mut tail = write(if ng { Format::PcapNg } else { Format::Pcap }, &[]);
            tail.extend(bytes);
            let _ = read(&tail);
        }

        #[test]
        fn a_cut_file_gives_its_whole_records(records in records(), cut in 1usize..40) {
            for format in [Format::Pcap, Format::PcapNg] {
                let bytes = write(format, &records);
                let mut reader = match Reader::new(&bytes[..bytes.len().saturating_sub(cut)]) {
                    Ok(reader) => reader,
                    Err(_) => continue,
                };
                for expected in &records {
                    match reader.next_record() {
                        Ok(Some(found)) => prop_assert_eq!(&found, expected),
                        Ok(None) | Err(_) => break,
                    }
                }
            }
        }
    }

    #[test]
    fn classic_files_of_either_byte_order_and_resolution() {
        for big in [false, true] {
            for (magic, unit) in [(MAGIC_MICROS, 1000), (MAGIC_NANOS, 1)] {
                let word = |v: u32| {
                    if big {
                        v.to_be_bytes()
                    } else {
                        v.to_le_bytes()
                    }
                };
                let half = |v: u16| {
                    if big {
                        v.to_be_bytes()
                    } else {
                        v.to_le_bytes()
                    }
                };
                let mut file = Vec::new();
                file.extend(word(magic));
                file.extend(half(2));
                file.extend(half(4));
                for v in [0, 0, 65535, 1] {
                    file.extend(word(v));
                }
                for v in [7, 9, 2, 60] {
                    file.extend(word(v));
                }
                file.extend([0xab, 0xcd]);
                assert_eq!(
                    read(&file),
                    Ok(vec![Record {
                        time_ns: 7_000_000_000 + 9 * unit,
                        original_len: 60,
                        bytes: vec![0xab, 0xcd]
                    }])
                );
            }
        }
    }

    #[test]
    fn big_endian_pcapng_with_microseconds_and_an_offset() {
        let block = |kind: u32, body: &[u8]| {
            let length = body.len() as u32 + 12;
            [
                &kind.to_be_bytes()[..],
                &length.to_be_bytes(),
                body,
                &length.to_be_bytes(),
            ]
            .concat()
        };
        let mut shb = Vec::new();
        shb.extend(BYTE_ORDER_MAGIC.to_be_bytes());
        shb.extend([0, 1, 0, 0]);
        shb.extend((-1i64).to_be_bytes());
        let mut idb = Vec::new();
        idb.extend([0, 1, 0, 0, 0, 0, 0, 0]);
        idb.extend([0, 14, 0, 8]);
        idb.extend(100i64.to_be_bytes());
        idb.extend([0, 0, 0, 0]);
        let mut epb = Vec::new();
        for word in [0u32, 0, 5, 3, 3] {
            epb.extend(word.to_be_bytes());
        }
        epb.extend([1, 2, 3, 0]);
        let unknown = block(0x0bad, &[1, 2, 3, 4]);
        let file = [
            block(SECTION_HEADER, &shb),
            block(INTERFACE_DESCRIPTION, &idb),
            unknown,
            block(ENHANCED_PACKET, &epb),
        ]
        .concat();
        assert_eq!(
            read(&file),
            Ok(vec![Record {
                time_ns: 100_000_005_000,
                original_len: 3,
                bytes: vec![1, 2, 3]
            }])
        );
    }

    #[test]
    fn a_frame_that_claims_to_be_longer_than_any_is_refused() {
        for format in [Format::Pcap, Format::PcapNg] {
            let claimed = |original_len| {
                let bytes = vec![1, 2, 3];
                let record = Record {
                    time_ns: 0,
                    original_len,
                    bytes,
                };
                read(&write(format, &[record]))
            };
            assert!(claimed(MAX_RECORD).is_ok());
            for length in [MAX_RECORD + 1, u32::MAX] {
                let error = claimed(length).unwrap_err();
                assert!(error.contains("is longer than 262144"), "{error}");
            }
        }
    }

    #[test]
    fn other_files_are_refused() {
        assert!(read(b"").unwrap_err().contains("neither pcap nor pcapng"));
        assert!(
            read(b"GIF89a..................")
                .unwrap_err()
                .contains("neither")
        );
        let mut wifi = write(Format::Pcap, &[]);
        wifi[20] = 105;
        assert!(
            read(&wifi)
                .unwrap_err()
                .contains("link type 105 is not Ethernet")
        );
        let huge = [write(Format::Pcap, &[]), vec![0xff; 16]].concat();
        assert!(read(&huge).unwrap_err().contains("longer than"));
    }
}
