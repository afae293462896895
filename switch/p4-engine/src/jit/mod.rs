// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Machine code for a program: parser, both pipelines and deparser, made by Cranelift.
//!
//! The interpreter (`exec`, `switch`) says what a program means; compiled code does the same,
//! only faster. Four functions are made of a program, each of them straight from the instructions,
//! parser states and nodes that the interpreter runs: `parser` with the checksums to verify, the
//! ingress and the egress pipeline with the actions of each table put in, and the deparser with
//! the checksums to update. What is rare or long (stacks, variable-length headers, meters,
//! selectors, digests, values of more than 64 bits) is not compiled: compiled code calls the
//! interpreter for it. So a program is always compiled as a whole, or not at all.
//!
//! The words that belong to a packet stay in the word array between the functions, and the
//! interpreter can take over at any of these borders. Within a function, constants are immediate
//! operands, action parameters are read from the table entry, and intermediate results are in
//! machine registers.

mod checksum;
mod classes;
mod code;
mod control;
mod deparser;
mod emit;
mod locals;
mod parser;
mod raw;
#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::ops::Range;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};

use crate::packet::Packet;
use crate::program::Ir;
use crate::state::State;
use classes::Classes;
use emit::Emit;
use raw::{Code, Entry};

/// The longest that all headers of a packet may be together, in bytes.
const MAX_SCRATCH: usize = 1 << 20;

/// Why a program is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Cranelift has no code generator for this host, or the host is big-endian.
    Host(String),
    /// The program is larger than compiled programs may be.
    TooLarge,
    /// An action jumps back. Such actions are interpreted.
    Loop,
    /// The program names something that it does not have. Programs that were loaded do not.
    Malformed,
    /// Cranelift gave up.
    Compiler(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(why) => write!(f, "no code generator for this host: {why}"),
            Self::TooLarge => f.write_str("the program is too large to be compiled"),
            Self::Loop => f.write_str("an action has a loop"),
            Self::Malformed => f.write_str("the program names something that it does not have"),
            Self::Compiler(why) => write!(f, "the code generator gave up: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// How large compiled code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSize {
    /// Instructions, fields, parser states and nodes of the program that were translated.
    pub instructions: usize,
    /// Bytes of machine code.
    pub bytes: usize,
}

/// The machine code of a program.
pub(crate) struct Compiled {
    code: Code,
    /// The length of the deparser's buffer in bytes.
    pub scratch: usize,
    pub size: CodeSize,
    /// The words of a packet's state that compiled code keeps in the word array.
    kept: Vec<Range<usize>>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Compiled").field(&self.size).finish()
    }
}

/// A pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipeline {
    Ingress,
    Egress,
}

impl Compiled {
    /// Compiles a program.
    pub fn new(p: &Ir) -> Result<Self, Refusal> {
        let scratch = deparser::scratch(p);
        if scratch > MAX_SCRATCH {
            return Err(Refusal::TooLarge);
        }
        let mut compiler = Compiler::new(p)?;
        let functions = compiler.functions();
        let kept = compiler.classes.kept();
        let Compiler { module, size, .. } = compiler;
        let code = match functions {
            Ok(functions) => Code::new(module, functions, scratch)?,
            Err(refusal) => {
                raw::free(module);
                return Err(refusal);
            }
        };
        Ok(Self {
            code,
            scratch,
            size,
            kept,
        })
    }

    /// Copies the words of a packet's state that matter between functions.
    #[inline]
    pub fn copy_state(&self, to: &mut [u64], from: &[u64]) {
        for range in &self.kept {
            to[range.clone()].copy_from_slice(&from[range.clone()]);
        }
    }

    /// Makes the words 0 that are not copied: variables of the pipelines.
    pub fn reset_locals(&self, words: &mut [u64]) {
        let mut end = 0;
        for range in &self.kept {
            words[end..range.start].fill(0);
            end = range.end;
        }
        words[end..].fill(0);
    }

    /// Parses a packet into the words of a state and verifies checksums. Gives the number of
    /// bytes that were consumed.
    pub fn parse(&self, s: &mut State, p: &Ir, packet: &mut Packet) -> usize {
        self.code.enter(Entry::Parser, s, p, packet, 0, &mut []) as usize
    }

    /// Runs a pipeline on the words of a state.
    pub fn run(&self, pipeline: Pipeline, s: &mut State, p: &Ir) {
        let entry = match pipeline {
            Pipeline::Ingress => Entry::Ingress,
            Pipeline::Egress => Entry::Egress,
        };
        // Pipelines do not look at the packet's bytes.
        self.code
            .enter(entry, s, p, &mut Packet::default(), 0, &mut []);
    }

