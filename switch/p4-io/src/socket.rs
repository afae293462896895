// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! An interface: one packet socket that receives, one that sends.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::error::IoError;
use crate::sys;

/// Buffer of each socket in bytes: a second of 1 Gbit/s would be 125 MB; this holds bursts.
const BUFFER: i32 = 16 << 20;

/// A network interface opened for raw frames.
pub struct PacketInterface {
    name: String,
    receive: OwnedFd,
    send: OwnedFd,
}

impl PacketInterface {
    pub fn open(name: &str) -> Result<Self, IoError> {
        let index = sys::interface_index(name).map_err(|_| IoError::NoInterface {
            interface: name.to_owned(),
        })?;
        let fail = |what| move |cause| IoError::interface(name, what, cause);
        let socket = || sys::packet_socket().map_err(fail("cannot open a packet socket"));
        let (receive, send) = (socket()?, socket()?);
        sys::use_vnet_headers(&receive).map_err(fail("cannot ask for offload headers"))?;
        sys::use_auxdata(&receive).map_err(fail("cannot ask for VLAN tags"))?;
        // Kernels before 4.20 do not know this; then such frames are told by their type.
        let _ = sys::ignore_outgoing(&receive);
        for fd in [&receive, &send] {
            sys::set_buffers(fd, BUFFER).map_err(fail("cannot set the socket's buffers"))?;
        }
        sys::promiscuous(&receive, index).map_err(fail("cannot receive frames to any address"))?;
        sys::bind(&send, index, false).map_err(fail("cannot bind"))?;
        sys::bind(&receive, index, true).map_err(fail("cannot bind"))?;
        Ok(Self {
            name: name.to_owned(),
            receive,
            send,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn raw(&self) -> RawFd {
        self.receive.as_raw_fd()
    }

    /// Receives a batch; 0 if nothing is there.
    pub fn receive(&self, receiver: &mut sys::Receiver) -> io::Result<usize> {
        match receiver.receive(&self.receive) {
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(0)
            }
            other => other,
        }
    }

    pub fn send<'a>(&self, frames: impl Iterator<Item = &'a [u8]>) -> io::Result<usize> {
        sys::send(&self.send, frames)
    }

    pub fn kernel_drops(&self) -> u64 {
        sys::kernel_drops(&self.receive).unwrap_or(0).into()
    }
}
