// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The compiled BPF programs, as libbpf-cargo generates them from `src/bpf`.

/// Congestion control, reader, echo.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod mecn {
    include!(concat!(env!("OUT_DIR"), "/mecn.skel.rs"));
}

/// Iterator over the sockets that use the congestion control.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod users {
    include!(concat!(env!("OUT_DIR"), "/users.skel.rs"));
}
