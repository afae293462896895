// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Bringing it up and taking it down, one network namespace at a time.
//!
//! The first `up` on a machine loads what all namespaces share (`machine.rs`), the last `down` removes it. Within a
//! namespace the scope comes last and goes first: a socket for which the programs find one finds prefixes and
//! echo too. Settings say whether they are complete; those that are not were left by an `up` or a `down` that was
//! killed, and the next one clears them away.

use crate::clsact::{self, Direction};
use crate::machine::{self, Pins, clear_counters};
use crate::netns::Namespace;
use crate::prefix::Prefix;
use crate::settings::{Attachment, Default, NAME, Registration, Settings};
use crate::users::User;
use crate::{UpArguments, probe, users};
use anyhow::{Context, Result, bail};
use libbpf_rs::query::LinkTypeInfo;
use libbpf_rs::{ErrorKind, Link, MapCore, MapFlags, Program, libbpf_sys};
use nix::net::if_::if_nametoindex;
use std::collections::hash_map::RandomState;
use std::ffi::CString;
use std::fs;
use std::hash::BuildHasher;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::{io, process};

/// The programs on an interface: name of their pins, direction.
fn programs(count_on_ingress: bool) -> &'static [(&'static str, Direction)] {
    let both = &[("echo", Direction::Egress), ("count", Direction::Ingress)];
    if count_on_ingress { both } else { &both[..1] }
}

fn interface_index(name: &str) -> Result<u32> {
    if_nametoindex(name).with_context(|| format!("interface {name}"))
}

/// Attach a pinned program to an interface of this thread's namespace and pin the link.
fn attach_tcx(program: &Path, direction: Direction, interface: &str, pin: &Path) -> Result<()> {
    let hook = match direction {
        Direction::Ingress => libbpf_sys::BPF_TCX_INGRESS,
        Direction::Egress => libbpf_sys::BPF_TCX_EGRESS,
    };
    let program = Program::fd_from_pinned_path(program)?;
    let index = i32::try_from(interface_index(interface)?)?;
    // SAFETY: the program lives until the call returns, and null stands for default options.
    let link =
        unsafe { libbpf_sys::bpf_link_create(program.as_raw_fd(), index, hook, ptr::null()) };
    if link < 0 {
        return Err(io::Error::last_os_error()).with_context(|| format!("tcx on {interface}"));
    }
    // SAFETY: the kernel has just made it, and nobody else has it.
    let link = unsafe { OwnedFd::from_raw_fd(link) };
    let path = CString::new(pin.as_os_str().as_bytes())?;
    // SAFETY: the string lives until the call returns.
    if unsafe { libbpf_sys::bpf_obj_pin(link.as_raw_fd(), path.as_ptr()) } != 0 {
        return Err(io::Error::last_os_error()).with_context(|| pin.display().to_string());
    }
    Ok(())
}

/// Load, attach, pin.
///
/// # Errors
/// The kernel lacks something, it is up already, or the arguments do not fit the machine. Nothing stays behind.
pub fn up(pins: &Pins, netns: Option<&str>, arguments: &UpArguments) -> Result<()> {
    let namespace = Namespace::open(netns)?;
    let report = namespace.inside(probe::probe)?;
    if !report.usable() {
        bail!("this kernel cannot: {}", report.missing());
    }
    namespace.inside(|| {
        let check = |name: &String| interface_index(name).map(drop);
        arguments.interfaces.iter().try_for_each(check)
    })??;
    pins.mount()?;
    let _lock = pins.lock()?;
    clear_leftovers(pins)?;
    let first = !pins.exist();
    if first {
        let cgroup = arguments.cgroup.clone().or(report.cgroup);
        let registration = if arguments.without_links {
            Registration::Map
        } else {
            report.registration
        };
        machine::load(pins, cgroup.context("no cgroup2")?, registration)?;
    } else {
        machine::check(pins, arguments.cgroup.as_deref())?;
        if let Some(there) = Settings::load(&pins.map("settings")?, namespace.cookie)? {
            if there.complete {
                bail!(
                    "it is up already in network namespace {}: `mecn-host down` there first",
                    namespace.name
                );
            }
            eprintln!(
                "mecn-host: clearing away what an unfinished run left in {}",
                namespace.name
            );
            detach(pins, namespace.cookie, there, Some(&namespace))?;
        }
    }
    let count_on_ingress = arguments.count_on_ingress || !report.counters;
    let attachment = if arguments.without_links {
        Attachment::Clsact
    } else {
        report.attachment
    };
    let settings = Settings::new(arguments, &namespace, count_on_ingress, attachment);
    attach(pins, &namespace, settings.clone()).inspect_err(|_| {
        let undone = detach(pins, namespace.cookie, settings, Some(&namespace))
            .and_then(|()| if first { pins.remove() } else { Ok(()) });
        if let Err(error) = undone {
            eprintln!("mecn-host: {error:#}");
        }
    })
}

