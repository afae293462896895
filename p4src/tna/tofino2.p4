// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Tofino 2: its architecture, its ports, and what fits in its 20 stages.

#ifndef MECN_TARGET_P4
#define MECN_TARGET_P4

#include <t2na.p4>

// The PCIe port.
const bit<9> CPU_PORT = 0;
// Each pipe's own port that leads back to its ingress: the last seven bits of its number.
const bit<9> RECIRCULATION_PORT = 6;
const bit<9> RECIRCULATION_PORT_MASK = 0x07F;

// Two stages each, with TCAM blocks as in Tofino 1.
const int IPV4_ROUTE_TABLE_SIZE = 12288;
const int IPV6_ROUTE_TABLE_SIZE = 4096;
// A range of 20 bits takes up to nine rows.
const int AQM_STEP_TABLE_SIZE = 1024;

#endif
