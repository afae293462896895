// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Files that the command writes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the file that code goes to.
pub fn file_stem(path: &Path) -> PathBuf {
    path.file_stem()
        .map(PathBuf::from)
        .unwrap_or_else(|| "out".into())
}

/// Why a file cannot be read or written.
pub fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => e.to_string(),
    }
}

/// Waits until a file's name is on the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// A new file, all of it on the disk. One that is there, or a symbolic link that somebody has put there, is an
/// error.
fn create_durably(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Writes files so that none is ever half there, also after a power cut: to temporary files beside them, then
/// renamed.
pub fn write_all(files: &[(PathBuf, &str)]) -> Result<(), String> {
    let mut staged: Vec<(PathBuf, &PathBuf)> = Vec::new();
    let failed = |staged: &[(PathBuf, &PathBuf)], message: String| {
        for (t, _) in staged {
            let _ = std::fs::remove_file(t);
        }
        Err(message)
    };
    for (i, (path, text)) in files.iter().enumerate() {
        // Devices such as /dev/stdout cannot be renamed over.
        if path.exists() && !path.is_file() {
            if let Err(e) = std::fs::write(path, text) {
                return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
            }
            continue;
        }
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let temporary = path.with_file_name(format!(".{name}.{}.{i}.tmp", std::process::id()));
        // One of a process of the same number, which was killed.
        let _ = std::fs::remove_file(&temporary);
        staged.push((temporary.clone(), path));
        if let Err(e) = create_durably(&temporary, text) {
            return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
        }
    }
    for (temporary, path) in &staged {
        if let Err(e) = std::fs::rename(temporary, path).and_then(|()| sync_folder(path)) {
            return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
        }
    }
    Ok(())
}
