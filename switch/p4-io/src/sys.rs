// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The system calls behind packet sockets and the event loop. All unsafe code of the crate is here.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use crate::offload::VNET_HEADER;

/// Frames that one system call receives or sends at most.
pub const BATCH: usize = 32;
/// Room for one received frame in bytes: a super packet of 64 KiB with its headers.
const FRAME: usize = 65_536 + 64;

const ETH_P_ALL: u16 = 0x0003;
const PACKET_VNET_HDR: libc::c_int = 15;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
const TP_STATUS_VLAN_VALID: u32 = 1 << 4;
const TP_STATUS_VLAN_TPID_VALID: u32 = 1 << 6;
const CONTROL_WORDS: usize = 8;

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// A new or emptied file to write. No symbolic link is followed: root writes into folders of others.
pub fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    options.custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Gives up all capabilities of this thread and of those that it starts from now on, and the chance to get
/// some by executing a file.
pub fn drop_privileges() -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`.
    const VERSION: u32 = 0x2008_0522;
    let header = [VERSION, 0];
    let none = [0u32; 6];
    // SAFETY: only numbers.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: the header is a version and a thread (0: this one), the data two times three words; both live
    // through the call, which reads them only: this version is known since Linux 2.6.26.
    match unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The index of an interface.
pub fn interface_index(name: &str) -> io::Result<libc::c_int> {
    let name = CString::new(name).map_err(|_| io::Error::from_raw_os_error(libc::ENODEV))?;
    // SAFETY: `name` is a string that ends with 0 and lives through the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index as libc::c_int),
    }
}

/// A packet socket that is bound to nothing yet.
pub fn packet_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers. Protocol 0 receives nothing before the bind.
    let fd = check(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Binds a packet socket to an interface, to receive all of its frames or only to send.
pub fn bind(fd: &OwnedFd, interface: libc::c_int, receive: bool) -> io::Result<()> {
    // SAFETY: all bytes 0 is a value of this plain structure.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = if receive { ETH_P_ALL.to_be() } else { 0 };
    address.sll_ifindex = interface;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: `address` is a sockaddr_ll of `length` bytes and lives through the call.
    check(unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), length) }).map(|_| ())
}

fn set<T>(fd: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    let value: *const T = value;
    // SAFETY: `value` points to `length` bytes that live through the call.
    check(unsafe { libc::setsockopt(fd.as_raw_fd(), level, option, value.cast(), length) })
        .map(|_| ())
}

/// Asks for the header that tells what offloads left undone, with each frame both ways.
pub fn use_vnet_headers(fd: &OwnedFd) -> io::Result<()> {
    set(fd, libc::SOL_PACKET, PACKET_VNET_HDR, &1i32)
}

/// Asks for VLAN tags that are beside the frame.
pub fn use_auxdata(fd: &OwnedFd) -> io::Result<()> {
    set(fd, libc::SOL_PACKET, libc::PACKET_AUXDATA, &1i32)
}

/// Asks not to be shown frames that this machine sends.
pub fn ignore_outgoing(fd: &OwnedFd) -> io::Result<()> {
    set(fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, &1i32)
}

/// Receives frames to any address for as long as the socket lives.
pub fn promiscuous(fd: &OwnedFd, interface: libc::c_int) -> io::Result<()> {
    // SAFETY: all bytes 0 is a value of this plain structure.
    let mut request: libc::packet_mreq = unsafe { std::mem::zeroed() };
    request.mr_ifindex = interface;
    request.mr_type = libc::PACKET_MR_PROMISC as u16;
    set(fd, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &request)
}

/// Sets the socket's buffers beyond the system's limit if the process may, else up to it.
pub fn set_buffers(fd: &OwnedFd, bytes: i32) -> io::Result<()> {
    for (force, plain) in [
        (libc::SO_RCVBUFFORCE, libc::SO_RCVBUF),
        (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF),
    ] {
        if set(fd, libc::SOL_SOCKET, force, &bytes).is_err() {
            set(fd, libc::SOL_SOCKET, plain, &bytes)?;
        }
    }
    Ok(())
}

/// Frames that the kernel dropped since the last call because the socket's buffer was full.
pub fn kernel_drops(fd: &OwnedFd) -> io::Result<u32> {
    // SAFETY: all bytes 0 is a value of this plain structure.
    let mut stats: libc::tpacket_stats = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: `stats` has room for `length` bytes; both live through the call.
    check(unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut stats).cast(),
            &raw mut length,
        )
    })?;
    Ok(stats.tp_drops)
}

/// Room for a batch of received frames, used again and again.
pub struct Receiver {
    frames: Vec<u8>,
    controls: Vec<[u64; CONTROL_WORDS]>,
    addresses: Vec<libc::sockaddr_ll>,
    lengths: [u32; BATCH],
    flags: [libc::c_int; BATCH],
    control_lengths: [usize; BATCH],
}

/// A frame as a packet socket gave it.
pub struct Received<'a> {
    /// The header that tells what offloads left undone.
    pub vnet: &'a [u8; VNET_HEADER],
    /// The frame from the destination address on.
    pub frame: &'a mut [u8],
    /// A VLAN tag beside the frame: protocol id and tag control information.
    pub vlan: Option<(u16, u16)>,
    /// The frame was sent by this machine.
    pub outgoing: bool,
    /// The frame was longer than the buffer and is cut.
    pub cut: bool,
}

impl Default for Receiver {
    fn default() -> Self {
        // SAFETY: all bytes 0 is a value of this plain structure.
        let address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        Self {
            frames: vec![0; BATCH * FRAME],
            controls: vec![[0; CONTROL_WORDS]; BATCH],
            addresses: vec![address; BATCH],
            lengths: [0; BATCH],
            flags: [0; BATCH],
            control_lengths: [0; BATCH],
        }
    }
}

impl Receiver {
    /// Receives what is there, at most [`BATCH`] frames, without waiting; gives their number.
    pub fn receive(&mut self, fd: &OwnedFd) -> io::Result<usize> {
        // SAFETY: all bytes 0 is a value of these plain structures.
        let mut parts: [libc::iovec; BATCH] = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        let room = self.frames.chunks_exact_mut(FRAME);
        let beside = self.controls.iter_mut().zip(&mut self.addresses);
        for (((message, part), frame), (control, address)) in
            messages.iter_mut().zip(&mut parts).zip(room).zip(beside)
        {
            part.iov_base = frame.as_mut_ptr().cast();
            part.iov_len = frame.len();
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
            message.msg_hdr.msg_name = (&raw mut *address).cast();
            message.msg_hdr.msg_namelen = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            message.msg_hdr.msg_control = control.as_mut_ptr().cast();
            message.msg_hdr.msg_controllen = size_of_val(control) as _;
        }
        // SAFETY: each of the `BATCH` messages points to a buffer, an address and a control area of
        // the lengths it names, all distinct, owned by `self` or this frame, alive through the call.
        let count = check(unsafe {
            libc::recvmmsg(
                fd.as_raw_fd(),
                messages.as_mut_ptr(),
                BATCH as libc::c_uint,
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        })? as usize;
        for (i, message) in messages.iter().take(count).enumerate() {
            self.lengths[i] = message.msg_len;
            self.flags[i] = message.msg_hdr.msg_flags;
            self.control_lengths[i] = message.msg_hdr.msg_controllen;
        }
        Ok(count)
    }

    /// Frame `i` of the last batch; `None` if it has no whole header.
    pub fn frame(&mut self, i: usize) -> Option<Received<'_>> {
        let vlan = self.vlan(i);
        let outgoing = self.addresses.get(i)?.sll_pkttype == libc::PACKET_OUTGOING;
        let cut = self.flags.get(i)? & libc::MSG_TRUNC != 0;
        let length = (*self.lengths.get(i)? as usize).min(FRAME);
        let whole = self.frames.get_mut(i * FRAME..i * FRAME + length)?;
        let (vnet, frame) = whole.split_first_chunk_mut::<VNET_HEADER>()?;
        Some(Received {
            vnet,
            frame,
            vlan,
            outgoing,
            cut,
        })
    }

    /// The VLAN tag in the control messages of frame `i`.
    fn vlan(&self, i: usize) -> Option<(u16, u16)> {
        let control = self.controls.get(i)?;
        let length = (*self.control_lengths.get(i)?).min(size_of_val(control));
        // SAFETY: all bytes 0 is a value of this plain structure.
        let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
        header.msg_control = control.as_ptr().cast_mut().cast();
        header.msg_controllen = length as _;
        // SAFETY: the control area holds `length` bytes that the kernel wrote, is aligned for its
        // headers (u64), and is only read.
        let mut message = unsafe { libc::CMSG_FIRSTHDR(&raw const header) };
        while !message.is_null() {
            // SAFETY: `message` is a header within the control area, by CMSG_FIRSTHDR or CMSG_NXTHDR.
            let of = unsafe { *message };
            let size = size_of::<libc::tpacket_auxdata>();
            // SAFETY: computes a length, reads nothing.
            let least = unsafe { libc::CMSG_LEN(size as libc::c_uint) } as usize;
            if of.cmsg_level == libc::SOL_PACKET
                && of.cmsg_type == libc::PACKET_AUXDATA
                && of.cmsg_len as usize >= least
            {
                // SAFETY: the data of the message is at least one tpacket_auxdata; unaligned is fine.
                let aux: libc::tpacket_auxdata =
                    unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(message).cast()) };
                if aux.tp_status & TP_STATUS_VLAN_VALID == 0 {
                    return None;
                }
                let tpid = if aux.tp_status & TP_STATUS_VLAN_TPID_VALID != 0 {
                    aux.tp_vlan_tpid
                } else {
                    0x8100
                };
                return Some((tpid, aux.tp_vlan_tci));
            }
            // SAFETY: as for CMSG_FIRSTHDR.
            message = unsafe { libc::CMSG_NXTHDR(&raw const header, message) };
        }
        None
    }
}

/// Sends the first of `frames`, at most [`BATCH`], without waiting; gives how many were taken. An
/// error is that of the first frame.
pub fn send<'a>(fd: &OwnedFd, frames: impl Iterator<Item = &'a [u8]>) -> io::Result<usize> {
    // SAFETY: all bytes 0 is a value of these plain structures.
    let mut parts: [libc::iovec; BATCH] = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
    let mut count = 0;
    for ((message, part), frame) in messages.iter_mut().zip(&mut parts).zip(frames) {
        part.iov_base = frame.as_ptr().cast_mut().cast();
        part.iov_len = frame.len();
        message.msg_hdr.msg_iov = part;
        message.msg_hdr.msg_iovlen = 1;
        count += 1;
    }
    if count == 0 {
        return Ok(0);
    }
    // SAFETY: the first `count` messages point to frames that are borrowed through the call; sending
    // only reads them.
    let sent = check(unsafe {
        libc::sendmmsg(
            fd.as_raw_fd(),
            messages.as_mut_ptr(),
            count,
            libc::MSG_DONTWAIT as _,
        )
    })?;
    Ok(sent as usize)
}

/// A descriptor by which other threads wake one that waits in [`wait`].
pub struct Wake(OwnedFd);

impl Wake {
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) })?;
        // SAFETY: the descriptor was just made and belongs to nobody else.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Wakes the waiting thread, or lets its next wait end at once.
    pub fn wake(&self) {
        let one = 1u64;
        // SAFETY: `one` is eight bytes that live through the call. It fails only if the counter is
        // full, and then the thread is woken already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Takes back all wake-ups.
    pub fn clear(&self) {
        let mut count = 0u64;
        // SAFETY: `count` has room for eight bytes and lives through the call. It fails only if
        // there is nothing to take.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }

    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// What to wait for; `ready` is set by [`wait`].
pub struct Polled(Vec<libc::pollfd>);

impl Polled {
    pub fn new(fds: impl Iterator<Item = RawFd>) -> Self {
        Self(
            fds.map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            })
            .collect(),
        )
    }

    /// Waits until something can be read, or an error is there, at most for `timeout`. `None`: no limit.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let limit = timeout.map(|t| libc::timespec {
            tv_sec: t.as_secs().min(3600) as libc::time_t,
            tv_nsec: t.subsec_nanos() as _,
        });
        let limit = limit.as_ref().map_or(std::ptr::null(), |t| &raw const *t);
        // SAFETY: the array and the time limit live through the call; the signal mask is absent.
        let result = unsafe {
            libc::ppoll(
                self.0.as_mut_ptr(),
                self.0.len() as libc::nfds_t,
                limit,
                std::ptr::null(),
            )
        };
        match check(result) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => Err(e),
            Err(_) => {
                self.0.iter_mut().for_each(|fd| fd.revents = 0);
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    /// Whether the descriptor at `i` can be read or has an error.
    pub fn ready(&self, i: usize) -> bool {
        self.0.get(i).is_some_and(|fd| fd.revents != 0)
    }
}

/// Lets waits of this thread end when they are due; the default is up to 50 microseconds later.
pub fn precise_timers() {
    // SAFETY: no pointers. It cannot fail for a value above 0.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}
