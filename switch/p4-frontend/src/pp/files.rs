// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Finding and reading files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Preprocessor;
use crate::lex::Token;
use crate::source::FileId;

/// The directory name that diagnostics show for the files built into the library.
pub const BUILT_IN_DIR: &str = "p4include";

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 26;

const BUILT_IN: &[(&str, &str)] = &[
    ("core.p4", include_str!("../../p4include/core.p4")),
    ("t2na.p4", include_str!("../../p4include/t2na.p4")),
    ("tna.p4", include_str!("../../p4include/tna.p4")),
    (
        "tofino_externs.p4",
        include_str!("../../p4include/tofino_externs.p4"),
    ),
    ("v1model.p4", include_str!("../../p4include/v1model.p4")),
];

/// How a header is named.
pub(super) enum Header {
    /// `"x"`
    Quoted(String),
    /// `<x>`
    Angled(String),
}

impl Header {
    pub(super) fn name(&self) -> &str {
        match self {
            Header::Quoted(n) | Header::Angled(n) => n,
        }
    }
}

impl Preprocessor<'_> {
    /// The text of a file; `None` if there is none, an error if it cannot be read. `included`: a program names it,
    /// not the user.
    pub(super) fn load(&self, path: &Path, included: bool) -> Result<Option<Arc<str>>, String> {
        if let Some(text) = self.options.files.get(path) {
            return Ok(Some(text.as_str().into()));
        }
        if !self.options.use_file_system {
            return Ok(None);
        }
        match std::fs::metadata(path) {
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            Err(e) => return Err(format!("cannot be read: {e}")),
            Ok(m) if m.is_dir() => return Err("is a directory".to_string()),
            // A device or pipe may never end, or never begin. The user may name one, a program may not.
            Ok(m) if included && !m.is_file() => return Err("is not a regular file".to_string()),
            Ok(_) => {}
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|e| format!("cannot be read: {e}"))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("has more than {MAX_FILE_BYTES} bytes"));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.into())),
            Err(e) => Err(format!(
                "is not UTF-8 text (byte {})",
                e.utf8_error().valid_up_to()
            )),
        }
    }

    fn add_loaded(&mut self, name: &str, text: Arc<str>, from: &Token) -> Result<FileId, String> {
        self.sources
            .add_file(name, text, Some(from.span))
            .map_err(|e| e.to_string())
    }

    /// Finds a header and adds it to the source map. `Ok(None)`: not found.
    pub(super) fn find_header(
        &mut self,
        header: &Header,
        from: &Token,
    ) -> Result<Option<FileId>, String> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        let name = Path::new(header.name());
        if name.is_absolute() {
            candidates.push(name.to_path_buf());
        } else {
            if let Header::Quoted(_) = header {
                let including = PathBuf::from(&*self.sources.file(self.cursor.file).name);
                candidates.push(
                    including
                        .parent()
                        .map_or_else(|| name.to_path_buf(), |dir| dir.join(name)),
                );
            }
            candidates.extend(self.options.include_dirs.iter().map(|dir| dir.join(name)));
        }
        for path in candidates {
            let shown = path.to_string_lossy().into_owned();
            if let Some(file) = self.sources.find(&shown) {
                return Ok(Some(file));
            }
            match self.load(&path, true) {
                Ok(Some(text)) => return self.add_loaded(&shown, text, from).map(Some),
                Ok(None) => {}
                // A directory of that name does not hide a file further on.
                Err(reason) if reason.starts_with("is a directory") => {}
                Err(reason) => return Err(format!("{shown}: {reason}")),
            }
        }
        let Some((_, text)) = BUILT_IN.iter().find(|(n, _)| *n == header.name()) else {
            return Ok(None);
        };
        let shown = format!("{BUILT_IN_DIR}/{}", header.name());
        match self.sources.find(&shown) {
            Some(file) => Ok(Some(file)),
            None => self.add_loaded(&shown, (*text).into(), from).map(Some),
        }
    }
}
