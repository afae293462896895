// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Network namespaces, and the mount namespace in which the pins are.

use anyhow::{Context, Result};
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::sys::statfs::{BPF_FS_MAGIC, statfs};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where `ip netns add` puts names.
const NAMED: &str = "/run/netns";
const CURRENT: &str = "/proc/thread-self/ns/net";
const INIT: &str = "/proc/1/ns/net";

/// A network namespace.
pub struct Namespace {
    file: File,
    /// Inode; another namespace may get it when this one is gone.
    pub inode: u64,
    /// The kernel's number for it, never used twice until the machine is booted.
    pub cookie: u64,
    /// Its name as `ip netns` gives it, `init` for that of process 1, otherwise `net:[inode]`.
    pub name: String,
}

impl Namespace {
    /// The one with this name or path (`/proc/PID/ns/net`), or the one this process is in.
    ///
    /// # Errors
    /// There is none, or it may not be entered.
    pub fn open(name: Option<&str>) -> Result<Self> {
        let path = match name {
            None => PathBuf::from(CURRENT),
            Some(path) if path.contains('/') => PathBuf::from(path),
            Some(name) => Path::new(NAMED).join(name),
        };
        Self::at(&path).with_context(|| format!("network namespace {}", path.display()))
    }

    fn at(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        let inode = file.metadata()?.ino();
        let cookie = inside(&file, cookie)??;
        let name = name_of(inode);
        Ok(Self {
            file,
            inode,
            cookie,
            name,
        })
    }

    /// Look for a namespace among those that have a name or a process. One that is kept alive by sockets or
    /// bind mounts elsewhere is not found.
    pub fn find(inode: u64, cookie: u64) -> Option<Self> {
        candidates()
            .into_iter()
            .filter(|path| fs::metadata(path).is_ok_and(|found| found.ino() == inode))
            .find_map(|path| Self::at(&path).ok().filter(|found| found.cookie == cookie))
    }

    /// Do something in it.
    ///
    /// # Errors
    /// It cannot be entered, or the way back is barred.
    pub fn inside<T>(&self, action: impl FnOnce() -> T) -> Result<T> {
        inside(&self.file, action).with_context(|| format!("network namespace {}", self.name))
    }
}

fn inside<T>(namespace: &File, action: impl FnOnce() -> T) -> Result<T> {
    let home = File::open(CURRENT)?;
    setns(namespace, CloneFlags::CLONE_NEWNET)?;
    let result = action();
    setns(home, CloneFlags::CLONE_NEWNET).context("cannot leave it")?;
    Ok(result)
}

/// Cookie of the namespace this thread is in.
fn cookie() -> Result<u64> {
    let socket = socket(
        AddressFamily::Unix,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    let mut cookie = 0u64;
    let mut size = size_of::<u64>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes into `cookie`, which has as many.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NETNS_COOKIE,
            (&raw mut cookie).cast(),
            &raw mut size,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error()).context("SO_NETNS_COOKIE (Linux 5.14)");
    }
    Ok(cookie)
}

/// Namespaces with a name.
fn named() -> Vec<PathBuf> {
    let entries = fs::read_dir(NAMED).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Namespaces with a name or a process.
fn candidates() -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbered = processes.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().bytes().all(|b| b.is_ascii_digit())
    });
    let mut paths = named();
    paths.extend(numbered.map(|entry| entry.path().join("ns/net")));
    paths
}

fn name_of(inode: u64) -> String {
    let same = |path: &Path| fs::metadata(path).is_ok_and(|found| found.ino() == inode);
    let mut names: Vec<_> = named().into_iter().filter(|path| same(path)).collect();
    names.sort();
    match names.first().and_then(|path| path.file_name()) {
        Some(name) => name.to_string_lossy().into_owned(),
        None if same(Path::new(INIT)) => "init".into(),
        None => format!("net:[{inode}]"),
    }
}

/// Leave a mount namespace that hides the BPF file system.
///
/// `ip netns exec` and Mininet's hosts have a /sys of their own, without /sys/fs/bpf and /sys/fs/cgroup; pins made
/// there would be gone with the command. The mount namespace to go to is that of the oldest ancestor of this process
/// that lets us (process 1 does not do so everywhere).
///
/// # Errors
/// It cannot be entered.
pub fn leave_private_mounts() -> Result<()> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    // Mininet mounts its own /sys over the other: what is listed there may be covered.
    let visible = |path: &str| statfs(path).is_ok_and(|at| at.filesystem_type() == BPF_FS_MAGIC);
    if mounts.lines().any(|line| {
        let mut fields = line.split(' ').skip(1);
        fields
            .next()
            .is_some_and(|path| fields.next() == Some("bpf") && visible(path))
    }) {
        return Ok(());
    }
    let inode = |path: &Path| fs::metadata(path).map(|found| found.ino());
    let own = inode(Path::new("/proc/self/ns/mnt"))?;
    let mut outermost = None;
    let mut process = std::os::unix::process::parent_id();
    while process != 0 {
        let path = PathBuf::from(format!("/proc/{process}/ns/mnt"));
        if inode(&path).is_ok() {
            outermost = Some(path);
        }
        process = parent(process).unwrap_or(0);
    }
    match outermost {
        Some(path) if inode(&path).is_ok_and(|found| found != own) => {
            setns(File::open(&path)?, CloneFlags::CLONE_NEWNS).with_context(|| {
                format!(
                    "no BPF file system here, and {} cannot be entered: use --netns from outside",
                    path.display()
                )
            })
        }
        _ => Ok(()),
    }
}

/// Parent of a process: the fourth field of /proc/PID/stat, the second after the name in parentheses.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}
