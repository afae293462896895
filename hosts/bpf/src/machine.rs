// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What there is once on a machine: the congestion control, the reader of acknowledgements, the maps.
//!
//! Everything hangs on links pinned in one directory. The congestion control is pinned last and removed first:
//! where its pin is missing, an `up` or a `down` has broken off, and the next one clears away what it left.

use crate::settings::{Machine, NAME, Registration};
use crate::skeleton::mecn::MecnSkelBuilder;
use anyhow::{Context, Result, bail};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{MapCore, MapFlags, MapHandle, num_possible_cpus};
use nix::fcntl::{Flock, FlockArg};
use nix::mount::{MsFlags, mount};
use std::fs::{self, File};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

const BPF_FS: &str = "/sys/fs/bpf";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const PATIENCE: Duration = Duration::from_secs(5);

/// Key of the settings of the machine, and of the counters of namespaces in which nothing is up; `OTHERS` in
/// `mecn.bpf.c`.
pub const OTHERS: u64 = 0;

/// The directory of pins.
pub struct Pins(pub PathBuf);

impl Pins {
    /// A pinned map.
    ///
    /// # Errors
    /// Nothing is up.
    pub fn map(&self, name: &str) -> Result<MapHandle> {
        MapHandle::from_pinned_path(self.0.join(name)).with_context(|| self.nothing())
    }

    /// What to say where nothing is up.
    pub fn nothing(&self) -> String {
        format!("nothing is up: no pins in {}", self.0.display())
    }

    /// Path of a pinned program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Directory of a namespace's links.
    pub fn links(&self, cookie: u64) -> PathBuf {
        self.0.join(format!("netns-{cookie}"))
    }

    fn control(&self) -> PathBuf {
        self.0.join("congestion-control")
    }

    /// The congestion control's map, where no link holds its registration.
    fn control_map(&self) -> PathBuf {
        self.0.join("congestion-control-map")
    }

    /// Whether there is anything.
    pub fn exist(&self) -> bool {
        self.0.exists()
    }

    /// Whether all of the machine's part is there.
    pub fn complete(&self) -> bool {
        self.control().exists()
    }

    /// Wait until no other `up` or `down` is at work, and keep others out as long as the result lives.
    ///
    /// # Errors
    /// The directory above the pins is not there.
    pub fn lock(&self) -> Result<Flock<File>> {
        let parent = self.0.parent().context("--pins names no directory")?;
        let directory = File::open(parent).with_context(|| parent.display().to_string())?;
        Flock::lock(directory, FlockArg::LockExclusive)
            .map_err(|(_, error)| error)
            .with_context(|| parent.display().to_string())
    }

    /// Make sure that there is a BPF file system for them.
    ///
    /// # Errors
    /// The kernel refuses to mount one.
    pub fn mount(&self) -> Result<()> {
        if !self.0.starts_with(BPF_FS)
            || fs::read_to_string("/proc/self/mounts")?.contains(" /sys/fs/bpf bpf ")
        {
            return Ok(());
        }
        mount(
            Some("bpf"),
            BPF_FS,
            Some("bpf"),
            MsFlags::empty(),
            // As systemd does. By default anyone may make names here, and hold the lock on the folder.
            Some("mode=0700"),
        )
        .context("cannot mount a BPF file system on /sys/fs/bpf")
    }

    /// Remove all pins, and with them what they hold; the congestion control first.
    ///
    /// # Errors
    /// A pin cannot be removed.
    pub fn remove(&self) -> Result<()> {
        match fs::remove_file(self.control()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => (),
        }
        self.unregister()?;
        fs::remove_dir_all(&self.0).with_context(|| self.0.display().to_string())?;
        await_unregistered()
    }

    /// Where no link does it by its end: without this the congestion control would stay until the machine is booted.
    fn unregister(&self) -> Result<()> {
        if !self.control_map().exists() {
            return Ok(());
        }
        let map = MapHandle::from_pinned_path(self.control_map())?;
        // Whoever was killed after it had deleted the element has left nothing to delete.
        if let Err(error) = map.delete(&0u32.to_ne_bytes())
            && is_registered()?
        {
            return Err(error).context("cannot unregister the congestion control");
        }
        Ok(())
    }
}

