// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Nothing here depends on what follows an IP header, and a transport header may be cut short.

    state parse_ipv4_payload {
        transition accept;
    }

    state parse_ipv6_payload {
        transition accept;
    }
