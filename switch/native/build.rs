// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A digest of the sources that decide what a simulation gives: switch engine, network, hosts, and the versions of the libraries.
//! It is the same wherever the same sources are built, so results that carry it do not depend on the machine.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::{fs, io};

use fnv::FnvHasher;

/// Crates whose code packets and time go through.
const CRATES: [&str; 4] = ["switch/p4-engine", "netsim", "hosts/tcp", "hosts/traffic"];

fn main() -> io::Result<()> {
    let root = Path::new("../..");
    let mut files = vec![PathBuf::from("Cargo.lock")];
    for name in CRATES {
        let folder = Path::new(name);
        files.push(folder.join("Cargo.toml"));
        collect(root, &folder.join("src"), &mut files)?;
        println!("cargo::rerun-if-changed=../../{name}/src");
    }
    files.sort();
    let mut hasher = FnvHasher::default();
    for file in files {
        println!("cargo::rerun-if-changed=../../{}", file.display());
        // A build from elsewhere than a checkout may lack the lock file.
        let content = match fs::read(root.join(&file)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            content => content?,
        };
        let name = file.to_string_lossy().replace('\\', "/");
        hasher.write(name.as_bytes());
        hasher.write(&(content.len() as u64).to_le_bytes());
        hasher.write(&content);
    }
    println!(
        "cargo::rustc-env=MECN_SIMULATOR_DIGEST={:016x}",
        hasher.finish()
    );
    Ok(())
}

/// All Rust files below a folder, by their paths from the root.
fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
