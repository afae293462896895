# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The tables that a Tofino has whatever its program: names and numbers as p4lang's drivers describe them.

Only tables that do something here are described: a client that asks for another is told that there is none.
"""

import json
from typing import Any

Field = tuple[int, str, str]
"""Number, name, type; a type in brackets is a list; `!` before it: it must be given; `-`: it can only be
read."""

SPEEDS = ("NONE", "1G", "10G", "25G", "40G", "40G_NB", "40G_NON_BREAKABLE", "50G", "100G", "200G", "400G")
CHOICES = {
    "$SPEED": tuple(f"BF_SPEED_{speed}" for speed in SPEEDS),
    "scheduling_speed": tuple(f"BF_SPEED_{speed}" for speed in SPEEDS[:9]),
    "$FEC": tuple(f"BF_FEC_TYP_{kind}" for kind in ("NONE", "FIRECODE", "REED_SOLOMON", "FC", "RS")),
    "$AUTO_NEGOTIATION": ("PM_AN_DEFAULT", "PM_AN_FORCE_ENABLE", "PM_AN_FORCE_DISABLE"),
    "$LOOPBACK_MODE": tuple(
        f"BF_LPBK_{mode}" for mode in ("NONE", "MAC_NEAR", "MAC_FAR", "PCS_NEAR", "SERDES_NEAR", "SERDES_FAR")
    ),
    "$PORT_DIR": ("PM_PORT_DIR_DEFAULT", "PM_PORT_DIR_TX_ONLY", "PM_PORT_DIR_RX_ONLY"),
    "$direction": ("INGRESS", "EGRESS", "BOTH"),
    "$packet_color": ("GREEN", "YELLOW", "RED"),
    "unit": ("PPS", "BPS"),
    "provisioning": ("UPPER", "LOWER", "MIN_ERROR"),
}
DEFAULTS = {"$N_LANES": 1, "$PORT_ENABLE": False, "$TX_MTU": 10240, "$RX_MTU": 10240}

_PORT: tuple[Field, ...] = (
    (1, "$SPEED", "string"),
    (2, "$FEC", "string"),
    (3, "$N_LANES", "uint32"),
    (4, "$PORT_ENABLE", "bool"),
    (5, "$AUTO_NEGOTIATION", "string"),
    (6, "$LOOPBACK_MODE", "string"),
    (7, "$TX_MTU", "uint32"),
    (8, "$RX_MTU", "uint32"),
    (14, "$PORT_DIR", "string"),
    (21, "$IS_VALID", "-bool"),
    (22, "$IS_INTERNAL", "-bool"),
    (23, "$CONN_ID", "-uint32"),
    (24, "$CHNL_ID", "-uint32"),
    (25, "$PORT_UP", "-bool"),
    (26, "$PORT_NAME", "-string"),
)
_MIRROR: tuple[Field, ...] = (
    (5, "$session_enable", "bool"),
    (6, "$direction", "string"),
    (7, "$ucast_egress_port", "uint32"),
    (8, "$ucast_egress_port_valid", "bool"),
    (9, "$egress_port_queue", "uint32"),
    (10, "$ingress_cos", "uint32"),
    (11, "$packet_color", "string"),
    (12, "$level1_mcast_hash", "uint32"),
    (13, "$level2_mcast_hash", "uint32"),
    (14, "$mcast_grp_a", "uint16"),
    (15, "$mcast_grp_a_valid", "bool"),
    (16, "$mcast_grp_b", "uint16"),
    (17, "$mcast_grp_b_valid", "bool"),
    (18, "$mcast_l1_xid", "uint16"),
    (19, "$mcast_l2_xid", "uint16"),
    (20, "$mcast_rid", "uint16"),
    (21, "$icos_for_copy_to_cpu", "uint32"),
    (22, "$copy_to_cpu", "bool"),
    (23, "$max_pkt_len", "uint16"),
)
_TREE: tuple[Field, ...] = (
    (1, "$MULTICAST_NODE_ID", "[uint32]"),
    (2, "$MULTICAST_NODE_L1_XID_VALID", "[bool]"),
    (3, "$MULTICAST_NODE_L1_XID", "[uint16]"),
    (4, "$MULTICAST_ECMP_ID", "[uint32]"),
    (5, "$MULTICAST_ECMP_L1_XID_VALID", "[bool]"),
    (6, "$MULTICAST_ECMP_L1_XID", "[uint16]"),
)
_NODE: tuple[Field, ...] = (
    (1, "$MULTICAST_RID", "!uint16"),
    (2, "$MULTICAST_LAG_ID", "![uint8]"),
    (3, "$DEV_PORT", "![uint32]"),
)
_SCHED: tuple[Field, ...] = ((1, "max_rate_enable", "bool"), (2, "scheduling_speed", "string"))
_SHAPING: tuple[Field, ...] = (
    (1, "unit", "string"),
    (2, "provisioning", "string"),
    (3, "max_rate", "uint32"),
    (4, "max_burst_size", "uint32"),
)


def _type(name: str, kind: str) -> dict[str, Any]:
    out: dict[str, Any] = {"type": kind}
    if name in CHOICES:
        out["choices"] = list(CHOICES[name])
    if name in DEFAULTS:
        out["default_value"] = DEFAULTS[name]
    return out


def _data(field: Field) -> dict[str, Any]:
    number, name, kind = field
    plain = kind.lstrip("!-")
    singleton = {
        "id": number,
        "name": name,
        "repeated": plain.startswith("["),
        "annotations": [],
        "type": _type(name, plain.strip("[]")),
    }
    return {"mandatory": kind.startswith("!"), "read_only": kind.startswith("-"), "singleton": singleton}


def _table(
    number: int,
    name: str,
    kind: str,
    size: int,
    key: tuple[str, str],
    fields: tuple[Field, ...],
    attributes: tuple[str, ...] = (),
) -> dict[str, Any]:
    return {
        "name": name,
        "id": number,
        "table_type": kind,
        "size": size,
        "key": [
            {
                "id": 1,
                "name": key[0],
                "annotations": [],
                "mandatory": True,
                "match_type": "Exact",
                "type": {"type": key[1]},
            }
        ],
        "data": list(map(_data, fields)),
        "supported_operations": [],
        "attributes": list(attributes),
    }


def fixed_info(generation: int) -> bytes:
    """The description as JSON; `generation`: of Tofino, 1 or 2."""
    tm, port = f"tf{generation}.tm", ("dev_port", "uint32")
    mirror = _table(0xFF040001, "$mirror.cfg", "MirrorCfg", 1024, ("$sid", "uint16"), _MIRROR)
    mirror["action_specs"] = [
        {"id": 1, "name": "$coalescing", "data": []},
        {"id": 2, "name": "$normal", "data": []},
    ]
    status = ("port_status_notif_cb",)
    tables = [
        _table(0xFF010001, "$PORT", "PortConfigure", 256, ("$DEV_PORT", "uint32"), _PORT, status),
        _table(0xFF020002, "$pre.node", "PreNode", 16777216, ("$MULTICAST_NODE_ID", "uint32"), _NODE),
        _table(0xFF020001, "$pre.mgid", "PreMgid", 65536, ("$MGID", "uint16"), _TREE),
        mirror,
        _table(0xFF050016, f"{tm}.port.sched_cfg", "TmPortSchedCfg", 288, port, _SCHED),
        _table(0xFF050017, f"{tm}.port.sched_shaping", "TmPortSchedShaping", 288, port, _SHAPING),
    ]
    return json.dumps({"schema_version": "1.0.0", "tables": tables}).encode()
