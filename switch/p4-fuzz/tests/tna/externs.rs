// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Each extern of TNA that the switch has.

use p4_engine::{
    EntryAction, FilterConfig, GroupMember, MatchField, MeterConfig, TableEntry, Value,
};

use crate::lab::{Lab, Parts, data_of, exact, frame};

/// A program whose ingress has these declarations and statements.
fn ingress<'a>(ingress: &'a str, ingress_apply: &'a str) -> Parts<'a> {
    Parts {
        ingress,
        ingress_apply,
        ..Parts::default()
    }
}

/// The internet checksum (RFC 1071), computed plainly.
fn checksum(data: &[u8]) -> u32 {
    let words = data
        .chunks(2)
        .map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) & 0xffff
}

#[test]
fn a_register_action_reads_and_writes_in_one_access() {
    ingress(
        "Register<bit<32>, bit<16>>(4, 10) r;
         RegisterAction<bit<32>, bit<16>, bit<32>>(r) bump = {
             void apply(inout bit<32> v, out bit<32> old) { old = v; if (v < 12) { v = v + 1; } else { v = 0; } }
         };",
        "hdr.data.a = bump.execute(hdr.data.c);",
    )
    .run(|mut lab| {
        let mut at = |c| lab.data(0, &frame([0, 0, c, 0], 0))[0];
        assert_eq!([at(1), at(1), at(2), at(1), at(1), at(1)], [10, 11, 10, 12, 0, 1]);
        // Beyond the end nothing is kept.
        assert_eq!([at(4), at(4)], [0, 0]);
        assert_eq!(lab.register("Ingress.r", 1), 2);
        assert_eq!(lab.register("Ingress.r", 3), 10);
    });
}

#[test]
fn a_register_of_pairs_is_two_arrays() {
    let parts = Parts {
        types: "struct pair_t { bit<16> low; bool high; }",
        ..ingress(
            "Register<pair_t, bit<16>>(8, { 3, true }) r;
             RegisterAction<pair_t, bit<16>, bit<16>>(r) step = {
                 void apply(inout pair_t v, out bit<16> rv) {
                     rv = v.low;
                     if (v.high) { v.low = v.low + hdr.data.d; }
                     v.high = hdr.data.b == 1;
                 }
             };
             action run() { hdr.data.c = step.execute(5); }",
            "run();",
        )
    };
    parts.run(|mut lab| {
        let mut run = |b, d| lab.data(0, &frame([0, b, 0, d], 0))[2];
        assert_eq!(
            [run(1, 10), run(0, 10), run(1, 10), run(0, 0)],
            [3, 13, 23, 23]
        );
        assert_eq!(lab.register("Ingress.r.low", 5), 23);
        assert_eq!(lab.register("Ingress.r.high", 5), 0);
        assert_eq!(lab.register("Ingress.r.high", 4), 1);
    });
}

/// Each entry has a cell, which begins afresh with the entry; a miss has one, too.
#[test]
fn direct_registers_belong_to_entries() {
    ingress(
        "DirectRegister<bit<32>>(5) r;
         DirectRegisterAction<bit<32>, bit<32>>(r) bump = {
             void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; }
         };
         action hit() { hdr.data.a = bump.execute(); }
         action miss() { hdr.data.a = bump.execute() + 100; }
         table t { key = { hdr.data.d: exact; } actions = { hit; miss; } default_action = miss; registers = r; size = 8; }",
        "t.apply();",
    )
    .run(|mut lab| {
        let insert = |lab: &mut Lab, d| lab.entry("Ingress.t", &[exact(d)], 0, "Ingress.hit", &[]);
        insert(&mut lab, 1);
        insert(&mut lab, 2);
        let run = |lab: &mut Lab, d| lab.data(0, &frame([0, 0, 0, d], 0))[0];
        let seen = [1, 1, 2, 3, 1, 3].map(|d| run(&mut lab, d));
        assert_eq!(seen, [6, 7, 6, 106, 8, 107]);
        let table = lab.switch.program().table("Ingress.t").unwrap();
        let cell = lab.switch.entry_cell(table, &[exact(1)], 0).unwrap();
        assert_eq!(lab.register("Ingress.r", cell), 8);
        lab.switch.table_delete(table, &[exact(1)], 0).unwrap();
        insert(&mut lab, 9);
        assert_eq!(run(&mut lab, 9), 6);
        assert!(lab.switch.entry_cell(table, &[exact(1)], 0).is_err());
    });
}