    /// Updates checksums and writes the valid headers to `scratch`, which has the length that
    /// `Compiled::scratch` says; gives their length.
    pub fn deparse(
        &self,
        s: &mut State,
        p: &Ir,
        packet: &mut Packet,
        parsed: usize,
        scratch: &mut [u8],
    ) -> usize {
        self.code
            .enter(Entry::Deparser, s, p, packet, parsed, scratch) as usize
    }
}

/// Compiles one program.
struct Compiler<'a> {
    p: &'a Ir,
    classes: Classes,
    module: JITModule,
    /// The functions of `raw`, in the order of `Helper`.
    helpers: Vec<FuncId>,
    signature: Signature,
    context: FunctionBuilderContext,
    size: CodeSize,
    /// Operations of the functions that are done.
    operations: usize,
}

fn failed(e: impl fmt::Display) -> Refusal {
    Refusal::Compiler(e.to_string())
}

/// The code generator for this host.
fn isa() -> Result<OwnedTargetIsa, Refusal> {
    let host = |e: &dyn fmt::Display| Refusal::Host(e.to_string());
    if cfg!(target_endian = "big") || cfg!(not(target_pointer_width = "64")) {
        return Err(Refusal::Host("not little-endian with 64 bits".to_owned()));
    }
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        (
            "enable_verifier",
            if cfg!(debug_assertions) {
                "true"
            } else {
                "false"
            },
        ),
        // A frame of more than a page must not step over the end of the stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        // Nothing unwinds through this code: no function that it calls panics.
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|e| host(&e))?;
    }
    let builder = cranelift_native::builder().map_err(|e| host(&e))?;
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|e| host(&e))
}

impl<'a> Compiler<'a> {
    fn new(p: &'a Ir) -> Result<Self, Refusal> {
        let classes = Classes::new(p)?;
        let mut builder = JITBuilder::with_isa(isa()?, default_libcall_names());
        for (name, address, _) in raw::helpers() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let signature = |n: usize| {
            let mut s = module.make_signature();
            s.params.extend(vec![AbiParam::new(I64); n + 1]);
            s.returns.push(AbiParam::new(I64));
            s
        };
        let entry = signature(0);
        let signatures: Vec<_> = raw::helpers()
            .iter()
            .map(|(name, _, n)| (*name, signature(*n)))
            .collect();
        let helpers = signatures.iter().map(|(name, signature)| {
            let id = module.declare_function(name, Linkage::Import, signature);
            id.map_err(failed)
        });
        let helpers = helpers.collect::<Result<_, _>>()?;
        Ok(Self {
            p,
            classes,
            module,
            helpers,
            signature: entry,
            context: FunctionBuilderContext::new(),
            size: CodeSize {
                instructions: 0,
                bytes: 0,
            },
            operations: 0,
        })
    }

    /// All functions, in the order of `Compiled`.
    fn functions(&mut self) -> Result<[FuncId; 4], Refusal> {
        if self.p.cyclic {
            return Err(Refusal::Loop);
        }
        let (ingress, egress) = (self.p.ingress, self.p.egress);
        let pipeline = |e: &mut Emit, start| {
            e.pipeline(start)?;
            Ok(e.number(0))
        };
        Ok([
            self.function("parser", |e| e.parser())?,
            self.function("ingress", |e| pipeline(e, ingress))?,
            self.function("egress", |e| pipeline(e, egress))?,
            self.function("deparser", |e| {
                let at = e.env(emit::env::AT);
                e.deparser(at)
            })?,
        ])
    }

    fn function(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Emit<'_, '_>) -> Result<cranelift_codegen::ir::Value, Refusal>,
    ) -> Result<FuncId, Refusal> {
        let id = self
            .module
            .declare_function(name, Linkage::Local, &self.signature)
            .map_err(failed)?;
        let mut context = self.module.make_context();
        context.func.signature = self.signature.clone();
        context.func.name = UserFuncName::user(0, id.as_u32());
        let helpers: Vec<_> = self
            .helpers
            .iter()
            .map(|h| self.module.declare_func_in_func(*h, &mut context.func))
            .collect();
        // A builder that is given up leaves the context dirty: begin each with a new one.
        self.context = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut context.func, &mut self.context);
        let mut emit = Emit::new(builder, self.p, &self.classes, &helpers);
        emit.translated = self.size.instructions;
        emit.before = self.operations;
        let result = body(&mut emit)?;
        self.operations = emit.operations();
        self.size.instructions = emit.translated;
        emit.finish(result);
        self.module
            .define_function_with_control_plane(id, &mut context, &mut ControlPlane::default())
            .map_err(failed)?;
        let code = context
            .compiled_code()
            .map_or(0, |c| c.code_info().total_size);
        self.size.bytes += code as usize;
        Ok(id)
    }
}
