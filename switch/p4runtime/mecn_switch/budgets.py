# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What clients may cost at most. docs/security.md lists these limits with the tests that prove them.

Budgets of programs (BMv2 JSON, P4 source) are those of the engine and the compiler, in `budget.rs` of each.
"""

MESSAGE_BYTES = 32 << 20
"""A request at most, by default (`--max-message`). A pipeline config is one message; BMv2 JSON is verbose."""

STREAMS = 32
"""StreamChannels that are open at once."""

READS = 16
"""Reads that are under way at once."""

OTHER_CALLS = 16
"""Threads for calls that are neither, so that streams and reads that stall do not keep a Write waiting."""

ARBITRATION_S = 10.0
"""A stream that has not named its election id by then is ended."""

STALLED_READ_S = 10.0
"""A Read whose client takes no part of the answer for so long is ended."""

ENTITIES_PER_PART = 500
"""Entities of a Read that are collected while other clients wait, and that make one message of the answer."""

PART_BYTES = 1 << 20
"""The same in bytes: entries may carry metadata of any length."""

STREAM_MESSAGES = 4096
"""Messages that wait for a slow controller. Packets, digests and idle notifications beyond them are dropped,
as the specification allows."""

STREAM_BYTES = 16 << 20
"""The same in bytes. A stream whose answers about arbitration do not fit is ended."""

ECHO_BYTES = 1024
"""Bytes of a bad packet-out that the answer repeats."""

ERROR_TEXT = 500
"""Characters of an error message: it may quote what a client sent."""

DETAIL_BYTES = 4096
"""Error details of a batch. Clients take 8 KiB of metadata by default, and these travel in base64."""

ROLES = 64
"""Roles that are known at once; of those that nobody has any more, the oldest are forgotten."""

ROLE_NAME_CHARACTERS = 256
ROLE_CONFIG_BYTES = 1 << 16

LASTING_ELECTION_IDS = 1 << 127
"""Election ids from here on are forgotten when they are gone. Smaller ones bind later controllers, as the
specification demands; but after a client with the greatest id there is, nobody could be primary."""

P4INFO_FIELDS = 20_000
"""Fields of all values that a P4Info describes. Forty structs in each other may have 2^40 of them."""

TYPE_NESTING = 64
"""How deep the types of a P4Info are nested."""

DIGEST_MESSAGES = 1024
"""Messages of a list of digests, whatever the controller asks for (it may have fewer: section 9.10)."""

PASSES = 16
"""How often a packet may be resubmitted, recirculated or cloned, by default (`--max-passes`)."""

MOST_PASSES = 10_000

KEEPALIVE_MS = 20_000
KEEPALIVE_TIMEOUT_MS = 10_000
"""A client that does not answer is gone: power cuts do not end connections."""