/// Saturating operators stop at the ends of their types.
#[test]
fn sums_saturate() {
    ingress(
        "",
        "hdr.data.c = hdr.data.c |+| hdr.data.d; hdr.data.a = hdr.data.a |-| hdr.data.b;",
    )
    .run(|mut lab| {
        assert_eq!(
            lab.data(0, &frame([5, 7, 0xfff0, 0x20], 0)),
            [0, 7, 0xffff, 0x20]
        );
        assert_eq!(lab.data(0, &frame([7, 5, 1, 2], 0)), [2, 5, 3, 2]);
    });
}

/// Counters count the frame check sequence, as those of the hardware do.
#[test]
fn counters_count() {
    ingress(
        "Counter<bit<64>, bit<16>>(16, CounterType_t.PACKETS_AND_BYTES) c;
         DirectCounter<bit<32>>(CounterType_t.PACKETS) dc;
         action hit() { dc.count(); }
         table t { key = { hdr.data.d: exact; } actions = { hit; } counters = dc; size = 8; }",
        "c.count(hdr.data.c); t.apply();",
    )
    .run(|mut lab| {
        lab.entry("Ingress.t", &[exact(9)], 0, "Ingress.hit", &[]);
        lab.send(0, &frame([0, 0, 3, 9], 74));
        lab.send(0, &frame([0, 0, 3, 8], 0));
        let counter = lab.switch.program().counter("Ingress.c").unwrap();
        let seen = lab.switch.counter_read(counter, 3).unwrap();
        assert_eq!((seen.packets, seen.bytes), (2, 104 + 30));
        let table = lab.switch.program().table("Ingress.t").unwrap();
        let seen = lab.switch.table_entry(table, &[exact(9)], 0).unwrap().1;
        assert_eq!(seen.packets, 1);
    });
}

/// Two packets of burst in each bucket: the third is yellow, the fifth red. TNA numbers them 0, 1, 3.
#[test]
fn meters_color() {
    let config = MeterConfig {
        cir: 1,
        cburst: 2,
        pir: 1,
        pburst: 4,
    };
    ingress(
        "Meter<bit<16>>(4, MeterType_t.PACKETS) m;",
        "hdr.data.a = (bit<32>)m.execute(hdr.data.c);",
    )
    .run(|mut lab| {
        let meter = lab.switch.program().meter("Ingress.m").unwrap();
        lab.switch.meter_write(meter, 2, Some(config)).unwrap();
        let colors: Vec<u32> = (0..6)
            .map(|_| lab.data(0, &frame([9, 0, 2, 0], 0))[0])
            .collect();
        assert_eq!(colors, [0, 0, 1, 1, 3, 3]);
        assert_eq!(lab.data(0, &frame([9, 0, 1, 0], 0))[0], 0);
    });
    ingress(
        "DirectMeter(MeterType_t.PACKETS, 7, 6, 5) m;
         action color() { hdr.data.a = (bit<32>)m.execute(); }
         table t { key = { hdr.data.d: exact; } actions = { color; } meters = m; size = 8; }",
        "t.apply();",
    )
    .run(|mut lab| {
        lab.entry("Ingress.t", &[exact(1)], 0, "Ingress.color", &[]);
        let table = lab.switch.program().table("Ingress.t").unwrap();
        lab.switch
            .table_meter_write(table, &[exact(1)], 0, Some(config))
            .unwrap();
        let colors: Vec<u32> = (0..5)
            .map(|_| lab.data(0, &frame([9, 0, 0, 1], 0))[0])
            .collect();
        assert_eq!(colors, [5, 5, 6, 6, 7]);
    });
}

