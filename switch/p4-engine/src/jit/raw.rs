// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What compiled code and Rust share: functions, and the calls between them. All unsafe code of the
//! crate is here and in `memory`.
//!
//! Compiled code gets one argument, an [`Env`]: plain pointers to what belongs to one state. It
//! reads and writes
//! * the words of the machine, at places that `classes` has checked at compile time;
//! * register and counter cells, after comparing the index with the length of the array;
//! * the packet's bytes, after comparing the length with the end of what it reads;
//! * the deparser's buffer, which is as long as the longest headers (`Compiled::scratch`);
//! * a few scalars of the machine, at offsets that the Rust compiler gives;
//! * the action data that a lookup has returned, as many words as the action has parameters.
//!
//! Everything else it does by calling the functions below.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use cranelift_jit::JITModule;
use cranelift_module::FuncId;

use super::Refusal;
use crate::exec::Machine;
use crate::memory::CounterValue;
use crate::packet::Packet;
use crate::program::Ir;
use crate::state::State;
use crate::table::{Run, TableState};
use crate::value::limb_mask;

/// The argument of compiled code.
#[repr(C)]
pub(super) struct Env {
    pub words: *mut u64,
    pub registers: *const NonNull<u64>,
    pub counters: *const NonNull<CounterValue>,
    pub machine: *mut Machine,
    /// The packet's real bytes; only for the parser.
    pub bytes: *const u8,
    pub len: u64,
    /// Where the deparser writes headers.
    pub out: *mut u8,
    /// What a lookup gave: parameters and the node that follows.
    pub data: *const u64,
    pub next: u64,
    /// Bytes parsed, and the error, after [`parse_state`].
    pub at: u64,
    pub error: u64,
    state: *mut State,
    program: *const Ir,
    packet: *mut Packet,
}

/// A compiled function.
type Function = unsafe extern "C" fn(*mut Env) -> u64;

/// [`apply`] found nothing to run, [`parse_state`] an error.
pub(super) const NOTHING: u64 = u64::MAX;

/// Runs compiled code on a state: one of the functions of `Code`. `program` is the one
/// that was compiled, and that of `state`; for the deparser, `scratch` is as long as
/// `Compiled::scratch` says.
fn enter(
    function: Function,
    state: &mut State,
    program: &Ir,
    packet: &mut Packet,
    parsed: usize,
    scratch: &mut [u8],
) -> u64 {
    let words = state.machine.w.as_mut_ptr();
    let registers = state.machine.registers.places();
    let counters = state.machine.counters.places();
    let state: *mut State = state;
    let mut env = Env {
        words,
        registers,
        counters,
        // SAFETY: the pointer was made from a reference in the line above.
        machine: unsafe { &raw mut (*state).machine },
        bytes: packet.bytes.as_ptr(),
        len: packet.bytes.len() as u64,
        out: scratch.as_mut_ptr(),
        data: std::ptr::null(),
        next: 0,
        at: parsed as u64,
        error: 0,
        state,
        program,
        packet,
    };
    // SAFETY: the function was compiled for this signature. What it reads and writes is listed
    // above; all of it belongs to `state`, `packet` and `scratch`, to which this function has
    // exclusive references that it does not use before the call is over.
    unsafe { function(&raw mut env) }
}

/// What a function below gets: the parts of `Env` as references for the time of its call.
///
/// # Safety
/// `env` must be the argument of the compiled code that calls the function.
unsafe fn parts<'a>(env: *mut Env) -> (&'a mut Env, &'a mut State, &'a Ir) {
    // SAFETY: `enter` made the pointers from references that outlive the call and that nobody
    // uses meanwhile; compiled code has no references, and is not running.
    unsafe { (&mut *env, &mut *(*env).state, &*(*env).program) }
}

/// Makes the first `n` bytes of the packet real, if it is that long: 1, else 0.
unsafe extern "C" fn need(env: *mut Env, n: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (env, ..) = unsafe { parts(env) };
    // SAFETY: `enter` made it from a reference; see `parts`.
    let packet = unsafe { &mut *env.packet };
    if u64::from(packet.len()) < n {
        return 0;
    }
    packet.materialise(n as usize);
    env.bytes = packet.bytes.as_ptr();
    env.len = packet.bytes.len() as u64;
    u64::from(env.len >= n)
}

