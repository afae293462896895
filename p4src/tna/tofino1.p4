// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Tofino 1: its architecture, its ports, and what fits in its 12 stages.

#ifndef MECN_TARGET_P4
#define MECN_TARGET_P4

#include <tna.p4>

// The PCIe port of devices with four pipes; 192 with two.
const bit<9> CPU_PORT = 320;
// Each pipe's own port that leads back to its ingress: the last seven bits of its number.
const bit<9> RECIRCULATION_PORT = 68;
const bit<9> RECIRCULATION_PORT_MASK = 0x07F;

// One stage holds 24 TCAM blocks of 512 rows of 44 bits: 12 blocks for each table, three blocks side by side for IPv6.
const int IPV4_ROUTE_TABLE_SIZE = 6144;
const int IPV6_ROUTE_TABLE_SIZE = 2048;
// A range of 20 bits takes up to nine rows.
const int AQM_STEP_TABLE_SIZE = 512;

#endif