fn attach(pins: &Pins, namespace: &Namespace, mut settings: Settings) -> Result<()> {
    let cookie = namespace.cookie;
    let map = pins.map("settings")?;
    settings.store(&map, cookie)?;
    clear_counters(&pins.map("counters")?, cookie)?;
    for prefix in &settings.peers {
        pins.map(prefix_map(prefix))?
            .update(&prefix.key(cookie), &[1], MapFlags::ANY)
            .with_context(|| format!("prefix {prefix}"))?;
    }
    let links = pins.links(cookie);
    fs::create_dir(&links).with_context(|| links.display().to_string())?;
    namespace.inside(|| {
        if settings.attachment == Attachment::Clsact {
            return attach_classifiers(pins, cookie, &mut settings);
        }
        for (i, name) in settings.interfaces.iter().enumerate() {
            for &(program, direction) in programs(settings.count_on_ingress) {
                let pin = links.join(format!("{program}{i}"));
                attach_tcx(&pins.program(program), direction, name, &pin)?;
            }
        }
        anyhow::Ok(())
    })??;
    pins.map("scopes")?
        .update(&cookie.to_ne_bytes(), &scope(&settings), MapFlags::ANY)?;
    if settings.default.is_none() && settings.wants_default {
        // First what to restore, then the change: if this process dies in between, `down` can undo it.
        settings.default = Some(namespace.inside(Default::current)??);
        settings.store(&map, cookie)?;
        namespace.inside(Default::replace)??;
    }
    settings.complete = true;
    settings.store(&map, cookie)
}

/// Attach the programs in this thread's namespace where the kernel has no tcx.
fn attach_classifiers(pins: &Pins, cookie: u64, settings: &mut Settings) -> Result<()> {
    let map = pins.map("settings")?;
    for name in settings.interfaces.clone() {
        let index = interface_index(&name)?;
        settings.indices.push(index);
        if !clsact::exists(&name)? {
            settings.clsact_made.push(index);
        }
        // First what to remove, then the change.
        settings.store(&map, cookie)?;
        if settings.clsact_made.contains(&index) {
            clsact::make(index).with_context(|| name.clone())?;
        }
        for &(program, direction) in programs(settings.count_on_ingress) {
            clsact::attach(&pins.program(program), index, direction)
                .with_context(|| name.clone())?;
        }
    }
    Ok(())
}

/// Undo `attach_classifiers`, however far it got.
fn detach_classifiers(pins: &Pins, settings: &Settings) -> Result<()> {
    for &index in &settings.indices {
        for &(program, direction) in programs(true) {
            clsact::detach(&pins.program(program), index, direction)?;
        }
        if settings.clsact_made.contains(&index) {
            clsact::remove_if_empty(index)?;
        }
    }
    Ok(())
}

/// `struct scope` of `mecn.bpf.c`.
fn scope(settings: &Settings) -> Vec<u8> {
    // Any number that no `up` in this namespace has had before; the hasher's seed is random.
    let generation = (RandomState::new().hash_one(process::id()) as u32).max(1);
    let words = [
        settings.betas[0],
        settings.betas[1],
        settings.betas[2],
        generation,
        u32::from(settings.count_on_ingress),
    ];
    words.map(u32::to_ne_bytes).concat()
}

fn prefix_map(prefix: &Prefix) -> &'static str {
    if prefix.is_ipv4() {
        "prefixes4"
    } else {
        "prefixes6"
    }
}

/// Delete a key that may be gone already.
fn delete(map: &impl MapCore, key: &[u8]) -> Result<()> {
    match map.delete(key) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Undo `attach`, however far it got; `namespace` is none if nobody can enter it any more.
fn detach(
    pins: &Pins,
    cookie: u64,
    mut settings: Settings,
    namespace: Option<&Namespace>,
) -> Result<()> {
    let (key, map) = (cookie.to_ne_bytes(), pins.map("settings")?);
    // What `attach` was given does not say what it changed.
    if let Some(stored) = Settings::load(&map, cookie)? {
        settings = stored;
        settings.complete = false;
        settings.store(&map, cookie)?;
    }
    if let (Some(default), Some(namespace)) = (&settings.default, namespace) {
        namespace.inside(|| default.restore())??;
    }
    delete(&pins.map("scopes")?, &key)?;
    if let (Attachment::Clsact, Some(namespace)) = (settings.attachment, namespace) {
        namespace.inside(|| detach_classifiers(pins, &settings))??;
    }
    remove_links(&pins.links(cookie))?;
    for prefix in &settings.peers {
        delete(&pins.map(prefix_map(prefix))?, &prefix.key(cookie))?;
    }
    delete(&pins.map("counters")?, &key)?;
    delete(&map, &key)
}

/// Remove a namespace's links. They are detached at once: without their pins alone the kernel would do it in the
/// background, and the next `up` would find the programs attached still.
fn remove_links(directory: &Path) -> Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let pin = entry?.path();
        // Where the interface has gone there is nothing to detach any more.
        if is_attached(&pin) {
            Link::open(&pin)?
                .detach()
                .with_context(|| pin.display().to_string())?;
        }
    }
    Ok(fs::remove_dir_all(directory)?)
}