/// All values of 4 bits come, each of 1600 draws binomial(1600, 1/16): mean 100, sigma 9.7; six sigma.
#[test]
fn random_numbers_fill_their_type() {
    ingress(
        "Random<bit<4>>() r; Random<bit<16>>() s;",
        "hdr.data.c = (bit<16>)r.get(); hdr.data.d = s.get();",
    )
    .run(|mut lab| {
        let mut seen = [0u32; 16];
        let mut high = 0;
        for _ in 0..1600 {
            let [.., c, d] = lab.data(0, &frame([0; 4], 0));
            seen[c as usize] += 1;
            high += u32::from(d >= 0x8000);
        }
        assert!(seen.iter().all(|n| (42..=158).contains(n)), "{seen:?}");
        assert!((680..=920).contains(&high), "{high}");
    });
}

/// "123456789" is what the catalogue of CRCs is checked with.
#[test]
fn hashes_are_those_of_their_polynomials() {
    let digits = u64::from_be_bytes(*b"12345678");
    let data = [(digits >> 32) as u32, digits as u32, 0x3900, 0];
    let crc = |name: &str, width: u32, field: &str| {
        let hash = format!("Hash<bit<{width}>>({name}) h;");
        let apply = format!("{field} = h.get({{ hdr.data.a, hdr.data.b, hdr.data.c[15:8] }});");
        (hash, apply)
    };
    for (name, width, field, expected) in [
        ("HashAlgorithm_t.CRC16", 16, "hdr.data.d", 0xbb3d),
        ("HashAlgorithm_t.CRC32", 32, "hdr.data.a", 0xcbf4_3926),
        ("HashAlgorithm_t.CRC32", 16, "hdr.data.d", 0x3926),
        ("HashAlgorithm_t.CRC8", 8, "md.z", 0xf4),
        ("HashAlgorithm_t.IDENTITY", 16, "hdr.data.d", 0x3839),
        ("HashAlgorithm_t.XOR8", 8, "md.z", 0x31),
        ("HashAlgorithm_t.CUSTOM, poly", 16, "hdr.data.d", 0x906e),
    ] {
        let (hash, apply) = crc(name, width, field);
        let poly = "CRCPolynomial<bit<16>>(0x1021, true, false, false, 0xffff, 0xffff) poly;";
        let apply = format!("{apply} if (hdr.data.d == 0) {{ hdr.data.d = (bit<16>)md.z; }}");
        ingress(&format!("{poly} {hash}"), &apply).run(|mut lab| {
            let out = lab.data(0, &frame(data, 0));
            let got = if field == "hdr.data.a" {
                out[0]
            } else {
                out[3]
            };
            assert_eq!(got, expected, "{name}");
        });
    }
}

#[test]
fn checksums_are_verified_and_made() {
    Parts {
        ingress_parser: "Checksum() check; state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); transition data; }",
        after_data: "check.add({ hdr.data.a, hdr.data.b }); transition second; } state second { check.add({ hdr.data.c, hdr.data.d }); md.flag = check.verify(); transition accept;",
        ingress_apply: "if (md.flag) { hdr.eth.type = 1; } hdr.data.a = hdr.data.a + 1;",
        ingress_deparser: "Checksum() c; apply { hdr.data.d = c.update({ hdr.data.a, hdr.data.b, hdr.data.c }); pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let mut data = [0x1234_5678, 0xffff_0001, 0x77, 0];
        data[3] = checksum(&frame(data, 0)[14..24]);
        let (_, good) = lab.one(0, &frame(data, 0));
        assert_eq!(good[12..14], [0x12, 0x34]);
        assert_eq!(data_of(&good)[3], checksum(&good[14..24]));
        data[3] ^= 0x100;
        assert_eq!(lab.one(0, &frame(data, 0)).1[12..14], [0, 1]);
    });
}

/// RFC 1624: a new checksum from the old one, with what has changed.
#[test]
fn a_checksum_is_updated_from_what_is_left() {
    Parts {
        ingress_parser: "Checksum() rest; state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); transition data; }",
        after_data: "rest.subtract({ hdr.data.d }); rest.subtract({ hdr.data.a }); md.y = rest.get(); transition accept;",
        ingress_apply: "hdr.data.a = 0xdeadbeef;",
        ingress_deparser: "Checksum() c; apply { hdr.data.d = c.update({ hdr.data.a, md.y }, true); pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let mut data = [0x1234_5678, 0xffff_0001, 0x77, 0];
        data[3] = checksum(&frame(data, 0)[14..24]);
        let (_, out) = lab.one(0, &frame(data, 0));
        assert_eq!(data_of(&out)[3], checksum(&out[14..24]));
    });
}

