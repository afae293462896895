// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The sockets that use the congestion control, in all network namespaces.

use crate::skeleton::users::UsersSkelBuilder;
use anyhow::{Context, Result, bail};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Iter, IterOpts};
use serde::Serialize;
use std::fmt;
use std::io::Read;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A socket and a process that holds it.
#[derive(Debug, Serialize)]
pub struct User {
    /// Cookie of the network namespace.
    #[serde(skip)]
    pub namespace: u64,
    /// Process.
    pub pid: u32,
    /// Its name.
    pub command: String,
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Congestion window in segments.
    pub cwnd: u32,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} -> {} of {} (pid {})",
            self.local, self.remote, self.command, self.pid
        )
    }
}

/// Bytes of `struct user` in `users.bpf.c`.
const RECORD: usize = 72;

/// An address as the programs write it: 16 bytes, of which IPv4 uses the first four.
pub fn address(family: u32, bytes: [u8; 16]) -> IpAddr {
    if family == libc::AF_INET as u32 {
        Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()
    } else {
        Ipv6Addr::from(bytes).to_canonical()
    }
}

/// `N` bytes of a record from `at`; the caller has checked its length.
pub fn field<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&record[at..at + N]);
    bytes
}

fn parse(record: &[u8]) -> User {
    let family = u32::from_ne_bytes(field(record, 12));
    let port = |at| u16::from_ne_bytes(field(record, at));
    User {
        namespace: u64::from_ne_bytes(field(record, 0)),
        pid: u32::from_ne_bytes(field(record, 8)),
        local: SocketAddr::new(address(family, field(record, 16)), port(48)),
        remote: SocketAddr::new(address(family, field(record, 32)), port(50)),
        cwnd: u32::from_ne_bytes(field(record, 52)),
        command: String::from_utf8_lossy(&record[56..72])
            .trim_end_matches('\0')
            .to_owned(),
    }
}

/// Sockets whose congestion control has this name.
///
/// # Errors
/// The kernel refuses the iterator.
pub fn find(name: &str) -> Result<Vec<User>> {
    let mut storage = MaybeUninit::uninit();
    let mut open = UsersSkelBuilder::default().open(&mut storage)?;
    let wanted = &mut open
        .maps
        .rodata_data
        .as_deref_mut()
        .context("the iterator has no constants")?
        .wanted;
    for (to, from) in wanted.iter_mut().zip(name.bytes()) {
        *to = from as i8;
    }
    let skeleton = open
        .load()
        .context("the kernel refuses the iterator over sockets")?;
    let link = skeleton
        .progs
        .mecn_users
        .attach_iter_with_opts(IterOpts::None)?;
    let mut bytes = Vec::new();
    Iter::new(&link)?.read_to_end(&mut bytes)?;
    if bytes.len() % RECORD != 0 {
        bail!("the iterator over sockets broke off");
    }
    let mut users: Vec<User> = bytes.chunks_exact(RECORD).map(parse).collect();
    // Threads share their files; a process is named once for each socket.
    users.sort_by_key(|user| (user.pid, user.local, user.remote));
    users.dedup_by_key(|user| (user.pid, user.local, user.remote));
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_record_is_read(record in prop::collection::vec(any::<u8>(), RECORD)) {
            let user = parse(&record);
            prop_assert!(user.command.len() <= 3 * 16); // a byte that is no text becomes three
            prop_assert!(!user.to_string().is_empty());
        }
    }
}
