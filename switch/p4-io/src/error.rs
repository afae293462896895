// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of interfaces and files. Each text is one line that names the thing at fault.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an interface or a file could not be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum IoError {
    /// Packet sockets need a capability that this process lacks.
    Permission {
        /// The interface that was to be opened.
        interface: String,
    },
    /// There is no interface of this name.
    NoInterface {
        /// The name.
        interface: String,
    },
    /// The system refused an operation on an interface.
    Interface {
        /// The interface.
        interface: String,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        cause: io::Error,
    },
    /// The system refused something that belongs to no interface, such as a thread.
    System {
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        cause: io::Error,
    },
    /// The system refused an operation on a file.
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// A file is not a capture file, or a damaged one.
    Format {
        /// The file.
        path: PathBuf,
        /// Position in the file, in bytes.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// The request contradicts itself, such as a port that is given twice.
    Config(String),
}

impl IoError {
    pub(crate) fn file(path: &Path, cause: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            cause,
        }
    }

    pub(crate) fn interface(name: &str, what: &'static str, cause: io::Error) -> Self {
        let interface = name.to_owned();
        match cause.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Self::Permission { interface },
            _ => Self::Interface {
                interface,
                what,
                cause,
            },
        }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permission { interface } => write!(
                f,
                "interface {interface}: no permission to open a packet socket; run as root or give \
                 the process CAP_NET_RAW (capture files need no privileges: --use-files)"
            ),
            Self::NoInterface { interface } => write!(f, "there is no interface {interface}"),
            Self::Interface {
                interface,
                what,
                cause,
            } => write!(f, "interface {interface}: {what}: {cause}"),
            Self::System { what, cause } => write!(f, "{what}: {cause}"),
            Self::File { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Format {
                path,
                offset,
                reason,
            } => write!(f, "{}: byte {offset}: {reason}", path.display()),
            Self::Config(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for IoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Interface { cause, .. }
            | Self::System { cause, .. }
            | Self::File { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
