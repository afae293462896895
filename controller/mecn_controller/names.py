# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Names in the data plane's P4Info, and its constants (types.p4 in p4src), in one place."""

from __future__ import annotations

from enum import IntEnum

ROUTE_TABLE = "MecnIngress.forwarding.ipv4_lpm"
IPV6_ROUTE_TABLE = "MecnIngress.forwarding.ipv6_lpm"
ROUTE_TABLES = (ROUTE_TABLE, IPV6_ROUTE_TABLE)
FORWARD = "MecnIngress.forwarding.forward"
TO_CONTROLLER = "MecnIngress.forwarding.to_controller"
UNROUTABLE = "MecnIngress.forwarding.unroutable"

PORT_TABLE = "MecnIngress.policy.aqm_port"
SET_PROFILE = "MecnIngress.policy.set_profile"

RTT_CLASS_TABLE = "MecnIngress.flow_class.aqm_rtt_class"
SET_CLASS = "MecnIngress.flow_class.set_class"
CLASS_CURVE_TABLE = "MecnIngress.flow_class.aqm_class_curve"
SET_CURVE = "MecnIngress.flow_class.set_curve"

ADMISSION_CURVE = "MecnIngress.admission.curve"
MARKING_CURVE = "MecnEgress.marking.curve"
CURVES = (ADMISSION_CURVE, MARKING_CURVE)
"""The two instances of the curve; a profile's segments stand in both."""
ADMISSION_CURVE_TABLE = f"{ADMISSION_CURVE}.aqm_curve"
MARKING_CURVE_TABLE = f"{MARKING_CURVE}.aqm_curve"

ADMISSION_TABLE = "MecnIngress.admission.aqm_admission"
EARLY_DROP = "MecnIngress.admission.early_drop"

VERDICT_TABLE = "MecnEgress.marking.verdict.aqm_verdict"
MARK_INCIPIENT = "MecnEgress.marking.verdict.mark_incipient"
MARK_CE = "MecnEgress.marking.verdict.mark_ce"

PROFILE_TABLES = (ADMISSION_CURVE_TABLE, MARKING_CURVE_TABLE, RTT_CLASS_TABLE, CLASS_CURVE_TABLE)
"""Tables whose entries belong to one profile id each."""
AQM_TABLES = (*PROFILE_TABLES, ADMISSION_TABLE, VERDICT_TABLE, PORT_TABLE)
"""Tables that applying a profile writes."""

EARLY_DROP_STATS = "MecnIngress.admission.early_drop_stats"
"""Packets and bytes dropped before the queue; index: egress port."""
MARKING_STATS = "MecnEgress.marking.marking_stats"
"""Packets and bytes that left, by what was done to them; index: egress port * 4 + Level."""

PORT_REPORT = "port_report_t"
"""Digest of a port's period (p4src/v1model/port_report.p4)."""

AVERAGE_REGISTER = "MecnEgress.marking.average.avg_qdepth"
"""Average that marking uses, Q16.48; index: egress port * 8 + priority. No controller can read it.

BMv2 has no registers in P4Runtime.
"""

MAX_PORTS = 512
PROFILE_ID_MAX = 0xFFFF


class Ecn(IntEnum):
    """ECN field of the IP header (RFC 3168, section 5)."""

    NOT_ECT = 0b00
    ECT_1 = 0b01
    ECT_0 = 0b10
    CE = 0b11


class Signal(IntEnum):
    """What the average says about a packet."""

    NONE = 0
    INCIPIENT = 1
    MODERATE = 2
    SEVERE = 3


class Level(IntEnum):
    """What was done to a packet that left."""

    PASSED = 0
    INCIPIENT = 1
    CE = 2


class MarkPoint(IntEnum):
    """Which depth a packet is judged by."""

    TAIL = 0
    FRONT = 1


class Spacing(IntEnum):
    """How draws of a signal depend on each other."""

    INDEPENDENT = 0
    UNIFORM = 1
    WAIT = 2
