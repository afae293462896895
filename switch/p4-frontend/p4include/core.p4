// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The core library of P4-16: what every architecture builds on.
// Written from the language specification, version 1.2.5, appendix "P4 core library".

#ifndef _CORE_P4_
#define _CORE_P4_

// Errors a parser may end with.
error {
    NoError,
    PacketTooShort,   // extract or lookahead past the packet's end
    NoMatch,          // no case of a select matched
    StackOutOfBounds, // element of a header stack that does not exist
    HeaderTooShort,   // more bits than a varbit field holds
    ParserTimeout,    // the target's limit on parsing was exceeded
    ParserInvalidArgument // an operation the target does not support with these arguments
}

// The packet as the parser sees it.
extern packet_in {
    // Fills a header of fixed size and moves past it.
    void extract<T>(out T hdr);

    // The same for a header with one varbit field, of the given length in bits.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);

    // Reads without moving.
    T lookahead<T>();

    // Moves on by a number of bits.
    void advance(in bit<32> sizeInBits);

    // Length of the packet in bytes.
    bit<32> length();
}

// The packet as the deparser makes it.
extern packet_out {
    // Appends a header, stack, union, or a struct of these; invalid headers add nothing.
    void emit<T>(in T hdr);
}

// In a parser: goes to reject with the error if the condition is false.
extern void verify(in bool check, in error toSignal);

// Checked at compile time; the program is refused if the condition is false.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

// Does nothing: the usual default action.
@noWarn("unused")
action NoAction() {}

match_kind {
    exact,
    ternary,
    lpm
}

#endif // _CORE_P4_
