// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Real time: one thread that owns the sockets, the clock and the packets.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver as EventReceiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use p4_engine::{PortConfig, PortConfigError, Rate};

use crate::arrival::ArrivalSettings;
use crate::capture::Capture;
use crate::counters::{PortCounters, PortTotals, add};
use crate::driver::{Driver, TraceRecord};
use crate::error::IoError;
use crate::offload::{VnetHeader, complete};
use crate::shared::SharedSwitch;
use crate::socket::PacketInterface;
use crate::sys::{self, BATCH, Polled, Receiver, Wake, precise_timers};

/// Events that wait to be read at most; later ones are counted and lost.
const MAX_EVENTS: usize = 8192;
/// Frames to the controller that wait at most.
const MAX_PUNTED: usize = 1024;
/// Frames from the controller that wait at most.
const MAX_INJECTED: usize = 1024;
/// The thread stays awake when the next frame is due within this time, as waking up takes longer.
const AWAKE: u64 = 40_000;
/// How often drops are asked of the kernel, in nanoseconds.
const HOUSEKEEPING: u64 = 1_000_000_000;

/// An interface and the port of the switch that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The port's number.
    pub port: u16,
    /// The interface's name.
    pub name: String,
}

/// What to run on.
#[derive(Clone, Debug, Default)]
pub struct RuntimeConfig {
    /// The ports that have interfaces.
    pub interfaces: Vec<Interface>,
    /// Wires from one port to another: frames go from the link towards the one to the interface of the other,
    /// without a switch. Then there is no switch at all.
    pub wires: Vec<(u16, u16)>,
    /// The port whose frames go to the controller instead of an interface.
    pub cpu_port: Option<u16>,
    /// Never sleep: least lateness, at the price of a processor.
    pub busy_poll: bool,
    /// Record all frames in this folder.
    pub capture: Option<PathBuf>,
    /// Give up the capabilities of the calling thread and of all that come after it once interfaces and
    /// files are open.
    pub drop_privileges: bool,
}

/// Queue and link of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSettings {
    /// The queue, as the engine has it.
    pub queue: PortConfig,
    /// Propagation delay of the link behind it, in nanoseconds.
    pub delay_ns: u64,
    /// Rate of the link towards it, in bits per second, by length plus the queue's overhead; 0: unlimited.
    pub in_rate_bps: u64,
    /// Propagation delay of the link towards it, in nanoseconds.
    pub in_delay_ns: u64,
    /// What the queue before the link towards it holds, in packets; 0: no such limit.
    pub in_limit_packets: u32,
}

/// Something that the thread of packets reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A trace was asked for.
    Trace(TraceRecord),
    /// Something is not as it should be, such as an interface that went down.
    Warning(String),
    /// The thread has ended and takes no more packets.
    Failed(String),
}

/// Frames to the controller, behind the number of the switch that they left.
type Punted = VecDeque<(u64, Vec<u8>)>;

