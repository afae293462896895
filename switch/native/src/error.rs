// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Rust errors as typed Python exceptions, each with one sentence. No panic reaches Python.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use p4_engine::{ControlError as EngineError, LoadError as EngineLoadError};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(
    mecn_native,
    P4Error,
    PyException,
    "A P4 program has errors; the text is the diagnostics."
);
create_exception!(
    mecn_native,
    LoadError,
    PyException,
    "A JSON is not BMv2's, contradicts itself or needs what is not supported."
);
create_exception!(
    mecn_native,
    ControlError,
    PyException,
    "A control-plane operation was refused; nothing was changed."
);
create_exception!(
    mecn_native,
    AlreadyExistsError,
    ControlError,
    "An entry with this match key exists."
);
create_exception!(
    mecn_native,
    NotFoundError,
    ControlError,
    "There is no such entry or object."
);
create_exception!(
    mecn_native,
    TableFullError,
    ControlError,
    "The table holds as many entries as it was declared for."
);
create_exception!(
    mecn_native,
    InvalidArgumentError,
    ControlError,
    "The request does not fit the program."
);
create_exception!(
    mecn_native,
    ConstantError,
    ControlError,
    "What the request would change is constant in the program."
);
create_exception!(
    mecn_native,
    OutOfRangeError,
    ControlError,
    "An index is beyond the end of an array."
);
create_exception!(
    mecn_native,
    InUseError,
    ControlError,
    "Something else refers to what the request would remove."
);
create_exception!(
    mecn_native,
    InternalError,
    PyRuntimeError,
    "The extension module has a bug."
);

/// Adds all exceptions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("P4Error", py.get_type::<P4Error>())?;
    module.add("LoadError", py.get_type::<LoadError>())?;
    module.add("ControlError", py.get_type::<ControlError>())?;
    module.add("AlreadyExistsError", py.get_type::<AlreadyExistsError>())?;
    module.add("NotFoundError", py.get_type::<NotFoundError>())?;
    module.add("TableFullError", py.get_type::<TableFullError>())?;
    module.add(
        "InvalidArgumentError",
        py.get_type::<InvalidArgumentError>(),
    )?;
    module.add("ConstantError", py.get_type::<ConstantError>())?;
    module.add("OutOfRangeError", py.get_type::<OutOfRangeError>())?;
    module.add("InUseError", py.get_type::<InUseError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// The Python exception for an engine's refusal.
pub fn control(error: EngineError) -> PyErr {
    let text = error.to_string();
    match error {
        EngineError::AlreadyExists => AlreadyExistsError::new_err(text),
        EngineError::NotFound(_) => NotFoundError::new_err(text),
        EngineError::TableFull { .. } => TableFullError::new_err(text),
        EngineError::ConstTable | EngineError::ConstDefaultAction => ConstantError::new_err(text),
        EngineError::InUse(_) => InUseError::new_err(text),
        EngineError::OutOfRange { .. } => OutOfRangeError::new_err(text),
        _ => InvalidArgumentError::new_err(text),
    }
}

/// The Python exception for a JSON that was refused.
pub fn load(error: &EngineLoadError) -> PyErr {
    LoadError::new_err(error.to_string())
}

/// Runs `work`; a panic in it becomes an [`InternalError`] instead of pyo3's `PanicException`, which
/// `except Exception` would not catch.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(panic.as_ref())))
}

fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    InternalError::new_err(format!("internal error: {text}"))
}