/// Interfaces of these settings that have gone since `up`, and their echo with them.
pub fn interfaces_gone(pins: &Pins, cookie: u64, settings: &Settings) -> Vec<String> {
    let names = settings.interfaces.iter();
    let attached: Vec<bool> = match settings.attachment {
        Attachment::Tcx => {
            let pin = |i| pins.links(cookie).join(format!("echo{i}"));
            (0..names.len()).map(|i| is_attached(&pin(i))).collect()
        }
        Attachment::Clsact => {
            let echo = pins.program("echo");
            let there = |&index| clsact::is_attached(&echo, index, Direction::Egress);
            Namespace::find(settings.inode, cookie)
                .and_then(|namespace| {
                    namespace
                        .inside(|| settings.indices.iter().map(there).collect())
                        .ok()
                })
                .unwrap_or_default()
        }
    };
    names
        .enumerate()
        .filter(|&(i, _)| !attached.get(i).is_some_and(|&there| there))
        .map(|(_, name)| name.clone())
        .collect()
}

/// Whether the interface of a pinned link is still there.
fn is_attached(pin: &Path) -> bool {
    Link::open(pin)
        .and_then(|link| link.info())
        .is_ok_and(|info| matches!(info.info, LinkTypeInfo::Tcx(tcx) if tcx.ifindex != 0))
}

/// Remove what runs that were killed, and namespaces that are gone, have left.
fn clear_leftovers(pins: &Pins) -> Result<()> {
    if !pins.exist() {
        return Ok(());
    }
    let broken = !pins.complete();
    if broken {
        eprintln!("mecn-host: clearing away what an unfinished run left");
    }
    // Without settings nothing was attached in any namespace.
    if let Ok(map) = pins.map("settings") {
        for (cookie, settings) in Settings::all(&map)? {
            let links = fs::read_dir(pins.links(cookie))
                .into_iter()
                .flatten()
                .flatten();
            let attached = links.map(|pin| pin.path()).any(|pin| is_attached(&pin));
            let namespace = Namespace::find(settings.inode, cookie);
            if broken || (!attached && namespace.is_none()) {
                detach(pins, cookie, settings, namespace.as_ref())?;
            }
        }
    }
    if broken {
        pins.remove()?;
    }
    Ok(())
}

/// Routes of this thread's namespace that name the congestion control.
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

/// Undo what `up` did in one namespace, or in all, and name what still uses it.
///
/// # Errors
/// It is not up there, or the kernel refuses.
pub fn down(pins: &Pins, netns: Option<&str>, all: bool) -> Result<()> {
    if !pins.exist() {
        bail!(pins.nothing());
    }
    let _lock = pins.lock()?;
    let using = users::find(NAME).unwrap_or_else(|error| {
        eprintln!("mecn-host: cannot list the sockets that still use it: {error:#}");
        Vec::new()
    });
    let broken = !pins.complete();
    clear_leftovers(pins)?;
    if !pins.exist() {
        if broken {
            report(&using, None);
            return Ok(());
        }
        bail!(pins.nothing());
    }
    let map = pins.map("settings")?;
    let up = Settings::all(&map)?;
    if all {
        for (cookie, settings) in up {
            let namespace = Namespace::find(settings.inode, cookie);
            if namespace.is_none() && settings.default.is_some() {
                eprintln!(
                    "mecn-host: network namespace {} has no name and no process: default not restored",
                    settings.netns
                );
            }
            detach(pins, cookie, settings, namespace.as_ref())?;
            report(&using, namespace.as_ref());
        }
    } else {
        let namespace = Namespace::open(netns)?;
        let Some((cookie, settings)) = up
            .iter()
            .find(|(cookie, _)| *cookie == namespace.cookie)
            .cloned()
        else {
            let names: Vec<_> = up.iter().map(|(_, there)| there.netns.as_str()).collect();
            if names.is_empty() {
                return pins.remove();
            }
            bail!(
                "it is not up in network namespace {}, but in {}: --netns NAME or --all",
                namespace.name,
                names.join(", ")
            );
        };
        detach(pins, cookie, settings, Some(&namespace))?;
        report(&using, Some(&namespace));
    }
    if Settings::all(&map)?.is_empty() {
        pins.remove()?;
    }
    Ok(())
}

/// Name the sockets, and the routes of one namespace, that still use the congestion control.
fn report(using: &[User], namespace: Option<&Namespace>) {
    let routes = namespace.map(|namespace| namespace.inside(routes));
    for route in routes.into_iter().flatten().flatten() {
        println!("route still names it (new connections get the default): {route}");
    }
    for user in using {
        if namespace.is_none_or(|namespace| namespace.cookie == user.namespace) {
            println!("socket uses it until it closes, and reduces as for loss: {user}");
        }
    }
}
