// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Python extension module joining the front end, the switch engine, real interfaces and the virtual
//! network.
//!
//! `mecn_native.pyi` documents what Python sees.

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod entry;
mod error;
mod externs;
mod frontend;
mod network;
mod packet;
mod runtime;
mod switch;
mod tofino;
mod update;
mod value;

use pyo3::prelude::*;

/// The P4 front end, the switch engine and the virtual network.
#[pymodule]
fn mecn_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::add_to(module)?;
    module.add("SIMULATOR_DIGEST", env!("MECN_SIMULATOR_DIGEST"))?;
    module.add_class::<frontend::CompiledProgram>()?;
    module.add_function(wrap_pyfunction!(frontend::compile_p4, module)?)?;
    module.add_function(wrap_pyfunction!(frontend::p4c_main, module)?)?;
    module.add_class::<entry::MatchField>()?;
    module.add_class::<entry::ActionCall>()?;
    module.add_class::<entry::MemberRef>()?;
    module.add_class::<entry::GroupRef>()?;
    module.add_class::<entry::TableEntry>()?;
    module.add_class::<entry::KeyInfo>()?;
    module.add_class::<entry::ParamInfo>()?;
    module.add_class::<entry::ActionInfo>()?;
    module.add_class::<entry::TableInfo>()?;
    module.add_class::<entry::CounterInfo>()?;
    module.add_class::<entry::RegisterInfo>()?;
    module.add_class::<packet::ReceiveOutcome>()?;
    module.add_class::<packet::Departure>()?;
    module.add_class::<packet::PortStats>()?;
    module.add_class::<switch::Switch>()?;
    module.add_class::<update::TableUpdate>()?;
    module.add_class::<tofino::FilterConfig>()?;
    module.add_class::<tofino::FilterInfo>()?;
    module.add_class::<externs::ActionProfileInfo>()?;
    module.add_class::<externs::CloneSession>()?;
    module.add_class::<externs::DigestInfo>()?;
    module.add_class::<externs::MeterConfig>()?;
    module.add_class::<externs::MeterInfo>()?;
    module.add_class::<externs::ValueSetInfo>()?;
    runtime::add_to(module)?;
    network::add_to(module)
}