/// What both sides see.
struct Common {
    wake: Wake,
    stop: AtomicBool,
    tracing: AtomicBool,
    flush: AtomicBool,
    /// The switch that packets go through, and how often it was replaced.
    current: Mutex<(u64, Option<Arc<SharedSwitch>>)>,
    epoch: AtomicU64,
    /// The epoch that the thread of packets has arrived at.
    settled: (Mutex<u64>, Condvar),
    injected: Mutex<VecDeque<(u16, Vec<u8>)>>,
    punted: (Mutex<Punted>, Condvar),
    punt_drops: AtomicU64,
    /// Whether the switch has had digests since they were last waited for.
    digests: (Mutex<bool>, Condvar),
    lost_events: AtomicU64,
    unattached: AtomicU64,
    start: Instant,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What both threads see of a port's links.
struct PortLink {
    interface: Interface,
    counters: Arc<PortCounters>,
    delay_ns: Arc<AtomicU64>,
    arrival: Arc<ArrivalSettings>,
}

/// A switch that runs on interfaces until it is stopped or dropped.
pub struct Runtime {
    common: Arc<Common>,
    thread: Mutex<Option<JoinHandle<()>>>,
    events: Mutex<EventReceiver<Event>>,
    links: Vec<PortLink>,
    settings: Mutex<BTreeMap<u16, PortSettings>>,
}

impl Runtime {
    /// Opens the interfaces and starts. Without a switch (see [`Runtime::set_switch`]) frames are dropped.
    ///
    /// # Errors
    /// If a port or interface is given twice, or an interface or a capture file cannot be opened.
    pub fn start(config: RuntimeConfig) -> Result<Self, IoError> {
        let known = |port| config.interfaces.iter().any(|of| of.port == port);
        for (i, &(from, to)) in config.wires.iter().enumerate() {
            if let Some(port) = [from, to].into_iter().find(|&port| !known(port)) {
                return Err(IoError::Config(format!(
                    "port {port} of a wire has no interface"
                )));
            }
            if config.wires[..i]
                .iter()
                .any(|of| of.0 == from || of.1 == to)
            {
                return Err(IoError::Config(format!(
                    "two wires begin at port {from} or end at port {to}"
                )));
            }
        }
        for (i, interface) in config.interfaces.iter().enumerate() {
            let before = &config.interfaces[..i];
            if before.iter().any(|other| other.port == interface.port) {
                let port = interface.port;
                return Err(IoError::Config(format!("port {port} is given twice")));
            }
            if before.iter().any(|other| other.name == interface.name) {
                let name = &interface.name;
                return Err(IoError::Config(format!("interface {name} is given twice")));
            }
            if config.cpu_port == Some(interface.port) {
                let port = interface.port;
                return Err(IoError::Config(format!(
                    "port {port} is the CPU port and cannot have an interface"
                )));
            }
        }
        let mut ports = Vec::with_capacity(config.interfaces.len());
        for interface in &config.interfaces {
            let capture = match &config.capture {
                Some(folder) => Some(Capture::create(folder, &interface.name)?),
                None => None,
            };
            ports.push(Port {
                number: interface.port,
                interface: PacketInterface::open(&interface.name)?,
                capture,
                failing: false,
            });
        }
        let numbers: Vec<u16> = config.interfaces.iter().map(|i| i.port).collect();
        let mut driver = Driver::new(&numbers, config.cpu_port);
        for &(from, to) in &config.wires {
            driver.connect(from, to);
        }
        let system = |what| move |cause| IoError::System { what, cause };
        let common = Arc::new(Common {
            wake: Wake::new().map_err(system("cannot make an event descriptor"))?,
            stop: AtomicBool::new(false),
            tracing: AtomicBool::new(false),
            flush: AtomicBool::new(false),
            current: Mutex::default(),
            epoch: AtomicU64::new(0),
            settled: Default::default(),
            injected: Mutex::default(),
            punted: Default::default(),
            punt_drops: AtomicU64::new(0),
            digests: Default::default(),
            lost_events: AtomicU64::new(0),
            unattached: AtomicU64::new(0),
            start: Instant::now(),
        });
        let pairs = config.interfaces.into_iter().zip(driver.links());
        let links = pairs
            .map(|(interface, link)| PortLink {
                interface,
                counters: Arc::clone(&link.counters),
                delay_ns: Arc::clone(&link.delay_ns),
                arrival: Arc::clone(&link.arrival),
            })
            .collect();
        let (sender, events) = sync_channel(MAX_EVENTS);
        let fds = ports.iter().map(|port| port.interface.raw());
        let worker = Worker {
            polled: Polled::new(fds.chain([common.wake.raw()])),
            common: Arc::clone(&common),
            driver,
            ports,
            receiver: Receiver::default(),
            events: sender,
            switch: None,
            wired: !config.wires.is_empty(),
            digests: false,
            epoch: 0,
            wall_ns: wall_clock_ns(),
            busy_poll: config.busy_poll,
            housekeeping_ns: 0,
        };
        if config.drop_privileges {
            sys::drop_privileges().map_err(system("cannot drop privileges"))?;
        }
        let thread = thread::Builder::new()
            .name("packets".to_owned())
            .spawn(move || worker.run())
            .map_err(system("cannot start a thread"))?;
        Ok(Self {
            common,
            thread: Mutex::new(Some(thread)),
            events: Mutex::new(events),
            links,
            settings: Mutex::default(),
        })
    }

