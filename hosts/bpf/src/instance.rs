// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Bringing it up and taking it down.
//!
//! Everything hangs on links pinned in one directory. `up` attaches the reader and the echo first and
//! registers the congestion control last, so that no socket can choose it before its signals are read. If
//! `up` fails or dies half way, what was not pinned is detached by the kernel, and `down` removes the rest.

use crate::settings::{Default, NAME, Settings};
use crate::skeleton::mecn::MecnSkelBuilder;
use crate::{UpArguments, probe, users};
use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::libbpf_sys;
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{AsRawLibbpf, Link, MapCore, MapFlags, ProgramMut};
use std::ffi::CString;
use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::{io, process};

const BPF_FS: &str = "/sys/fs/bpf";

fn mount_bpf_fs(pins: &Path) -> Result<()> {
    if !pins.starts_with(BPF_FS)
        || fs::read_to_string("/proc/self/mounts")?.contains(" /sys/fs/bpf bpf ")
    {
        return Ok(());
    }
    let (target, kind) = (CString::new(BPF_FS)?, CString::new("bpf")?);
    // SAFETY: the strings live until the call returns; no options are passed.
    if unsafe {
        libc::mount(
            kind.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            0,
            ptr::null(),
        )
    } != 0
    {
        return Err(io::Error::last_os_error())
            .context("cannot mount a BPF file system on /sys/fs/bpf");
    }
    Ok(())
}

fn interface_index(name: &str) -> Result<i32> {
    let c_name = CString::new(name)?;
    // SAFETY: the string ends with a zero and lives until the call returns.
    let index = unsafe { libc::if_nametoindex(c_name.as_ptr()) };
    if index == 0 {
        return Err(io::Error::last_os_error()).with_context(|| format!("interface {name}"));
    }
    Ok(i32::try_from(index)?)
}

/// Attach a program to a tcx hook; its section says to which. libbpf-rs has no call for it.
fn attach_tcx(program: &ProgramMut<'_>, interface: &str) -> Result<Link> {
    let index = interface_index(interface)?;
    // SAFETY: the program is loaded, and null stands for default options.
    let link = unsafe {
        libbpf_sys::bpf_program__attach_tcx(program.as_libbpf_object().as_ptr(), index, ptr::null())
    };
    let link = NonNull::new(link)
        .ok_or_else(io::Error::last_os_error)
        .with_context(|| format!("tcx on {interface}"))?;
    // SAFETY: libbpf has just made it, and nobody else has it.
    Ok(unsafe { Link::from_ptr(link) })
}

/// Load, attach, pin.
///
/// # Errors
/// The kernel lacks something, it is up already, or the arguments do not fit the machine. Nothing stays behind.
pub fn up(pins: &Path, arguments: &UpArguments) -> Result<()> {
    let report = probe::probe();
    if !report.usable() {
        bail!("this kernel cannot: {}", report.missing());
    }
    for name in &arguments.interfaces {
        interface_index(name)?;
    }
    mount_bpf_fs(pins)?;
    if let Err(error) = fs::create_dir(pins) {
        if error.kind() == io::ErrorKind::AlreadyExists {
            bail!(
                "it is up already (pins in {}): `mecn-host down` first",
                pins.display()
            );
        }
        return Err(error).with_context(|| format!("cannot make {}", pins.display()));
    }
    let cgroup = arguments
        .cgroup
        .clone()
        .or(report.cgroup)
        .context("no cgroup2")?;
    let settings = Settings::new(
        arguments,
        cgroup,
        arguments.count_on_ingress || !report.counters,
    );
    attach(pins, arguments, settings).inspect_err(|_| {
        if let Err(error) = remove_pins(pins) {
            eprintln!("mecn-host: {error:#}");
        }
    })
}