fn is_registered() -> Result<bool> {
    let registered = fs::read_to_string(AVAILABLE).context(AVAILABLE)?;
    Ok(registered.split_whitespace().any(|name| name == NAME))
}

/// Wait until the congestion control is registered no more: the kernel ends links in the background.
fn await_unregistered() -> Result<()> {
    for _ in 0..PATIENCE.as_millis() {
        if !is_registered()? {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(1));
    }
    bail!("a congestion control {NAME:?} is registered already; is it up with other pins?")
}

/// Load the programs, attach the reader, register the congestion control.
///
/// # Errors
/// The kernel lacks something. Nothing stays behind.
pub fn load(pins: &Pins, cgroup: PathBuf, registration: Registration) -> Result<()> {
    fs::create_dir(&pins.0).with_context(|| format!("cannot make {}", pins.0.display()))?;
    attach(pins, cgroup, registration).inspect_err(|_| {
        if let Err(error) = pins.remove() {
            eprintln!("mecn-host: {error:#}");
        }
    })
}

fn attach(pins: &Pins, cgroup: PathBuf, registration: Registration) -> Result<()> {
    let mut storage = MaybeUninit::uninit();
    let mut open = MecnSkelBuilder::default().open(&mut storage)?;
    if registration == Registration::Map {
        // Its section's name sets BPF_F_LINK, which these kernels do not know.
        open.maps.mecn.set_map_flags(0)?;
    }
    let mut skeleton = open.load().context("the kernel refuses the programs")?;
    let at = |name: &str| pins.0.join(name);
    skeleton.maps.settings.pin(at("settings"))?;
    skeleton.maps.scopes.pin(at("scopes"))?;
    skeleton.maps.prefixes4.pin(at("prefixes4"))?;
    skeleton.maps.prefixes6.pin(at("prefixes6"))?;
    skeleton.maps.counters.pin(at("counters"))?;
    skeleton.maps.events.pin(at("events"))?;
    skeleton.progs.mecn_echo.pin(pins.program("echo"))?;
    skeleton.progs.mecn_count.pin(pins.program("count"))?;
    clear_counters(&skeleton.maps.counters, OTHERS)?;

    let directory = File::open(&cgroup).with_context(|| cgroup.display().to_string())?;
    let mut reader = skeleton
        .progs
        .mecn_ack
        .attach_cgroup(directory.as_raw_fd())
        .with_context(|| format!("cgroup {}", cgroup.display()))?;
    reader.pin(at("reader"))?;
    Machine::new(cgroup, registration).store(&skeleton.maps.settings)?;
    // That of a `down` that was killed may be about to go.
    await_unregistered()?;
    if registration == Registration::Map {
        // First the pin: if this process dies after registering, the next one can undo it.
        skeleton.maps.mecn.pin(pins.control_map())?;
    }
    let mut control = skeleton
        .maps
        .mecn
        .attach_struct_ops()
        .with_context(|| format!("cannot register the congestion control {NAME:?}"))?;
    control.pin(pins.control())?;
    if registration == Registration::Map {
        // What stands for a link is the map, and would unregister it when it is dropped.
        control.disconnect();
    }
    Ok(())
}

/// Make a namespace's counters, all zero.
///
/// # Errors
/// The kernel refuses: too many namespaces.
pub fn clear_counters(map: &impl MapCore, cookie: u64) -> Result<()> {
    let zero = vec![0; map.value_size() as usize];
    let values = vec![zero; num_possible_cpus()?];
    map.update_percpu(&cookie.to_ne_bytes(), &values, MapFlags::ANY)
        .context("counters")
}

/// Whether what is loaded is what this program and these arguments want.
///
/// # Errors
/// It is not.
pub fn check(pins: &Pins, cgroup: Option<&Path>) -> Result<()> {
    let loaded = Machine::load(&pins.map("settings")?)?;
    let version = env!("CARGO_PKG_VERSION");
    if loaded.version != version {
        bail!(
            "up is that of mecn-host {}, and this is {version}: `down --all` with that one first",
            loaded.version
        );
    }
    match cgroup {
        Some(wanted) if wanted != loaded.cgroup => bail!(
            "one cgroup serves the whole machine, and it is {} already",
            loaded.cgroup.display()
        ),
        _ => Ok(()),
    }
}