    /// Lets packets go through another switch from now on. The queues of the old one are emptied through
    /// its own egress pipeline, each packet at the time at which it would have left; so every packet sees
    /// one pipeline whole, and none is lost. Ports are configured as they were by
    /// [`Runtime::configure_port`]. Returns when the thread of packets has changed over; gives the
    /// number of the switch, which grows with each.
    pub fn set_switch(&self, switch: Arc<SharedSwitch>) -> u64 {
        let epoch = {
            // Held until the switch is the current one, so that no setting falls between.
            let settings = hold(&self.settings);
            let mut engine = switch.control();
            for (&port, of) in settings.iter() {
                // It was accepted by `configure_port`.
                let _ = engine.configure_port(port, of.queue);
            }
            drop(engine);
            let mut current = hold(&self.common.current);
            if current
                .1
                .as_ref()
                .is_some_and(|old| Arc::ptr_eq(old, &switch))
            {
                return current.0;
            }
            *current = (current.0 + 1, Some(switch));
            self.common.epoch.store(current.0, Relaxed);
            current.0
        };
        self.common.wake.wake();
        let (settled, changed) = &self.common.settled;
        let guard = hold(settled);
        // A thread that has ended will never get there.
        let _ = changed.wait_timeout_while(guard, Duration::from_secs(2), |at| *at < epoch);
        epoch
    }

    /// Configures a port's queue and link, at once and for every later switch. A shorter delay does not
    /// let frames overtake.
    ///
    /// # Errors
    /// If the rate is 0.
    pub fn configure_port(&self, port: u16, settings: PortSettings) -> Result<(), PortConfigError> {
        let mut all = hold(&self.settings);
        let current = hold(&self.common.current).1.clone();
        match current {
            Some(switch) => switch.control().configure_port(port, settings.queue)?,
            None if matches!(
                settings.queue.rate,
                Rate::BitsPerSecond(0) | Rate::PacketsPerSecond(0)
            ) =>
            {
                return Err(PortConfigError::ZeroRate);
            }
            None => {}
        }
        all.insert(port, settings);
        if let Some(link) = self.links.iter().find(|link| link.interface.port == port) {
            link.delay_ns.store(settings.delay_ns, Relaxed);
            let overhead = i64::from(settings.queue.overhead_bytes);
            link.arrival.overhead_bytes.store(overhead, Relaxed);
            link.arrival.rate_bps.store(settings.in_rate_bps, Relaxed);
            link.arrival.delay_ns.store(settings.in_delay_ns, Relaxed);
            link.arrival
                .limit_packets
                .store(settings.in_limit_packets, Relaxed);
        }
        drop(all);
        self.common.wake.wake();
        Ok(())
    }

    /// The interfaces and their counts.
    pub fn totals(&self) -> Vec<(Interface, PortTotals)> {
        let each = self.links.iter();
        each.map(|link| (link.interface.clone(), link.counters.totals()))
            .collect()
    }

    /// Frames sent out of ports that have no interface.
    pub fn unattached(&self) -> u64 {
        self.common.unattached.load(Relaxed)
    }

    /// Frames to the controller that were lost because it did not fetch them.
    pub fn punt_drops(&self) -> u64 {
        self.common.punt_drops.load(Relaxed)
    }

    /// Events that were lost because nobody read them.
    pub fn lost_events(&self) -> u64 {
        self.common.lost_events.load(Relaxed)
    }

    /// Nanoseconds since the start: the clock that the switch sees.
    pub fn now_ns(&self) -> u64 {
        self.common.now_ns()
    }

    /// Reports what becomes of each packet, as [`Event::Trace`].
    pub fn set_trace(&self, on: bool) {
        self.common.tracing.store(on, Relaxed);
        self.common.wake.wake();
    }

    /// Writes what the capture files have in memory.
    pub fn flush_captures(&self) {
        self.common.flush.store(true, Relaxed);
        self.common.wake.wake();
    }

    /// Hands a frame to the switch as if it had come in at `port`. False if too many wait already.
    pub fn inject(&self, port: u16, frame: Vec<u8>) -> bool {
        let mut injected = hold(&self.common.injected);
        let room = injected.len() < MAX_INJECTED;
        if room {
            injected.push_back((port, frame));
        }
        drop(injected);
        self.common.wake.wake();
        room
    }

