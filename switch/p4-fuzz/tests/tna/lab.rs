// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Small programs for Tofino, compiled and run: interpreted and as machine code, which must not differ.

use std::sync::Arc;

use p4_engine::{
    ActionCall, Departure, Execution, MatchField, Packet, Program, ReceiveOutcome, Switch,
    SwitchConfig, TableEntry, Value,
};
use p4_frontend::cli::{Arch, Options, compile};

/// The places of a program that a test fills in.
#[derive(Default)]
pub struct Parts<'a> {
    pub types: &'a str,
    pub ingress_parser: &'a str,
    pub after_data: &'a str,
    pub ingress: &'a str,
    pub ingress_apply: &'a str,
    pub ingress_deparser: &'a str,
    pub egress_start: &'a str,
    pub egress: &'a str,
    pub egress_apply: &'a str,
    pub egress_deparser: &'a str,
}

impl Parts<'_> {
    /// A program that takes Ethernet and a header of 12 bytes apart in both pipelines.
    pub fn text(&self, arch: &str) -> String {
        let or = |given: &str, default: &str| match given {
            "" => default.to_owned(),
            given => given.to_owned(),
        };
        format!(
            "#include <core.p4>
#include <{arch}.p4>
header eth_h {{ bit<48> dst; bit<48> src; bit<16> type; }}
header data_h {{ bit<32> a; bit<32> b; bit<16> c; bit<16> d; }}
header note_h {{ bit<8> kind; bit<8> value; bit<32> more; }}
struct headers_t {{ note_h note; eth_h eth; data_h data; }}
struct meta_t {{ bit<32> x; bit<16> y; bit<8> z; bool flag; MirrorId_t session; }}
{types}
parser IngressParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {{
    {ingress_parser}
    state data {{ pkt.extract(hdr.eth); pkt.extract(hdr.data); {after_data} }}
}}
control Ingress(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {{
    {ingress}
    apply {{ ig_tm_md.ucast_egress_port = 1; {ingress_apply} }}
}}
control IngressDeparser(packet_out pkt, inout headers_t hdr, in meta_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {{
    {ingress_deparser}
}}
parser EgressParser(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {{
    state start {{ pkt.extract(eg_intr_md); {egress_start} }}
    state note {{ pkt.extract(hdr.note); transition data; }}
    state data {{ pkt.extract(hdr.eth); pkt.extract(hdr.data); transition accept; }}
}}
control Egress(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {{
    {egress}
    apply {{ {egress_apply} }}
}}
control EgressDeparser(packet_out pkt, inout headers_t hdr, in meta_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {{
    {egress_deparser}
}}
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
",
            types = self.types,
            ingress_parser = or(
                self.ingress_parser,
                "state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); transition data; }"
            ),
            after_data = or(self.after_data, "transition accept;"),
            ingress = self.ingress,
            ingress_apply = self.ingress_apply,
            ingress_deparser = or(self.ingress_deparser, "apply { pkt.emit(hdr); }"),
            egress_start = or(self.egress_start, "transition data;"),
            egress = self.egress,
            egress_apply = self.egress_apply,
            egress_deparser = or(self.egress_deparser, "apply { pkt.emit(hdr); }"),
        )
    }

    /// Runs a test on the program for Tofino 1, interpreted and compiled.
    pub fn run(&self, test: impl Fn(Lab)) {
        each(&self.text("tna"), Arch::Tna, test);
    }

    /// What the compiler says of the program.
    pub fn refused(&self) -> String {
        match json(&self.text("tna"), Arch::Tna) {
            Ok(_) => panic!("compiled"),
            Err(message) => message,
        }
    }
}

/// The JSON of a program, or what is wrong with it.
pub fn json(text: &str, arch: Arch) -> Result<String, String> {
    let mut options = Options::new("test.p4");
    options.text = Some(text.to_owned());
    options.arch = arch;
    compile(&options).map(|c| c.bmv2_json)
}

/// Runs a test on a program, interpreted and compiled.
pub fn each(text: &str, arch: Arch, test: impl Fn(Lab)) {
    let json = json(text, arch).unwrap_or_else(|e| panic!("{e}"));
    let program = Arc::new(Program::from_bmv2_json(json.as_bytes()).unwrap());
    for execution in [Execution::Interpreted, Execution::Compiled] {
        let config = SwitchConfig {
            seed: 1,
            execution,
            ..SwitchConfig::default()
        };
        let switch = Switch::new(Arc::clone(&program), config);
        assert_eq!(switch.refusal(), None);
        test(Lab { switch, now: 0 });
    }
}

/// A switch, and the time.
pub struct Lab {
    pub switch: Switch,
    pub now: u64,
}

impl Lab {
    /// A packet comes in; all that leaves because of it, by port.
    pub fn send(&mut self, port: u16, packet: &[u8]) -> Vec<(u16, Vec<u8>)> {
        self.receive(port, packet);
        self.leaving()
            .into_iter()
            .filter_map(|d| Some((d.port, d.packet?.bytes)))
            .collect()
    }

    pub fn receive(&mut self, port: u16, packet: &[u8]) -> ReceiveOutcome {
        self.switch
            .receive(port, Packet::new(packet.to_vec(), 0), self.now)
    }

    /// All that is in queues, until nothing is left.
    pub fn leaving(&mut self) -> Vec<Departure> {
        std::iter::from_fn(|| self.switch.depart(u64::MAX)).collect()
    }

    /// The one packet that leaves.
    pub fn one(&mut self, port: u16, packet: &[u8]) -> (u16, Vec<u8>) {
        let out = self.send(port, packet);
        assert_eq!(out.len(), 1, "{out:x?}");
        out.into_iter().next().unwrap()
    }

    /// The header of 12 bytes of the one packet that leaves.
    pub fn data(&mut self, port: u16, packet: &[u8]) -> [u32; 4] {
        data_of(&self.one(port, packet).1)
    }

    pub fn call(&self, table: usize, action: &str, params: &[u64]) -> ActionCall {
        ActionCall {
            action: self.switch.program().table_action(table, action).unwrap(),
            params: params.iter().map(|&v| Value::from(v)).collect(),
        }
    }

    pub fn entry(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        action: &str,
        params: &[u64],
    ) {
        let table = self.switch.program().table(table).unwrap();
        let action = self.call(table, action, params).into();
        let entry = TableEntry {
            key: key.to_vec(),
            priority,
            action,
        };
        self.switch.table_insert(table, entry).unwrap();
    }

    pub fn register(&self, name: &str, index: usize) -> u64 {
        let register = self.switch.program().register(name).unwrap();
        self.switch.register_read_u64(register, index).unwrap()
    }
}

pub fn exact(v: u64) -> MatchField {
    MatchField::Exact(v.into())
}

/// A frame with the fields of the header of 12 bytes, and a payload of `more` bytes.
pub fn frame(data: [u32; 4], more: usize) -> Vec<u8> {
    let mut b = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34];
    b.extend(data[0].to_be_bytes());
    b.extend(data[1].to_be_bytes());
    b.extend((data[2] as u16).to_be_bytes());
    b.extend((data[3] as u16).to_be_bytes());
    b.extend((0..more).map(|i| i as u8));
    b
}

/// The fields of the header of 12 bytes.
pub fn data_of(frame: &[u8]) -> [u32; 4] {
    let n = |at: usize, bytes: usize| {
        frame[at..at + bytes]
            .iter()
            .fold(0, |v, &b| v << 8 | u32::from(b))
    };
    [n(14, 4), n(18, 4), n(22, 2), n(24, 2)]
}
