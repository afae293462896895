// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What the shared blocks need to know of the target: BMv2 and the embedded switch.

#ifndef MECN_TARGET_P4
#define MECN_TARGET_P4

// The port of packet-ins and packet-outs; give the switch `--cpu-port 510`.
const bit<9> CPU_PORT = 510;

const int IPV4_ROUTE_TABLE_SIZE = 131072;
const int IPV6_ROUTE_TABLE_SIZE = 65536;

#endif