    /// The next frame sent to the CPU port, behind the number that [`Runtime::set_switch`] gave to the
    /// switch it left; `None` if there is none within `timeout`.
    pub fn next_punted(&self, timeout: Duration) -> Option<(u64, Vec<u8>)> {
        let (punted, arrived) = &self.common.punted;
        let guard = hold(punted);
        let stop = &self.common.stop;
        let waiting = |queue: &mut Punted| queue.is_empty() && !stop.load(Relaxed);
        let waited = arrived.wait_timeout_while(guard, timeout, waiting);
        let (mut guard, _) = waited.unwrap_or_else(PoisonError::into_inner);
        guard.pop_front()
    }

    /// Waits until the switch has digests: true once they are there, false if there are none within `timeout`.
    pub fn wait_for_digests(&self, timeout: Duration) -> bool {
        let (waiting, arrived) = &self.common.digests;
        let stop = &self.common.stop;
        let none = |waiting: &mut bool| !*waiting && !stop.load(Relaxed);
        let waited = arrived.wait_timeout_while(hold(waiting), timeout, none);
        let (mut guard, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut guard)
    }

    /// The next event; `None` if there is none within `timeout`.
    pub fn next_event(&self, timeout: Duration) -> Option<Event> {
        match hold(&self.events).recv_timeout(timeout) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Stopped: a caller that polls must not spin.
                thread::sleep(timeout.min(Duration::from_millis(100)));
                None
            }
        }
    }

    /// Ends: sends what is due now, closes interfaces and capture files. Frames that wait in queues and
    /// links are lost, as when a switch is switched off. A second call does nothing.
    pub fn stop(&self) {
        self.common.stop.store(true, Relaxed);
        self.common.wake.wake();
        self.common.punted.1.notify_all();
        self.common.digests.1.notify_all();
        if let Some(thread) = hold(&self.thread).take() {
            // A panic in it has been reported as an event.
            let _ = thread.join();
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.stop();
    }
}

fn wall_clock_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |t| u64::try_from(t.as_nanos()).unwrap_or(u64::MAX))
}

struct Port {
    number: u16,
    interface: PacketInterface,
    capture: Option<Capture>,
    /// The last operation failed and that was reported.
    failing: bool,
}

/// The thread of packets.
struct Worker {
    common: Arc<Common>,
    driver: Driver,
    ports: Vec<Port>,
    polled: Polled,
    receiver: Receiver,
    events: SyncSender<Event>,
    switch: Option<Arc<SharedSwitch>>,
    /// There are wires, and no switch.
    wired: bool,
    /// Whether the switch has digests for the controller.
    digests: bool,
    epoch: u64,
    /// The time of day at the start.
    wall_ns: u64,
    busy_poll: bool,
    housekeeping_ns: u64,
}

impl Worker {
    fn run(mut self) {
        precise_timers();
        let end = catch_unwind(AssertUnwindSafe(|| self.serve()));
        let failure = match end {
            Ok(Ok(())) => None,
            Ok(Err(e)) => Some(format!("waiting for packets: {e}")),
            Err(_) => Some("internal error in the thread of packets".to_owned()),
        };
        if let Some(text) = failure {
            self.report(Event::Failed(text));
        }
        for port in &mut self.ports {
            if let Some(Err(e)) = port.capture.as_mut().map(Capture::flush) {
                let text = format!("capture of {}: {e}", port.interface.name());
                let _ = self.events.try_send(Event::Warning(text));
            }
        }
        self.common.stop.store(true, Relaxed);
        self.common.punted.1.notify_all();
        self.common.digests.1.notify_all();
    }

    fn report(&self, event: Event) {
        if self.events.try_send(event).is_err() {
            add(&self.common.lost_events, 1);
        }
    }

    fn serve(&mut self) -> io::Result<()> {
        let wake = self.ports.len();
        while !self.common.stop.load(Relaxed) {
            if self.common.epoch.load(Relaxed) != self.epoch {
                self.change_over();
            }
            self.settle_requests();
            let full = self.receive_all();
            let next = self.depart();
            self.send_all();
            self.hand_out();
            let timeout = self.timeout(next, full);
            self.polled.wait(timeout)?;
            if self.polled.ready(wake) {
                self.common.wake.clear();
            }
        }
        Ok(())
    }

    /// How long nothing has to be done unless a frame comes.
    fn timeout(&self, next_departure: Option<u64>, full: bool) -> Option<Duration> {
        if full || self.busy_poll {
            return Some(Duration::ZERO);
        }
        let next = [next_departure, self.driver.next_due()];
        let next = next.into_iter().flatten().min();
        let limit = next.unwrap_or(u64::MAX).min(self.housekeeping_ns);
        let rest = limit.saturating_sub(self.common.now_ns());
        Some(Duration::from_nanos(rest.saturating_sub(AWAKE)))
    }

