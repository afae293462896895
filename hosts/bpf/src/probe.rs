// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the running kernel offers of what is needed.

use crate::clsact;
use crate::settings::{Attachment, Registration};
use libbpf_rs::btf::{Btf, types};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::PathBuf;

/// One feature.
#[derive(Debug, Serialize)]
pub struct Feature {
    /// What it is.
    pub name: &'static str,
    /// Whether it is there.
    pub present: bool,
    /// Whether `up` works without it.
    pub optional: bool,
    /// What follows if it is missing.
    pub remark: String,
}

/// All features.
#[derive(Debug, Serialize)]
pub struct Report {
    /// In the order in which they are needed.
    pub features: Vec<Feature>,
    /// Where cgroup2 is mounted.
    pub cgroup: Option<PathBuf>,
    /// Whether the kernel counts the bytes received with each ECN codepoint.
    pub counters: bool,
    /// How programs are attached to interfaces.
    pub attachment: Attachment,
    /// How the congestion control is registered.
    pub registration: Registration,
}

impl Report {
    /// Whether `up` can work.
    pub fn usable(&self) -> bool {
        self.features
            .iter()
            .all(|feature| feature.present || feature.optional)
    }

    /// What is missing, for an error message.
    pub fn missing(&self) -> String {
        let missing = self
            .features
            .iter()
            .filter(|feature| !feature.present && !feature.optional);
        missing
            .map(|feature| format!("{}: {}", feature.name, feature.remark))
            .collect::<Vec<_>>()
            .join("; ")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for feature in &self.features {
            let state = match (feature.present, feature.optional) {
                (true, _) => "yes",
                (false, true) => "no (not needed)",
                (false, false) => "MISSING",
            };
            write!(f, "{:<50} {state}", feature.name)?;
            if feature.present {
                writeln!(f)?
            } else {
                writeln!(f, ": {}", feature.remark)?
            }
        }
        Ok(())
    }
}

/// Where a file system of this type is mounted.
fn mount_point(kind: &str) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let point = fields.nth(1)?;
        (fields.next()? == kind).then(|| PathBuf::from(point))
    })
}

fn has_member(btf: &Btf<'_>, name: &str, member: &str) -> bool {
    btf.type_by_name::<types::Struct<'_>>(name)
        .is_some_and(|kind| {
            kind.iter()
                .any(|field| field.name.is_some_and(|name| name == member))
        })
}

/// Whether a congestion control's functions may switch on a socket's callbacks. Of the option there is but the name.
fn has_callback_option(btf: &Btf<'_>) -> bool {
    btf.type_by_kind::<types::Enum<'_>>().any(|kind| {
        kind.iter().any(|value| {
            value
                .name
                .is_some_and(|name| name == "TCP_BPF_SOCK_OPS_CB_FLAGS")
        })
    })
}

/// Look at the running kernel.
pub fn probe() -> Report {
    let btf = Btf::from_vmlinux().ok();
    let function = |name| {
        btf.as_ref()
            .is_some_and(|btf| btf.type_by_name::<types::Func<'_>>(name).is_some())
    };
    let structure = |name| {
        btf.as_ref()
            .is_some_and(|btf| btf.type_by_name::<types::Struct<'_>>(name).is_some())
    };
    let cgroup = mount_point("cgroup2");
    let counters = btf
        .as_ref()
        .is_some_and(|btf| has_member(btf, "tcp_sock", "received_ecn_bytes"));
    let tcx = structure("tcx_link");
    let clsact = if tcx { Ok(()) } else { clsact::attempt() };
    let links = structure("bpf_struct_ops_link");
    let tcp_ecn = fs::read_to_string("/proc/sys/net/ipv4/tcp_ecn").unwrap_or_default();
    let accecn = tcp_ecn.trim().parse::<u32>().is_ok_and(|value| value >= 3);
    let root = nix::unistd::geteuid().is_root();
    let feature = |name, present, optional, remark: &str| Feature {
        name,
        present,
        optional,
        remark: remark.to_owned(),
    };
    let features = vec![
        feature(
            "root",
            root,
            false,
            "loading programs needs CAP_BPF, CAP_NET_ADMIN and CAP_SYS_ADMIN",
        ),
        feature(
            "BTF of the kernel",
            btf.is_some(),
            false,
            "the kernel needs CONFIG_DEBUG_INFO_BTF",
        ),
        feature(
            "struct_ops for congestion controls",
            structure("bpf_struct_ops_tcp_congestion_ops"),
            false,
            "the kernel needs CONFIG_BPF_JIT and to be 5.6 or newer",
        ),
        feature(
            "function tcp_reno_cong_avoid",
            function("tcp_reno_cong_avoid"),
            false,
            "the kernel needs to be 5.13 or newer",
        ),
        feature(
            "cgroup2",
            cgroup.is_some(),
            false,
            "the reader of acknowledgements is attached to a cgroup: mount -t cgroup2 none DIRECTORY",
        ),
        feature(
            "tcx",
            tcx,
            clsact.is_ok(),
            &match clsact {
                Ok(()) => "Linux 6.6 has it; the echo is attached to clsact instead".into(),
                Err(error) => format!(
                    "the echo needs CONFIG_NET_XGRESS (CONFIG_NET_SCH_INGRESS) and Linux 6.6 or newer, \
                     or else clsact and cls_bpf: {error:#}"
                ),
            },
        ),
        feature(
            "links for struct_ops",
            links,
            true,
            "Linux 6.4 has them; the congestion control is registered without one",
        ),
        feature(
            "levels for sockets that choose it when connected",
            btf.as_ref().is_some_and(has_callback_option),
            true,
            "Linux 6.12 has them; sockets must choose it before they connect, others halve",
        ),
        feature(
            "BPF file system",
            mount_point("bpf").is_some(),
            true,
            "`up` mounts one on /sys/fs/bpf",
        ),
        feature(
            "byte counters for each ECN codepoint",
            counters,
            true,
            "Linux 6.18 has them; marked segments are counted on ingress instead",
        ),
        feature(
            "sockets without AccECN",
            !accecn,
            true,
            "net.ipv4.tcp_ecn asks for AccECN: sockets that negotiate it are left alone; use 1",
        ),
    ];
    Report {
        features,
        cgroup,
        counters,
        attachment: if tcx {
            Attachment::Tcx
        } else {
            Attachment::Clsact
        },
        registration: if links {
            Registration::Link
        } else {
            Registration::Map
        },
    }
}
