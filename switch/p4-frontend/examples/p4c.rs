// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The compiler as a command, for development.

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let status = p4_frontend::cli::run(&args, &mut std::io::stdout(), &mut std::io::stderr());
    std::process::exit(status);
}