    /// Takes up another switch, after the packets in the queues of the old one have been sent on their way.
    fn change_over(&mut self) {
        let (epoch, next) = hold(&self.common.current).clone();
        let old = std::mem::replace(&mut self.switch, next);
        if let Some(old) = old {
            let mut engine = old.control();
            self.driver.depart(&mut engine, u64::MAX);
        }
        self.hand_out();
        self.epoch = epoch;
        *hold(&self.common.settled.0) = epoch;
        self.common.settled.1.notify_all();
    }

    /// What other threads asked for, and what is done once in a while.
    fn settle_requests(&mut self) {
        let tracing = self.common.tracing.load(Relaxed);
        if tracing != self.driver.trace.is_some() {
            self.driver.trace = tracing.then(Vec::new);
        }
        let injected = std::mem::take(&mut *hold(&self.common.injected));
        if !injected.is_empty()
            && let Some(switch) = self.switch.clone()
        {
            let mut engine = switch
                .mutex()
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            for (port, frame) in injected {
                let now = self.common.now_ns();
                self.driver.receive(&mut engine, port, &[&frame], 0, now);
            }
        }
        if self.common.flush.swap(false, Relaxed) {
            for i in 0..self.ports.len() {
                let flushed = self.ports[i]
                    .capture
                    .as_mut()
                    .map_or(Ok(()), Capture::flush);
                self.checked_capture(i, flushed);
            }
        }
        let now = self.common.now_ns();
        if now >= self.housekeeping_ns {
            self.housekeeping_ns = now + HOUSEKEEPING;
            for (port, link) in self.ports.iter().zip(self.driver.links()) {
                add(
                    &link.counters.rx_kernel_drops,
                    port.interface.kernel_drops(),
                );
            }
        }
    }

    /// Receives a batch from each interface that has frames; true if one may have more.
    fn receive_all(&mut self) -> bool {
        let mut full = false;
        for i in 0..self.ports.len() {
            if !self.polled.ready(i) {
                continue;
            }
            let result = self.ports[i].interface.receive(&mut self.receiver);
            let count = match result {
                Ok(count) => {
                    self.ports[i].failing &= count == 0;
                    count
                }
                Err(e) => {
                    let counters = &self.driver.links()[i].counters;
                    add(&counters.rx_errors, 1);
                    self.fails(i, "receiving", &e);
                    0
                }
            };
            full |= count == BATCH;
            if count > 0 {
                self.take_in(i, count);
            }
        }
        full
    }

    /// Hands a received batch of port `i` to the switch, or to the wires.
    fn take_in(&mut self, i: usize, count: usize) {
        let counters = Arc::clone(&self.driver.links()[i].counters);
        let switch = self.switch.clone();
        if switch.is_none() && !self.wired {
            add(&counters.rx_no_pipeline, count as u64);
            return;
        }
        let mut engine = switch.as_deref().map(|switch| {
            switch.step_back();
            let mutex = switch.mutex();
            mutex.lock().unwrap_or_else(PoisonError::into_inner)
        });
        let now_ns = self.common.now_ns();
        let wall_ns = self.wall_ns + now_ns;
        if let Some(engine) = engine.as_deref_mut() {
            self.driver.arrive_due(engine, now_ns);
        }
        let port = &mut self.ports[i];
        let mut captured = Ok(());
        for n in 0..count {
            let Some(received) = self.receiver.frame(n) else {
                add(&counters.rx_malformed, 1);
                continue;
            };
            if received.outgoing {
                continue;
            }
            if received.cut {
                add(&counters.rx_malformed, 1);
                continue;
            }
            let vnet = VnetHeader::parse(received.vnet);
            if vnet.is_super_packet() {
                add(&counters.super_packets, 1);
            } else if vnet.needs_checksum() {
                add(&counters.checksums_completed, 1);
            }
            if received.vlan.is_some() {
                add(&counters.vlan_tags_restored, 1);
            }
            let capture = &mut port.capture;
            let driver = &mut self.driver;
            let done = complete(vnet, received.frame, received.vlan, |parts| {
                if let Some(capture) = capture
                    && captured.is_ok()
                {
                    captured = capture.input(wall_ns, &parts.concat());
                }
                match engine.as_deref_mut() {
                    Some(engine) => driver.arrive(engine, port.number, parts, now_ns),
                    None => driver.enter(port.number, parts, now_ns),
                }
            });
            if done.is_err() {
                add(&counters.rx_malformed, 1);
            }
        }
        self.checked_capture(i, captured);
    }

