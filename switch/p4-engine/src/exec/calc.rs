// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Hashes and checksums over fields (`calculations` in the JSON).

use super::Machine;
use super::bits::Writer;
use crate::instructions::at;
use crate::program::{CalcInput, Calculation, Crc, FieldRef, HashAlgo, Header, Ir};
use crate::value::limbs;
use rand_core::Rng;

impl Machine {
    /// Computes a calculation. `payload` is what follows the parsed headers, then `zeros` zero
    /// bytes. Fields and headers that are not valid are left out.
    pub(crate) fn calculate(&mut self, p: &Ir, calc: u32, payload: &[u8], zeros: u32) -> u64 {
        let c = &p.calcs[calc as usize];
        if c.algo == HashAlgo::Csum16 {
            return self.sum(p, c, payload).into();
        }
        let mut buf = std::mem::take(&mut self.buf);
        buf.clear();
        let mut out = Writer::new(&mut buf);
        for input in &c.inputs {
            match input {
                CalcInput::Field {
                    valid,
                    field,
                    length,
                } => {
                    if self.w[*valid as usize] == 1 {
                        let words = self.words(*field);
                        match length {
                            Some(l) => out.push_limbs_of(self.w[*l as usize] as u32, words),
                            None => out.push_limbs(field.width, words),
                        }
                    }
                }
                CalcInput::Const { limbs, width } => out.push_limbs(*width, limbs),
                CalcInput::Header { header } => {
                    let h = &p.headers[*header as usize];
                    if self.w[h.valid as usize] == 1 {
                        for (i, f) in h.fields.iter().enumerate() {
                            out.push_limbs_of(self.width_now(h, i), self.words(*f));
                        }
                    }
                }
            }
        }
        out.finish();
        if c.with_payload {
            buf.extend_from_slice(payload);
            buf.resize(buf.len() + zeros as usize, 0);
        }
        let out = match c.algo {
            HashAlgo::Random => self.rng.next_u64(),
            algo => hash(algo, &buf),
        };
        self.buf = buf;
        out
    }

    /// The present width of a header's field.
    fn width_now(&self, h: &Header, field: usize) -> u32 {
        match h.var {
            Some(v) if v.index == field => self.w[v.length as usize] as u32,
            _ => h.fields[field].width,
        }
    }

