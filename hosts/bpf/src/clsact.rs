// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs on an interface where the kernel has no tcx (before Linux 6.6): classifiers of the clsact qdisc.
//!
//! A classifier is not held by a pin. It stays until it or its qdisc is removed, and it is known by its number and by
//! the program that it runs. All functions work on the network namespace of the calling thread.

use anyhow::{Context, Result, bail};
use libbpf_rs::{Program, TC_EGRESS, TC_INGRESS, TcAttachPoint, TcHook, TcHookBuilder, libbpf_sys};
use nix::net::if_::if_indextoname;
use nix::sched::{CloneFlags, unshare};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::{io, thread};

/// After whatever was numbered by hand: our programs let each packet go on, others may not.
const PRIORITY: u32 = 0xbfff;
const HANDLE: u32 = 1;

/// Way of the packets that a program sees.
#[derive(Clone, Copy)]
pub enum Direction {
    /// Those that come in.
    Ingress,
    /// Those that go out.
    Egress,
}

impl Direction {
    fn point(self) -> TcAttachPoint {
        match self {
            Self::Ingress => TC_INGRESS,
            Self::Egress => TC_EGRESS,
        }
    }
}

fn hook(program: BorrowedFd<'_>, index: u32, direction: Direction) -> Result<TcHook> {
    Ok(TcHookBuilder::new(program)
        .ifindex(i32::try_from(index)?)
        .handle(HANDLE)
        .priority(PRIORITY)
        .hook(direction.point()))
}

/// What `tc` prints about an interface.
fn tc(arguments: &[&str]) -> Result<String> {
    let output = Command::new("tc")
        .args(arguments)
        .output()
        .context("tc (iproute2) is needed where the kernel has no tcx")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("tc {}: {}", arguments.join(" "), said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether an interface has a clsact qdisc.
///
/// # Errors
/// It has an ingress qdisc, in whose place clsact would have to be, or `tc` is missing.
pub fn exists(interface: &str) -> Result<bool> {
    let listing = tc(&["qdisc", "show", "dev", interface])?;
    let kinds = listing.lines().filter_map(|line| line.split(' ').nth(1));
    for kind in kinds {
        match kind {
            "clsact" => return Ok(true),
            "ingress" => bail!(
                "{interface} has an ingress qdisc, which leaves no place for the echo on egress: \
                 `tc qdisc del dev {interface} ingress`, or clsact in its place"
            ),
            _ => (),
        }
    }
    Ok(false)
}

/// The qdisc of an interface: both directions at once.
fn qdisc(index: u32) -> Result<TcHook> {
    // Of no interest to the qdisc, but the type wants a program.
    let nothing = io::stderr();
    let mut hook = TcHook::new(nothing.as_fd());
    hook.ifindex(i32::try_from(index)?)
        .attach_point(TC_INGRESS | TC_EGRESS);
    Ok(hook)
}

/// Give an interface its clsact qdisc.
///
/// # Errors
/// The kernel refuses.
pub fn make(index: u32) -> Result<()> {
    qdisc(index)?
        .create()
        .context("cannot make a clsact qdisc (CONFIG_NET_SCH_INGRESS)")?;
    Ok(())
}

/// Attach a pinned program.
///
/// # Errors
/// The kernel refuses, or another classifier has the number.
pub fn attach(program: &Path, index: u32, direction: Direction) -> Result<()> {
    let program = Program::fd_from_pinned_path(program)?;
    hook(program.as_fd(), index, direction)?
        .attach()
        .context("cannot attach to clsact (CONFIG_NET_CLS_BPF)")?;
    Ok(())
}

/// Whether a pinned program is attached.
pub fn is_attached(program: &Path, index: u32, direction: Direction) -> bool {
    let found = || -> Result<bool> {
        let program = Program::fd_from_pinned_path(program)?;
        let id = program_id(program.as_fd())?;
        let mut hook = hook(program.as_fd(), index, direction)?;
        Ok(silently(|| hook.query())? == id)
    };
    found().unwrap_or(false)
}

/// Detach a pinned program; what is not it, or not there, stays as it is.
///
/// # Errors
/// The kernel refuses.
pub fn detach(program: &Path, index: u32, direction: Direction) -> Result<()> {
    if !is_attached(program, index, direction) {
        return Ok(());
    }
    let program = Program::fd_from_pinned_path(program)?;
    hook(program.as_fd(), index, direction)?.detach()?;
    Ok(())
}

/// Remove a clsact qdisc, unless others have put classifiers into it or its interface has gone.
///
/// # Errors
/// The kernel refuses, or `tc` is missing.
pub fn remove_if_empty(index: u32) -> Result<()> {
    let Ok(name) = if_indextoname(index) else {
        return Ok(());
    };
    let name = name.to_string_lossy();
    if !exists(&name)? {
        return Ok(());
    }
    for direction in ["ingress", "egress"] {
        if !tc(&["filter", "show", "dev", &name, direction])?
            .trim()
            .is_empty()
        {
            return Ok(());
        }
    }
    qdisc(index)?
        .destroy()
        .with_context(|| format!("clsact on {name}"))?;
    Ok(())
}

/// Try it, in a network namespace that lives as long as the attempt.
///
/// # Errors
/// What is missing.
pub fn attempt() -> Result<()> {
    let trial = thread::spawn(|| {
        unshare(CloneFlags::CLONE_NEWNET).context("no network namespace")?;
        let program = empty_program()?;
        let loopback = 1;
        make(loopback)?;
        let mut hook = hook(program.as_fd(), loopback, Direction::Egress)?;
        silently(|| hook.attach())
            .map(drop)
            .context("cannot attach to clsact (CONFIG_NET_CLS_BPF)")
    });
    trial
        .join()
        .unwrap_or_else(|_| bail!("the attempt ended early"))
}

/// A classifier that does nothing: r0 = 0; exit.
fn empty_program() -> Result<OwnedFd> {
    let mut instructions = [libbpf_sys::bpf_insn::default(); 2];
    instructions[0].code = 0xb7;
    instructions[1].code = 0x95;
    // SAFETY: the instructions and the strings live until the call returns; null stands for default options.
    let program = unsafe {
        libbpf_sys::bpf_prog_load(
            libbpf_sys::BPF_PROG_TYPE_SCHED_CLS,
            c"mecn_attempt".as_ptr(),
            c"GPL".as_ptr(),
            instructions.as_ptr(),
            instructions.len() as libbpf_sys::size_t,
            std::ptr::null_mut(),
        )
    };
    if program < 0 {
        return Err(io::Error::last_os_error()).context("the kernel refuses a classifier");
    }
    // SAFETY: the kernel has just made it, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(program) })
}

fn program_id(program: BorrowedFd<'_>) -> Result<u32> {
    // SAFETY: the structure is plain numbers, for which zero is a value.
    let mut info: libbpf_sys::bpf_prog_info = unsafe { zeroed() };
    let mut size = size_of::<libbpf_sys::bpf_prog_info>() as u32;
    // SAFETY: the kernel writes at most `size` bytes into `info`, which has as many.
    let result = unsafe {
        libbpf_sys::bpf_prog_get_info_by_fd(program.as_raw_fd(), &raw mut info, &raw mut size)
    };
    if result != 0 {
        return Err(io::Error::last_os_error().into());
    }
    Ok(info.id)
}

/// Without libbpf's messages: asking for what is not there is no fault here.
fn silently<T>(action: impl FnOnce() -> Result<T, libbpf_rs::Error>) -> Result<T> {
    let before = libbpf_rs::set_print(None);
    let result = action();
    libbpf_rs::set_print(before);
    Ok(result?)
}
