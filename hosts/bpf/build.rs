// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Writes `vmlinux.h` from the running kernel's BTF (or that of the file that MECN_HOST_BTF
//! names), compiles the BPF programs and generates their skeletons.

use anyhow::{Context, Result, bail};
use libbpf_cargo::SkeletonBuilder;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const BTF: &str = "/sys/kernel/btf/vmlinux";

fn main() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").context("OUT_DIR is not set")?);
    println!("cargo:rerun-if-env-changed=MECN_HOST_BTF");
    let btf = env::var("MECN_HOST_BTF").unwrap_or_else(|_| BTF.into());
    write_vmlinux(&btf, &out.join("vmlinux.h"))?;
    for name in ["mecn", "users"] {
        let source = format!("src/bpf/{name}.bpf.c");
        SkeletonBuilder::new()
            .source(&source)
            .clang_args(["-I", &out.to_string_lossy(), "-Wall", "-Werror"])
            .build_and_generate(out.join(format!("{name}.skel.rs")))
            .with_context(|| format!("{source}: clang 14 or newer is needed"))?;
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed={btf}");
    Ok(())
}

fn write_vmlinux(btf: &str, header: &Path) -> Result<()> {
    let dump = Command::new("bpftool")
        .args(["btf", "dump", "file", btf, "format", "c"])
        .output()
        .context("bpftool is needed to read the kernel's types")?;
    if !dump.status.success() {
        bail!(
            "bpftool cannot read {btf}: {}",
            String::from_utf8_lossy(&dump.stderr)
        );
    }
    fs::write(header, dump.stdout)?;
    Ok(())
}