fn attach(pins: &Path, arguments: &UpArguments, mut settings: Settings) -> Result<()> {
    let mut storage = MaybeUninit::uninit();
    let mut open = MecnSkelBuilder::default().open(&mut storage)?;
    let constants = open
        .maps
        .rodata_data
        .as_deref_mut()
        .context("the programs have no constants")?;
    [
        constants.beta_incipient,
        constants.beta_moderate,
        constants.beta_loss,
    ] = settings.betas;
    constants.count_on_ingress = settings.count_on_ingress;
    let mut skeleton = open.load().context("the kernel refuses the programs")?;

    for prefix in &arguments.peers {
        let map = if prefix.is_ipv4() {
            &skeleton.maps.prefixes4
        } else {
            &skeleton.maps.prefixes6
        };
        map.update(&prefix.key(), &[1], MapFlags::ANY)
            .with_context(|| format!("prefix {prefix}"))?;
    }
    settings.store(&skeleton.maps.settings)?;
    skeleton.maps.settings.pin(pins.join("settings"))?;
    skeleton.maps.counters.pin(pins.join("counters"))?;
    skeleton.maps.events.pin(pins.join("events"))?;

    let cgroup =
        File::open(&settings.cgroup).with_context(|| settings.cgroup.display().to_string())?;
    let mut reader = skeleton
        .progs
        .mecn_ack
        .attach_cgroup(cgroup.as_raw_fd())
        .with_context(|| format!("cgroup {}", settings.cgroup.display()))?;
    reader.pin(pins.join("reader"))?;
    for (i, name) in settings.interfaces.iter().enumerate() {
        attach_tcx(&skeleton.progs.mecn_echo, name)?.pin(pins.join(format!("echo{i}")))?;
        if settings.count_on_ingress {
            attach_tcx(&skeleton.progs.mecn_count, name)?.pin(pins.join(format!("count{i}")))?;
        }
    }
    let mut control = skeleton.maps.mecn.attach_struct_ops().with_context(|| {
        format!("cannot register the congestion control {NAME:?}; is it up with other pins?")
    })?;
    control.pin(pins.join("congestion-control"))?;
    if arguments.default {
        let before = Default::current()?;
        settings.default = Some(before.clone());
        // First what to restore, then the change: if this process dies in between, `down` can undo it.
        settings.store(&skeleton.maps.settings)?;
        before.replace()?;
    }
    Ok(())
}

/// Remove the pins, and with them what they hold; the congestion control first.
fn remove_pins(pins: &Path) -> Result<()> {
    match fs::remove_file(pins.join("congestion-control")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => (),
    }
    for entry in fs::read_dir(pins)? {
        let path = entry?.path();
        fs::remove_file(&path).with_context(|| path.display().to_string())?;
    }
    fs::remove_dir(pins).with_context(|| pins.display().to_string())
}

/// Routes of this namespace that name the congestion control.
fn routes() -> Vec<String> {
    let mut found = Vec::new();
    for family in ["-4", "-6"] {
        // Without iproute2 nobody has made such a route by the usual means; there is nothing to name then.
        if let Ok(output) = process::Command::new("ip")
            .args([family, "route", "show", "table", "all"])
            .output()
        {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let named = |line: &&str| {
                line.split_whitespace()
                    .collect::<Vec<_>>()
                    .windows(2)
                    .any(|w| w == ["congctl", NAME])
            };
            found.extend(
                text.lines()
                    .filter(named)
                    .map(|line| line.trim().to_owned()),
            );
        }
    }
    found
}

/// Undo what `up` did and name what still uses it.
///
/// # Errors
/// Nothing is up, or it is the default of another namespace and `force` is not given.
pub fn down(pins: &Path, force: bool) -> Result<()> {
    if !pins.exists() {
        return Err(anyhow!("nothing is up: no pins in {}", pins.display()));
    }
    // An `up` that died early leaves no settings, and then it has changed none.
    match Settings::load(pins).map(|settings| settings.default) {
        Ok(Some(default)) => match default.restore() {
            Err(error) if force => eprintln!("mecn-host: default not restored: {error:#}"),
            other => other?,
        },
        Ok(None) => (),
        Err(error) => eprintln!("mecn-host: no settings to restore: {error:#}"),
    }
    let using = users::find(NAME);
    remove_pins(pins)?;
    for route in routes() {
        println!("route still names it (new connections get the default): {route}");
    }
    match using {
        Ok(using) => {
            for user in using {
                println!("socket uses it until it closes, and reduces as for loss: {user}");
            }
        }
        Err(error) => eprintln!("mecn-host: cannot list the sockets that still use it: {error:#}"),
    }
    Ok(())
}
