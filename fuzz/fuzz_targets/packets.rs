// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| p4_fuzz::packets(data));
