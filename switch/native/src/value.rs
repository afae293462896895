// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Integers of any width: Python `int` <-> engine values.

use p4_engine::Value;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// An unsigned integer of any width; a Python `int` on the other side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Int(pub Value);

impl<'py> FromPyObject<'_, 'py> for Int {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let int = object.cast::<PyInt>()?;
        if let Ok(word) = int.extract::<u64>() {
            return Ok(Self(Value::from(word)));
        }
        if int.lt(0)? {
            return Err(PyValueError::new_err(format!("{} is negative", &*int)));
        }
        let py = object.py();
        let bits: usize = int.call_method0(intern!(py, "bit_length"))?.extract()?;
        let bytes = int.call_method1(intern!(py, "to_bytes"), (bits.div_ceil(8), "big"))?;
        Ok(Self(Value::from_be_bytes(
            bytes.cast::<PyBytes>()?.as_bytes(),
        )))
    }
}

impl<'py> IntoPyObject<'py> for Int {
    type Target = PyInt;
    type Output = Bound<'py, PyInt>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        if let Some(word) = self.0.as_u64() {
            return Ok(word.into_pyobject(py)?);
        }
        let bytes = PyBytes::new(py, &self.0.to_be_bytes());
        let int = py
            .get_type::<PyInt>()
            .call_method1(intern!(py, "from_bytes"), (bytes, "big"))?;
        Ok(int.cast_into::<PyInt>()?)
    }
}
