# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Copies of packets: multicast trees ($pre.mgid and $pre.node) and mirror sessions ($mirror.cfg)."""

from mecn_native import CloneSession, MatchField

from ..status import invalid_argument
from .info import Table
from .model import Context, Kept, by_name
from .values import Key


class Nodes(Kept):
    """$pre.node: replication id and ports of a node of the trees."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.trees: Trees | None = None
        self._ids = by_name(table.data)

    def replicas(self, node: int) -> list[tuple[int, int]]:
        """(port, replication id) of a node. NOT_FOUND if there is none."""
        data = self.get((MatchField.Exact(node),)).data
        return [(port, data[self._ids["$MULTICAST_RID"]]) for port in data[self._ids["$DEV_PORT"]]]

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        entry = self.kept.get(key)
        if entry is not None and entry.data[self._ids["$MULTICAST_LAG_ID"]]:
            raise self.unsupported("LAGs of multicast trees are not supported")
        for port in entry.data[self._ids["$DEV_PORT"]] if entry is not None else ():
            if not self.context.ports.exists(port):
                raise invalid_argument(f"{self.what}: there is no port {port}")
        if self.trees is None:
            return
        using = self.trees.using(self.number(key))
        if entry is None and using:
            raise invalid_argument(f"{self.what}: node {self.number(key)} is in a tree")
        for tree in using:
            self.trees.apply(tree)


class Trees(Kept):
    """$pre.mgid: nodes of a multicast group."""

    def __init__(self, table: Table, context: Context, nodes: Nodes) -> None:
        super().__init__(table, context)
        self._nodes = nodes
        nodes.trees = self
        ids = by_name(table.data)
        self._members, self._valid = ids["$MULTICAST_NODE_ID"], ids["$MULTICAST_NODE_L1_XID_VALID"]
        self._others = [ids["$MULTICAST_ECMP_ID"]]

    def using(self, node: int) -> list[Key]:
        """The trees that a node is in."""
        return [key for key, entry in self.kept.items() if node in entry.data.get(self._members, [])]

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        group, entry = self.number(key), self.kept.get(key)
        if entry is None:
            if any(known == group for known, _ in self.switch.multicast_groups()):
                self.switch.delete_multicast_group(group)
            return
        if any(entry.data.get(self._valid, [])):
            raise self.unsupported("level 1 exclusion ids are not supported")
        if any(entry.data.get(other) for other in self._others):
            raise self.unsupported("ECMP groups of multicast trees are not supported")
        replicas = [r for node in entry.data.get(self._members, []) for r in self._nodes.replicas(node)]
        self.switch.set_multicast_group(group, replicas)


class Mirrors(Kept):
    """$mirror.cfg: where mirrored packets go. A session that is not enabled gets none."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self._fields = {f.id: f for f in table.data.values()}

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        session, entry = self.number(key), self.kept.get(key)
        if entry is not None:
            action = self.table.actions.get(entry.action)
            if action is None or action.name != "$normal":
                raise self.unsupported("sessions are $normal: packets are not coalesced")
        data = {} if entry is None else self.named(entry.data, self._fields)
        if not data.get("$session_enable"):
            if any(known == session for known, _ in self.switch.clone_sessions()):
                self.switch.delete_clone_session(session)
            return
        port = data.get("$ucast_egress_port") if data.get("$ucast_egress_port_valid") else None
        group = data.get("$mcast_grp_a") if data.get("$mcast_grp_a_valid") else None
        if data.get("$mcast_grp_b_valid"):
            raise self.unsupported("$mcast_grp_b is not supported in mirror sessions")
        truncate = data.get("$max_pkt_len") or None
        self.switch.set_clone_session(session, CloneSession(port=port, group=group, truncate=truncate))
