// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What only programs for Tofino have: filters and port metadata.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::entry::{MatchField, key_to_engine};
use crate::error::{self, NotFoundError};
use crate::switch::Switch;

/// What an `Lpf` or `Wred` makes of its samples.
#[pyclass(frozen, eq, from_py_object, module = "mecn_native")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterConfig {
    /// The average of the samples.
    Sample {
        gain_ns: f64,
        decay_ns: f64,
        scale_down: u32,
    },
    /// The sum of the samples, which decays.
    Rate {
        gain_ns: f64,
        decay_ns: f64,
        scale_down: u32,
    },
    /// Drops with a probability that rises with the average.
    Wred {
        time_ns: f64,
        min: f64,
        max: f64,
        max_probability: f64,
    },
}

/// The same variants in both enums, from the first to the second.
macro_rules! converts {
    ($from:ty, $to:ty) => {
        impl From<$from> for $to {
            fn from(config: $from) -> Self {
                type Source = $from;
                match config {
                    Source::Sample {
                        gain_ns,
                        decay_ns,
                        scale_down,
                    } => Self::Sample {
                        gain_ns,
                        decay_ns,
                        scale_down,
                    },
                    Source::Rate {
                        gain_ns,
                        decay_ns,
                        scale_down,
                    } => Self::Rate {
                        gain_ns,
                        decay_ns,
                        scale_down,
                    },
                    Source::Wred {
                        time_ns,
                        min,
                        max,
                        max_probability,
                    } => Self::Wred {
                        time_ns,
                        min,
                        max,
                        max_probability,
                    },
                }
            }
        }
    };
}

converts!(FilterConfig, p4_engine::FilterConfig);
converts!(p4_engine::FilterConfig, FilterConfig);

/// An array of filters.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct FilterInfo {
    name: String,
    /// Number of cells.
    size: usize,
    /// Width of a sample in bits.
    width: u32,
    /// A `Wred`, rather than an `Lpf`.
    wred: bool,
}

impl Switch {
    fn filter(&self, name: &str) -> PyResult<usize> {
        self.program()
            .filter(name)
            .ok_or_else(|| NotFoundError::new_err(format!("there is no filter `{name}`")))
    }
}

#[pymethods]
impl Switch {
    fn filters(&self) -> Vec<FilterInfo> {
        let filters = self.program().filters().iter();
        filters
            .map(|f| FilterInfo {
                name: f.name.clone(),
                size: f.size,
                width: f.width,
                wred: f.verdicts.is_some(),
            })
            .collect()
    }

    fn filter_write(
        &self,
        py: Python<'_>,
        filter: &str,
        index: usize,
        config: Option<FilterConfig>,
    ) -> PyResult<()> {
        let filter = self.filter(filter)?;
        self.with(py, |engine| {
            engine
                .filter_write(filter, index, config.map(Into::into))
                .map_err(error::control)
        })
    }

    fn filter_read(
        &self,
        py: Python<'_>,
        filter: &str,
        index: usize,
    ) -> PyResult<Option<FilterConfig>> {
        let filter = self.filter(filter)?;
        self.with(py, |engine| {
            let config = engine.filter_read(filter, index).map_err(error::control)?;
            Ok(config.map(Into::into))
        })
    }

    fn entry_cell(
        &self,
        py: Python<'_>,
        table: &str,
        r#match: Vec<MatchField>,
        priority: i32,
    ) -> PyResult<usize> {
        let table = self.table(table)?;
        let key = key_to_engine(r#match);
        self.with(py, |engine| {
            engine
                .entry_cell(table, &key, priority)
                .map_err(error::control)
        })
    }

    fn port_metadata_write(&self, py: Python<'_>, port: u16, metadata: &[u8]) -> PyResult<()> {
        self.with(py, |engine| {
            engine
                .port_metadata_write(port, metadata)
                .map_err(error::control)
        })
    }

    fn port_metadata<'py>(
        &self,
        py: Python<'py>,
        port: u16,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let known = self.with(py, |engine| {
            Ok(engine.port_metadata(port).map(<[u8]>::to_vec))
        })?;
        Ok(known.map(|bytes| PyBytes::new(py, &bytes)))
    }
}