/// Interprets a parser state. Gives the next state, or `NOTHING` with `error`; moves `at`.
unsafe extern "C" fn parse_state(env: *mut Env, state: u64, at: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (env, all, p) = unsafe { parts(env) };
    // SAFETY: `enter` made it from a reference; see `parts`.
    let packet = unsafe { &mut *env.packet };
    let mut to = at as usize;
    let result = all
        .machine
        .parse_state(p, state as u32, packet, &mut to, &mut ());
    env.at = to as u64;
    env.bytes = packet.bytes.as_ptr();
    env.len = packet.bytes.len() as u64;
    match result {
        Ok(next) => next.into(),
        Err(code) => {
            env.error = code;
            NOTHING
        }
    }
}

/// A calculation over fields and, if it asks for it, what follows the first `at` bytes.
unsafe extern "C" fn calculate(env: *mut Env, calc: u64, at: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (env, state, p) = unsafe { parts(env) };
    // SAFETY: `enter` made it from a reference; see `parts`.
    let packet = unsafe { &*env.packet };
    let payload = packet.bytes.get(at as usize..).unwrap_or(&[]);
    let zeros = packet.payload_len;
    state.machine.calculate(p, calc as u32, payload, zeros)
}

/// The hash of an action, without payload.
unsafe extern "C" fn hash(env: *mut Env, calc: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, p) = unsafe { parts(env) };
    state.machine.calculate(p, calc as u32, &[], 0)
}

/// Writes a header with a variable-length field at `at` in the deparser's buffer; gives its end.
unsafe extern "C" fn emit_header(env: *mut Env, header: u64, at: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (env, state, p) = unsafe { parts(env) };
    let room = super::deparser::room(&p.headers[header as usize]);
    let bytes = state.machine.header_as_bytes(p, header as u32);
    let bytes = &bytes[..bytes.len().min(room)];
    // SAFETY: the buffer behind `out` has this room for each header that is written.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), env.out.add(at as usize), bytes.len()) };
    at + bytes.len() as u64
}

/// Interprets the one instruction at `pc`.
unsafe extern "C" fn interpret(env: *mut Env, pc: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, p) = unsafe { parts(env) };
    state.machine.step(p, pc as u32);
    0
}

/// The low `width` (at most 64) bits of an expression.
unsafe extern "C" fn evaluate(env: *mut Env, expr: u64, width: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, p) = unsafe { parts(env) };
    let v = state.machine.eval(p, &p.exprs[expr as usize]);
    v.limb(0) & limb_mask(width as u32, 0)
}

unsafe extern "C" fn random(env: *mut Env, lo: u64, hi: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, _) = unsafe { parts(env) };
    crate::exec::uniform(&mut state.machine.rng, lo, hi)
}

/// The colour of a meter cell; `old` if the index is out of bounds.
unsafe extern "C" fn meter(env: *mut Env, meter: u64, index: u64, old: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, p) = unsafe { parts(env) };
    let color = state.machine.meter(p, meter as u32, index);
    color.unwrap_or(old)
}

/// Looks the words at `key` up. Gives the address of the code to run, with `data` and `next`;
/// `NOTHING` if there is no entry and no default action.
unsafe extern "C" fn apply(env: *mut Env, table: u64, key: *mut u64) -> u64 {
    // SAFETY: called by compiled code.
    let (env, state, p) = unsafe { parts(env) };
    let info = &p.tables[table as usize];
    // SAFETY: compiled code has a buffer for the words of this table's key on its stack.
    let key = unsafe { std::slice::from_raw_parts_mut(key, info.key_words as usize) };
    let length = state.machine.ingress_length;
    let entries: &mut TableState = &mut state.tables[table as usize];
    let (_, run, _) = entries.apply(key, info.with_counters, length);
    let Some(Run { pc, data, next }) = run else {
        return NOTHING;
    };
    env.data = data.as_ptr();
    env.next = (*next).into();
    (*pc).into()
}

/// Applies a table that has more to do than `apply` does, and interprets its action. Gives the next
/// node, or `NOTHING` if the pipeline ends here.
unsafe extern "C" fn apply_all(env: *mut Env, table: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, state, p) = unsafe { parts(env) };
    let next = state.apply(p, table as usize);
    if state.machine.exit {
        NOTHING
    } else {
        next.into()
    }
}

