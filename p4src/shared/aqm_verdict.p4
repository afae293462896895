// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What a signal means for a packet that leaves: nothing, or a mark.
//
// The table says what the scheme asks for; the code below it keeps the rules that no entry may break: a packet that is not
// ECN-capable is never marked, and a level is never lowered (so with several switches in a row the highest one survives).

#ifndef MECN_AQM_VERDICT_P4
#define MECN_AQM_VERDICT_P4

control AqmVerdict(in scheme_id_t scheme, in signal_t signal, inout ecn_t ecn, out level_t level) {
    level_t wanted = LEVEL_PASSED;

    action pass() {
    }

    action mark_incipient() {
        wanted = LEVEL_INCIPIENT;
    }

    action mark_ce() {
        wanted = LEVEL_CE;
    }

    table aqm_verdict {
        key = {
            scheme: exact @name("scheme");
            signal: exact @name("signal");
            ecn: exact @name("ecn");
        }
        actions = {
            pass;
            mark_incipient;
            mark_ce;
        }
        const default_action = pass();
        size = AQM_VERDICT_TABLE_SIZE;
    }

    apply {
        level = LEVEL_PASSED;
        aqm_verdict.apply();
        if (wanted == LEVEL_CE && ecn != ECN_NOT_ECT) {
            ecn = ECN_CE;
            level = LEVEL_CE;
        } else if (wanted == LEVEL_INCIPIENT && ecn == ECN_ECT_0) {
            ecn = ECN_ECT_1;
            level = LEVEL_INCIPIENT;
        }
    }
}

#endif