#[test]
fn digests_go_to_the_control_plane() {
    Parts {
        types: "struct learn_t { bit<48> src; PortId_t port; bit<32> x; }",
        ingress_apply: "ig_dprsr_md.digest_type = hdr.data.c[2:0]; md.x = (bit<32>)ig_intr_md.ingress_port;",
        ingress_deparser: "Digest<learn_t>() d; apply { if (ig_dprsr_md.digest_type == 1) { d.pack({ hdr.eth.src, 7, md.x }); } pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        lab.send(5, &frame([0, 0, 1, 0], 0));
        lab.send(5, &frame([0, 0, 2, 0], 0));
        let digests = lab.switch.take_digests();
        assert_eq!(digests.len(), 1);
        let values: Vec<Value> = [0x0200_0000_0002u64, 7, 5].map(Value::from).to_vec();
        assert_eq!(digests[0].values, values);
        assert_eq!(lab.switch.program().digests()[0].name, "IngressDeparser.d");
    });
}

#[test]
fn action_profiles_and_selectors_choose() {
    ingress(
        "ActionProfile(8) ap; Hash<bit<16>>(HashAlgorithm_t.CRC16) h;
         ActionSelector(ap, h, SelectorMode_t.FAIR, 4, 2) sel;
         action forward(PortId_t p) { ig_tm_md.ucast_egress_port = p; }
         table t { key = { hdr.data.d: exact; hdr.data.a: selector; } actions = { forward; } implementation = sel; size = 8; }",
        "t.apply();",
    )
    .run(|mut lab| {
        let profile = lab.switch.program().action_profile("Ingress.ap").unwrap();
        let action = lab.switch.program().profile_action(profile, "Ingress.forward").unwrap();
        for (member, port) in [(1, 11u64), (2, 12), (3, 13)] {
            let call = p4_engine::ActionCall {
                action,
                params: vec![Value::from(port)],
            };
            lab.switch.member_insert(profile, member, call).unwrap();
        }
        let members = [1, 2].map(|member| GroupMember { member, weight: 1 });
        lab.switch.group_insert(profile, 1, members.to_vec()).unwrap();
        let table = lab.switch.program().table("Ingress.t").unwrap();
        for (key, action) in [(1, EntryAction::Member(3)), (2, EntryAction::Group(1))] {
            let entry = TableEntry {
                key: vec![exact(key)],
                priority: 0,
                action,
            };
            lab.switch.table_insert(table, entry).unwrap();
        }
        let mut port = |a, d| lab.one(0, &frame([a, 0, 0, d], 0)).0;
        assert_eq!(port(0, 1), 13);
        let chosen: Vec<u16> = (0..64).map(|a| port(a, 2)).collect();
        assert!(chosen.iter().all(|p| [11, 12].contains(p)));
        // One flow stays with its member, and 64 flows do not all go to one.
        assert_eq!(chosen, (0..64).map(|a| port(a, 2)).collect::<Vec<_>>());
        assert!(chosen.contains(&11) && chosen.contains(&12));
    });
}

#[test]
fn value_sets_lead_the_parser() {
    Parts {
        ingress_parser: "value_set<bit<16>>(4) known; state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); transition data; }",
        after_data: "transition select(hdr.data.c) { known: found; default: accept; } } state found { md.flag = true; transition accept;",
        ingress_apply: "if (md.flag) { hdr.data.a = 1; }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let set = lab.switch.program().value_set("IngressParser.known").unwrap();
        lab.switch.value_set_write(set, vec![vec![MatchField::Exact(77u64.into())]]).unwrap();
        assert_eq!(lab.data(0, &frame([0, 0, 77, 0], 0))[0], 1);
        assert_eq!(lab.data(0, &frame([0, 0, 78, 0], 0))[0], 0);
    });
}