    /// Lets departures that are due happen; gives the time of the switch's next.
    fn depart(&mut self) -> Option<u64> {
        if self.wired {
            self.driver.pass_on(self.common.now_ns());
        }
        let switch = self.switch.clone()?;
        let mut engine = switch
            .mutex()
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now_ns = self.common.now_ns();
        self.driver.arrive_due(&mut engine, now_ns);
        self.driver.depart(&mut engine, now_ns);
        self.digests = engine.has_digests();
        engine.next_departure()
    }

    /// Sends the frames that have arrived at the far ends of their links.
    fn send_all(&mut self) {
        for i in 0..self.ports.len() {
            loop {
                let now_ns = self.common.now_ns();
                let frames = self.driver.due(i, now_ns).map(|held| held.bytes.as_slice());
                let (sent, failure) = match self.ports[i].interface.send(frames) {
                    Ok(0) => break,
                    Ok(sent) => (sent, None),
                    Err(e) => (1, Some(e)),
                };
                let counters = Arc::clone(&self.driver.links()[i].counters);
                let mut captured = Ok(());
                for _ in 0..sent {
                    let Some(held) = self.driver.take(i) else {
                        break;
                    };
                    match &failure {
                        None => {
                            let late_ns = now_ns.saturating_sub(held.due_ns);
                            counters.sent(held.bytes.len(), late_ns);
                            if let Some(capture) = &mut self.ports[i].capture
                                && captured.is_ok()
                            {
                                captured = capture.output(self.wall_ns + now_ns, &held.bytes);
                            }
                        }
                        Some(e) => {
                            let too_long = e.raw_os_error() == Some(libc::EMSGSIZE);
                            let counter = if too_long {
                                &counters.tx_too_long
                            } else {
                                &counters.tx_errors
                            };
                            add(counter, 1);
                            self.driver.note(now_ns, held.packet(), || {
                                format!("The interface refused the packet: {e}")
                            });
                        }
                    }
                    self.driver.give_back(held.bytes);
                }
                match failure {
                    Some(e) => self.fails(i, "sending", &e),
                    None => self.ports[i].failing = false,
                }
                self.checked_capture(i, captured);
            }
        }
    }

    /// Hands frames to the controller and trace records to whoever reads them, and says that digests wait.
    fn hand_out(&mut self) {
        if std::mem::take(&mut self.digests) {
            let (waiting, arrived) = &self.common.digests;
            if !std::mem::replace(&mut *hold(waiting), true) {
                arrived.notify_all();
            }
        }
        self.common
            .unattached
            .store(self.driver.unattached, Relaxed);
        if !self.driver.punted.is_empty() {
            let mut punted = hold(&self.common.punted.0);
            for frame in self.driver.punted.drain(..) {
                if punted.len() < MAX_PUNTED {
                    punted.push_back((self.epoch, frame));
                } else {
                    add(&self.common.punt_drops, 1);
                }
            }
            drop(punted);
            self.common.punted.1.notify_all();
        }
        if let Some(trace) = &mut self.driver.trace {
            for record in trace.drain(..) {
                if self.events.try_send(Event::Trace(record)).is_err() {
                    add(&self.common.lost_events, 1);
                }
            }
        }
    }

    /// Reports the first of a series of failures of port `i`.
    fn fails(&mut self, i: usize, what: &str, error: &io::Error) {
        let port = &mut self.ports[i];
        if !std::mem::replace(&mut port.failing, true) {
            let name = port.interface.name();
            let number = port.number;
            let text = format!("port {number}, interface {name}: {what}: {error}");
            self.report(Event::Warning(text));
        }
    }

    /// Gives up the capture of port `i` if it failed.
    fn checked_capture(&mut self, i: usize, result: io::Result<()>) {
        if let Err(e) = result {
            self.ports[i].capture = None;
            let name = self.ports[i].interface.name();
            self.report(Event::Warning(format!("capture of {name} ended: {e}")));
        }
    }
}