/// The functions that compiled code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Helper {
    Need,
    ParseState,
    Calculate,
    Hash,
    EmitHeader,
    Interpret,
    Evaluate,
    Random,
    Meter,
    Apply,
    ApplyAll,
}

/// The functions in the order of `Helper`: name, address, and the number of arguments after `Env`.
/// All arguments and results are 64 bits wide.
pub(super) fn helpers() -> [(&'static str, *const u8, usize); 11] {
    [
        ("need", need as *const u8, 1),
        ("parse_state", parse_state as *const u8, 2),
        ("calculate", calculate as *const u8, 2),
        ("hash", hash as *const u8, 1),
        ("emit_header", emit_header as *const u8, 2),
        ("interpret", interpret as *const u8, 1),
        ("evaluate", evaluate as *const u8, 2),
        ("random", random as *const u8, 2),
        ("meter", meter as *const u8, 3),
        ("apply", apply as *const u8, 2),
        ("apply_all", apply_all as *const u8, 1),
    ]
}

/// The machine code of a program.
pub(super) struct Code {
    functions: [Function; 4],
    /// Bytes that the deparser may write.
    scratch: usize,
    /// Owns the code; in a mutex because it is not made for several threads.
    module: Mutex<Option<JITModule>>,
}

/// The functions of `Code`, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Parser,
    Ingress,
    Egress,
    Deparser,
}

impl Code {
    /// Takes the functions of a module, all of which are to be defined; the deparser writes
    /// `scratch` bytes at most.
    pub fn new(mut module: JITModule, ids: [FuncId; 4], scratch: usize) -> Result<Self, Refusal> {
        if let Err(e) = module.finalize_definitions() {
            free(module);
            return Err(Refusal::Compiler(e.to_string()));
        }
        let functions = ids.map(|id| {
            let address = module.get_finalized_function(id);
            // SAFETY: `Compiler::function` declares each function with this signature, and
            // Cranelift compiles it with the host's calling convention.
            unsafe { std::mem::transmute::<*const u8, Function>(address) }
        });
        Ok(Self {
            functions,
            scratch,
            module: Mutex::new(Some(module)),
        })
    }

    /// Runs one of the functions on a state, whose program is `program`, of which this is the
    /// code. Gives what the function returns; 0 if `scratch` is too short for a deparser.
    pub fn enter(
        &self,
        entry: Entry,
        state: &mut State,
        program: &Ir,
        packet: &mut Packet,
        parsed: usize,
        scratch: &mut [u8],
    ) -> u64 {
        if entry == Entry::Deparser && scratch.len() < self.scratch {
            return 0;
        }
        let function = self.functions[entry as usize];
        enter(function, state, program, packet, parsed, scratch)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut();
        if let Some(module) = module.unwrap_or_else(PoisonError::into_inner).take() {
            free(module);
        }
    }
}

/// Frees the memory of a module.
pub(super) fn free(module: JITModule) {
    // SAFETY: pointers to its functions are only in `Code`, which is gone or was not made yet. A
    // function that runs keeps the program alive, and with it `Code`.
    unsafe { module.free_memory() };
}

/// Bytes from the beginning of a machine to some of its scalars.
pub(super) mod machine {
    use super::Machine;
    use std::mem::offset_of;
    pub const LENGTH: i32 = offset_of!(Machine, length) as i32;
    pub const INGRESS_LENGTH: i32 = offset_of!(Machine, ingress_length) as i32;
    pub const ASSERT_FAILED: i32 = offset_of!(Machine, assert_failed) as i32;
    pub const DROP_PORT: i32 = offset_of!(Machine, drop_port) as i32;
}

/// Bytes from the beginning of a counter cell to its parts, and its size.
pub(super) mod counter {
    use super::CounterValue;
    use std::mem::offset_of;
    pub const PACKETS: i32 = offset_of!(CounterValue, packets) as i32;
    pub const BYTES: i32 = offset_of!(CounterValue, bytes) as i32;
    pub const SIZE: i64 = size_of::<CounterValue>() as i64;
}