/// After one time constant, 1 - 1/e of a step.
#[test]
fn low_pass_filters_average_by_time() {
    ingress(
        "Lpf<bit<32>, bit<16>>(4) f;",
        "hdr.data.a = f.execute(hdr.data.a, hdr.data.c);",
    )
    .run(|mut lab| {
        let filter = lab.switch.program().filter("Ingress.f").unwrap();
        let config = FilterConfig::Sample {
            gain_ns: 1e6,
            decay_ns: 1e6,
            scale_down: 0,
        };
        lab.switch.filter_write(filter, 1, Some(config)).unwrap();
        lab.now = 1_000_000;
        assert_eq!(lab.data(0, &frame([1000, 0, 1, 0], 0))[0], 632);
        assert_eq!(lab.data(0, &frame([1000, 0, 2, 0], 0))[0], 1000);
        lab.now = 2_000_000;
        assert_eq!(lab.data(0, &frame([1000, 0, 1, 0], 0))[0], 864);
        assert_eq!(lab.switch.filter_read(filter, 1).unwrap(), Some(config));
        assert!(lab.switch.filter_write(filter, 4, None).is_err());
    });
}

#[test]
fn early_detection_gives_its_verdicts() {
    ingress(
        "Wred<bit<19>, bit<16>>(4, 1, 2) w;",
        "hdr.data.d = (bit<16>)w.execute(hdr.data.a[18:0], hdr.data.c);",
    )
    .run(|mut lab| {
        let filter = lab.switch.program().filter("Ingress.w").unwrap();
        let config = FilterConfig::Wred {
            time_ns: 0.0,
            min: 10.0,
            max: 20.0,
            max_probability: 0.5,
        };
        lab.switch.filter_write(filter, 1, Some(config)).unwrap();
        let mut verdict = |a, c| lab.data(0, &frame([a, 0, c, 0], 0))[3];
        assert_eq!([verdict(10, 1), verdict(20, 1), verdict(20, 2)], [2, 1, 2]);
        // Binomial(1000, 1/4) at the middle of the ramp: sigma 13.7; six sigma.
        let drops = (0..1000).filter(|_| verdict(15, 1) == 1).count();
        assert!((168..=332).contains(&drops), "{drops}");
    });
}

#[test]
fn entries_time_out() {
    ingress(
        "action hit() { hdr.data.a = 1; }
         table t { key = { hdr.data.d: exact; } actions = { hit; } idle_timeout = true; size = 8; }",
        "t.apply();",
    )
    .run(|mut lab| {
        lab.entry("Ingress.t", &[exact(9)], 0, "Ingress.hit", &[]);
        let table = lab.switch.program().table("Ingress.t").unwrap();
        lab.switch.set_idle_timeout(table, &[exact(9)], 0, 1000, 0).unwrap();
        lab.now = 900;
        assert_eq!(lab.data(0, &frame([0, 0, 0, 9], 0))[0], 1);
        assert!(lab.switch.take_idle_entries(1800).is_empty());
        assert_eq!(lab.switch.take_idle_entries(2000).len(), 1);
    });
}

/// A counter that follows the length of a list: the field gives the number of words.
#[test]
fn parser_counters_count() {
    Parts {
        ingress_parser: "ParserCounter() left; state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); transition data; }",
        after_data: "left.set(hdr.data.c[7:0]); transition more; }
            state more { transition select(left.is_zero()) { true: accept; default: word; } }
            state word { md.x = md.x + pkt.lookahead<bit<32>>(); pkt.advance(32); left.decrement(1); transition more;",
        ingress_apply: "hdr.data.a = md.x;",
        ..Parts::default()
    }
    .run(|mut lab| {
        let mut packet = frame([0, 0, 3, 0], 0);
        for n in [1u32, 10, 100, 1000] {
            packet.extend(n.to_be_bytes());
        }
        let (_, out) = lab.one(0, &packet);
        assert_eq!(data_of(&out)[0], 111);
        assert_eq!(out[26..], 1000u32.to_be_bytes());
    });
}

#[test]
fn small_functions_compute() {
    ingress("", "hdr.data.a = max(hdr.data.a, hdr.data.b); hdr.data.c = min(hdr.data.c, hdr.data.d); hdr.data.d = (bit<16>)sizeInBytes(hdr.data);")
        .run(|mut lab| assert_eq!(lab.data(0, &frame([1, 5, 9, 7], 0)), [5, 5, 7, 12]));
}