    /// The internet checksum of a calculation's input, without laying the input out: as
    /// 2^16 = 1 modulo 2^16 - 1, a field counts as its value times 2^(what follows it in its
    /// 16-bit word), however many words it spans. Zeros that follow the payload add nothing.
    fn sum(&self, p: &Ir, c: &Calculation, payload: &[u8]) -> u16 {
        if let Some(plan) = &c.plan
            && self.w[at(plan.valid)] == 1
        {
            return self.sum_words(&plan.words, c.with_payload.then_some(payload));
        }
        let mut sum = 0u128;
        let mut end = 0u32; // bits
        let mut add = |limbs: &[u64], width: u32| {
            end = end.wrapping_add(width);
            let after = end.wrapping_neg() & 15;
            // 2^64 = 1, too: all limbs count alike.
            limbs.iter().for_each(|&l| sum += u128::from(l) << after);
        };
        for input in &c.inputs {
            match input {
                CalcInput::Field {
                    valid,
                    field,
                    length,
                } => {
                    if self.w[*valid as usize] == 1 {
                        let width = length.map_or(field.width, |l| self.w[l as usize] as u32);
                        add(self.words(*field), width);
                    }
                }
                CalcInput::Const { limbs, width } => add(limbs, *width),
                CalcInput::Header { header } => {
                    let h = &p.headers[*header as usize];
                    if self.w[h.valid as usize] == 1 {
                        for (i, f) in h.fields.iter().enumerate() {
                            add(self.words(*f), self.width_now(h, i));
                        }
                    }
                }
            }
        }
        if c.with_payload {
            // The payload begins with a whole byte; it may be the second of a word.
            let shift = end.div_ceil(8) % 2 * 8;
            sum += u128::from(!csum16(payload)) << shift;
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    /// The internet checksum of words that are shifted to their places; of these, and of the words'
    /// bits above 48, there are so few that the sum does not overflow.
    fn sum_words(&self, plan: &[(u32, u32)], payload: Option<&[u8]>) -> u16 {
        let mut sum: u64 = plan
            .iter()
            .map(|&(word, shift)| self.w[at(word)] << shift)
            .sum();
        if let Some(payload) = payload {
            sum += u64::from(!csum16(payload));
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    fn words(&self, f: FieldRef) -> &[u64] {
        &self.w[f.word as usize..][..limbs(f.width) as usize]
    }
}

fn hash(algo: HashAlgo, data: &[u8]) -> u64 {
    match algo {
        HashAlgo::Csum16 => csum16(data).into(),
        HashAlgo::Crc16 => crc(data, 16, 0xa001, 0, 0),
        HashAlgo::Crc32 => crc(data, 32, 0xedb8_8320, 0xffff_ffff, 0xffff_ffff),
        HashAlgo::CrcCcitt => data.iter().fold(0xffff, |crc, &b| {
            (0..8).fold(crc ^ u64::from(b) << 8, |c, _| {
                (if c & 0x8000 == 0 {
                    c << 1
                } else {
                    c << 1 ^ 0x1021
                }) & 0xffff
            })
        }),
        HashAlgo::Crc(crc) => custom_crc(crc, data),
        HashAlgo::Xor8 => data.iter().fold(0, |x, &b| x ^ u64::from(b)),
        HashAlgo::Xor16 => data.chunks(2).fold(0, |x, c| x ^ be(c, 2)),
        HashAlgo::Xor32 => data.chunks(4).fold(0, |x, c| x ^ be(c, 4)),
        HashAlgo::Random => 0,
        HashAlgo::Identity => data.iter().take(8).fold(0, |v, &b| v << 8 | u64::from(b)),
    }
}

/// `n` bytes in network order, zeros where there are fewer.
fn be(chunk: &[u8], n: usize) -> u64 {
    (0..n).fold(0, |v, i| {
        v << 8 | u64::from(chunk.get(i).copied().unwrap_or(0))
    })
}

/// A CRC with reflected input and output; `poly` is the reflected polynomial.
fn crc(data: &[u8], width: u32, poly: u64, init: u64, xor_out: u64) -> u64 {
    let crc = data.iter().fold(init, |crc, &b| {
        (0..8).fold(crc ^ u64::from(b), |c, _| {
            if c & 1 == 0 { c >> 1 } else { c >> 1 ^ poly }
        })
    });
    (crc ^ xor_out) & crate::value::mask(width)
}

/// A CRC of any polynomial.
fn custom_crc(c: Crc, data: &[u8]) -> u64 {
    let turned = |v: u64, width: u32| v.reverse_bits() >> (64 - width);
    if c.reversed {
        let (poly, init) = (turned(c.coeff, c.width), turned(c.init, c.width));
        return crc(data, c.width, poly, init, c.xor);
    }
    let top = 1u64 << (c.width - 1);
    let bits = data
        .iter()
        .flat_map(|b| (0..8).rev().map(move |i| b >> i & 1));
    let crc = bits.fold(c.init, |crc, bit| {
        let out = u64::from(crc & top != 0) ^ u64::from(bit);
        (crc << 1) ^ (c.coeff * out)
    });
    (crc ^ c.xor) & crate::value::mask(c.width)
}

/// The internet checksum (RFC 1071): the complement of the ones' complement sum of 16-bit words.
pub(crate) fn csum16(data: &[u8]) -> u16 {
    let mut chunks = data.chunks_exact(4);
    let mut sum: u64 = chunks
        .by_ref()
        .map(|c| u64::from(u32::from_be_bytes([c[0], c[1], c[2], c[3]])))
        .sum();
    sum += be(chunks.remainder(), 4);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tests::{machine, program};
    use proptest::prelude::*;

    proptest! {
        /// Against RFC 1071 over the bytes that the fields make up.
        #[test]
        fn the_sum_of_fields_is_that_of_their_bytes(
            fields in prop::collection::vec((1u32..140, any::<[u64; 3]>()), 0..12),
            payload in prop::collection::vec(any::<u8>(), 0..40),
            with_payload in any::<bool>(),
        ) {
            let (p, _) = program(&[]);
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            let inputs = fields.iter().map(|(width, v)| {
                let limbs: Box<[u64]> = (0..limbs(*width))
                    .map(|i| v[i as usize] & crate::value::limb_mask(*width, i))
                    .collect();
                writer.push_limbs(*width, &limbs);
                CalcInput::Const { limbs, width: *width }
            });
            let calc = Calculation { algo: HashAlgo::Csum16, inputs: inputs.collect(), with_payload, plan: None };
            writer.finish();
            if with_payload {
                bytes.extend(&payload);
            }
            prop_assert_eq!(machine(&p).sum(&p, &calc, &payload), csum16(&bytes));
        }
    }

    proptest! {
        /// The short way to a checksum gives what the long one does.
        #[test]
        fn planned_sums_are_the_same(
            fields in prop::collection::vec((1u32..=48, any::<u64>()), 1..20),
            valid in any::<bool>(),
            payload in prop::option::of(prop::collection::vec(any::<u8>(), 0..40)),
        ) {
            let (p, _) = program(&[]);
            let mut m = machine(&p);
            m.w[100] = valid.into();
            let mut inputs = Vec::new();
            let mut input = |word: u32, width: u32| {
                let field = FieldRef { word, width, signed: false };
                inputs.push(CalcInput::Field { valid: 100, field, length: None });
            };
            let mut bits = 0;
            for (i, (width, v)) in fields.iter().enumerate() {
                m.w[101 + i] = v & crate::value::mask(*width);
                input(101 + i as u32, *width);
                bits += width;
            }
            // Filled up to whole words.
            if bits % 16 != 0 {
                input(99, 16 - bits % 16);
            }
            let long = Calculation {
                algo: HashAlgo::Csum16,
                inputs,
                with_payload: payload.is_some(),
                plan: None,
            };
            let short = long.clone().with_plan();
            let payload = payload.unwrap_or_default();
            prop_assert_eq!(m.sum(&p, &short, &payload), m.sum(&p, &long, &payload));
            let wide = fields.iter().any(|(w, _)| *w > 38);
            prop_assert!(short.plan.is_some() || wide);
        }
    }

    #[test]
    fn rfc_1071_example() {
        // RFC 1071, section 3: the sum of these words is ddf2.
        assert_eq!(
            csum16(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            !0xddf2
        );
        assert_eq!(csum16(&[]), 0xffff);
        assert_eq!(csum16(&[0x01]), !0x0100);
        assert_eq!(csum16(&[0x12, 0x34, 0x01]), !0x1334);
    }

    #[test]
    fn crc_check_values() {
        let data = b"123456789";
        assert_eq!(hash(HashAlgo::Crc16, data), 0xbb3d); // CRC-16/ARC
        assert_eq!(hash(HashAlgo::Crc32, data), 0xcbf4_3926); // CRC-32/ISO-HDLC
        assert_eq!(hash(HashAlgo::CrcCcitt, data), 0x29b1); // CRC-16/IBM-3740
        // The same by their parameters, and others of the catalogue of CRC algorithms.
        for (text, check) in [
            ("16:8005:1:0:0", 0xbb3d),
            ("32:4c11db7:1:ffffffff:ffffffff", 0xcbf4_3926),
            ("16:1021:0:ffff:0", 0x29b1),
            ("8:7:0:0:0", 0xf4),                                  // CRC-8/SMBUS
            ("16:1021:1:ffff:ffff", 0x906e),                      // CRC-16/IBM-SDLC
            ("32:1edc6f41:1:ffffffff:ffffffff", 0xe306_9283),     // CRC-32/ISCSI
            ("64:42f0e1eba9ea3693:0:0:0", 0x6c40_df5f_0b49_7347), // CRC-64/ECMA-182
        ] {
            let crc = Crc::parse(text).unwrap();
            assert_eq!(hash(HashAlgo::Crc(crc), data), check, "{text}");
        }
        for bad in [
            "0:1:0:0:0",
            "65:1:0:0:0",
            "8:1:0:0",
            "8:1:0:0:0:0",
            "8:x:0:0:0",
        ] {
            assert_eq!(Crc::parse(bad), None, "{bad}");
        }
        assert_eq!(hash(HashAlgo::Xor8, &[1, 2, 4]), 7);
        assert_eq!(hash(HashAlgo::Xor16, &[1, 2, 3]), 0x0202);
        assert_eq!(hash(HashAlgo::Xor32, &[1, 2, 3]), 0x0102_0300);
        assert_eq!(hash(HashAlgo::Identity, &[1, 2, 3]), 0x01_0203);
    }
}
