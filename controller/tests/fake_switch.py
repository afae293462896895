# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A P4Runtime server that stores entries and can be told to misbehave. It answers as BMv2's server does."""

from __future__ import annotations

import queue
import threading
import time
from concurrent import futures
from typing import TYPE_CHECKING, TypeAlias

import grpc
from finsy.proto import U128, p4d, p4i, p4r, p4r_grpc, rpc_code, rpc_status
from google.protobuf import any_pb2, text_format
from mecn_controller import names
from mecn_controller.reports import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXACT, LPM, TERNARY, RANGE = (
    p4i.MatchField.EXACT,
    p4i.MatchField.LPM,
    p4i.MatchField.TERNARY,
    p4i.MatchField.RANGE,
)
Kind: TypeAlias = "p4i.MatchField.MatchType.ValueType"

RAMP = [
    ("left", 32),
    ("p_incipient_left", 33),
    ("slope_incipient", 33),
    ("p_moderate_left", 33),
    ("slope_moderate", 33),
]
ROW: list[tuple[str, int, Kind]] = [("scheme", 8, EXACT), ("signal", 2, EXACT), ("ecn", 2, EXACT)]
ROUTES: dict[str, list[tuple[str, int]]] = {
    names.FORWARD: [("port", 9), ("src_mac", 48), ("dst_mac", 48)],
    names.TO_CONTROLLER: [],
    names.UNROUTABLE: [],
}
CURVE: list[tuple[str, int, Kind]] = [("profile_id", 16, EXACT), ("avg_qdepth", 24, RANGE)]

TABLES: dict[str, tuple[list[tuple[str, int, Kind]], dict[str, list[tuple[str, int]]]]] = {
    names.ROUTE_TABLE: ([("dst_addr", 32, LPM)], ROUTES),
    names.IPV6_ROUTE_TABLE: ([("dst_addr", 128, LPM)], ROUTES),
    names.PORT_TABLE: (
        [("egress_port", 9, EXACT), ("dscp", 6, TERNARY)],
        {
            names.SET_PROFILE: [
                ("profile_id", 16),
                ("scheme", 8),
                ("mark_point", 1),
                ("spacing", 1),
                ("min_depth", 16),
                ("ewma_weight", 33),
                ("service_time", 32),
                ("idle_decay", 36),
                ("queue_limit", 16),
                ("byte_scale", 33),
                ("report_period", 32),
                ("flow_classes", 1),
            ],
            "MecnIngress.policy.no_aqm": [],
        },
    ),
    names.ADMISSION_CURVE_TABLE: (
        CURVE,
        {f"{names.ADMISSION_CURVE}.ramp": RAMP, f"{names.ADMISSION_CURVE}.severe": []},
    ),
    names.MARKING_CURVE_TABLE: (
        CURVE,
        {f"{names.MARKING_CURVE}.ramp": RAMP, f"{names.MARKING_CURVE}.severe": []},
    ),
    names.RTT_CLASS_TABLE: (
        [("profile_id", 16, EXACT), ("rtt", 20, RANGE)],
        {names.SET_CLASS: [("new_class", 2)]},
    ),
    names.CLASS_CURVE_TABLE: (
        [("profile_id", 16, EXACT), ("rtt_class", 2, EXACT)],
        {names.SET_CURVE: [("curve", 16)]},
    ),
    names.ADMISSION_TABLE: (ROW, {names.EARLY_DROP: [], "MecnIngress.admission.admit": []}),
    names.VERDICT_TABLE: (
        ROW,
        {names.MARK_INCIPIENT: [], names.MARK_CE: [], "MecnEgress.marking.verdict.pass": []},
    ),
}


def _alias(name: str) -> str:
    """The shortest suffix that is unique, as p4c gives it; here what follows the control's name."""
    return name.split(".", 1)[1]


def p4info(leave_out: tuple[str, ...] = ()) -> p4i.P4Info:
    """P4Info with the names and widths of the data plane; ids are made up."""
    info = p4i.P4Info(pkg_info=p4i.PkgInfo(name="mecn_v1model", arch="v1model"))
    action_ids: dict[str, int] = {}
    for number, (table_name, (fields, actions)) in enumerate(TABLES.items(), 1):
        if table_name in leave_out:
            continue
        table = info.tables.add(size=1024)
        table.preamble.id = 0x0200_0000 + number
        table.preamble.name = table_name
        table.preamble.alias = _alias(table_name)
        for field_id, (name, width, kind) in enumerate(fields, 1):
            table.match_fields.add(id=field_id, name=name, bitwidth=width, match_type=kind)
        for action_name, params in actions.items():
            if action_name not in action_ids:
                action_ids[action_name] = 0x0100_0001 + len(action_ids)
                action = info.actions.add()
                action.preamble.id = action_ids[action_name]
                action.preamble.name = action_name
                action.preamble.alias = _alias(action_name)
                for param_id, (name, width) in enumerate(params, 1):
                    action.params.add(id=param_id, name=name, bitwidth=width)
            table.action_refs.add(id=action_ids[action_name])
    for number, name in enumerate((names.EARLY_DROP_STATS, names.MARKING_STATS), 1):
        counter = info.counters.add(size=2048, spec=p4i.CounterSpec(unit=p4i.CounterSpec.BOTH))
        counter.preamble.id = 0x1200_0000 + number
        counter.preamble.name = name
        counter.preamble.alias = _alias(name)
    report = info.digests.add()
    report.preamble.id = 0x1700_0001
    report.preamble.name = report.preamble.alias = names.PORT_REPORT
    report.type_spec.struct.name = names.PORT_REPORT
    members = info.type_info.structs[names.PORT_REPORT].members
    for field in FIELDS:
        member = members.add(name=field)
        member.type_spec.bitstring.bit.bitwidth = 48
    return info


def p4info_text(leave_out: tuple[str, ...] = ()) -> str:
    return text_format.MessageToString(p4info(leave_out))


Update = tuple[str, str, p4r.TableEntry]
"""INSERT, MODIFY or DELETE; the table's name; the entry."""


class FakeSwitch(p4r_grpc.P4RuntimeServicer):
    """The device; `start` it, use `address`, `stop` it."""

    def __init__(self) -> None:
        self.info: p4i.P4Info | None = None
        self.cookie = 0
        self.loads = 0
        self.entries: dict[bytes, p4r.TableEntry] = {}
        self.counters: dict[tuple[int, int], tuple[int, int]] = {}
        self.writes: list[Update] = []
        self.refuse: Callable[[Update], str | None] = lambda _update: None
        self.lie: Callable[[p4r.TableEntry], p4r.TableEntry] = lambda entry: entry
        self.before_write: Callable[[], None] = lambda: None
        self.delay_s = 0.0
        """How long each write takes."""
        self.promotes = True
        """Whether a backup moves up by itself when the primary goes, as in BMv2; else as P4Runtime 1.5
        says."""
        self.tells = True
        """Whether backups are told when the primary goes."""
        self._out: dict[int, queue.SimpleQueue[p4r.StreamMessageResponse | grpc.StatusCode | None]] = {}
        self._highest = 0
        self._election: dict[int, int] = {}
        self._streams = 0
        self._lock = threading.Lock()
        self._server = grpc.server(futures.ThreadPoolExecutor(8))
        p4r_grpc.add_P4RuntimeServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    p4info = staticmethod(p4info)
    p4info_text = staticmethod(p4info_text)

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop(None).wait()

    def load(self, info: p4i.P4Info) -> None:
        self.info = info
        self.entries.clear()

    def snapshot(self) -> set[bytes]:
        return {entry.SerializeToString(deterministic=True) for entry in self.entries.values()}

    def table_name(self, entry: p4r.TableEntry) -> str:
        assert self.info is not None
        return next(t.preamble.name for t in self.info.tables if t.preamble.id == entry.table_id)

    def _key(self, entry: p4r.TableEntry) -> bytes:
        match = sorted(entry.match, key=lambda field: field.field_id)
        key = p4r.TableEntry(table_id=entry.table_id, match=match, priority=entry.priority)
        return key.SerializeToString(deterministic=True)

    def StreamChannel(  # noqa: N802
        self, request_iterator: Iterator[p4r.StreamMessageRequest], context: grpc.ServicerContext
    ) -> Iterator[p4r.StreamMessageResponse]:
        with self._lock:
            self._streams += 1
            stream = self._streams
            out: queue.SimpleQueue[p4r.StreamMessageResponse | grpc.StatusCode | None] = queue.SimpleQueue()

        def leave() -> None:
            with self._lock:
                was_primary = self._primary() == stream
                self._election.pop(stream, None)
                self._out.pop(stream, None)
                if was_primary and self.tells:
                    for other in self._out:
                        self._tell(other)
            out.put(None)

        def listen() -> None:
            try:
                for request in request_iterator:
                    if request.HasField("arbitration"):
                        election_id = U128.decode(request.arbitration.election_id)
                        with self._lock:
                            others = {s: e for s, e in self._election.items() if s != stream}
                            if election_id in others.values():
                                out.put(grpc.StatusCode.INVALID_ARGUMENT)
                                return
                            before = self._primary()
                            self._out[stream] = out
                            self._election[stream] = election_id
                            self._highest = max(self._highest, election_id)
                            changed = self._primary() != before
                            for each in list(self._out) if changed else [stream]:
                                self._tell(each)
            except grpc.RpcError:
                pass  # the controller has gone

        context.add_callback(leave)
        threading.Thread(target=listen, daemon=True).start()
        while (answer := out.get()) is not None:
            if isinstance(answer, grpc.StatusCode):
                context.abort(answer, "Election id already exists")
            yield answer

    def _primary(self) -> int | None:
        """The stream in charge: of the highest id present (BMv2), or that has ever been (P4Runtime 1.5)."""
        floor = 0 if self.promotes else self._highest
        able = [(number, stream) for stream, number in self._election.items() if number >= floor]
        return max(able)[1] if able else None

    def _tell(self, stream: int) -> None:
        primary = self._primary()
        code = rpc_code.OK if primary == stream else rpc_code.ALREADY_EXISTS
        code = rpc_code.NOT_FOUND if primary is None else code
        highest = max(self._election.values(), default=0) if self.promotes else self._highest
        update = p4r.MasterArbitrationUpdate(
            device_id=1, election_id=U128.encode(highest), status=rpc_status.Status(code=code)
        )
        self._out[stream].put(p4r.StreamMessageResponse(arbitration=update))

    def cut(self) -> None:
        """End every controller's stream."""
        with self._lock:
            for out in self._out.values():
                out.put(grpc.StatusCode.UNAVAILABLE)

    def send_report(self, fields: dict[str, int]) -> None:
        """A port report to the primary."""
        assert self.info is not None
        members = [
            p4d.P4Data(bitstring=value.to_bytes(6, "big").lstrip(b"\0") or b"\0") for value in fields.values()
        ]
        digest = p4r.DigestList(digest_id=self.info.digests[0].preamble.id, list_id=1)
        digest.data.add().struct.members.extend(members)
        with self._lock:
            primary = self._primary()
            assert primary is not None
            self._out[primary].put(p4r.StreamMessageResponse(digest=digest))

    def SetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.SetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.SetForwardingPipelineConfigResponse:
        if request.config.p4_device_config == b"refused":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not a program")
        self.load(request.config.p4info)
        self.cookie = request.config.cookie.cookie
        self.loads += 1
        return p4r.SetForwardingPipelineConfigResponse()

    def GetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.GetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.GetForwardingPipelineConfigResponse:
        if self.info is None:
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION, "No forwarding pipeline config set for this device"
            )
        config = p4r.ForwardingPipelineConfig(cookie=p4r.ForwardingPipelineConfig.Cookie(cookie=self.cookie))
        if request.response_type != request.COOKIE_ONLY:
            assert self.info is not None
            config.p4info.CopyFrom(self.info)
        return p4r.GetForwardingPipelineConfigResponse(config=config)

    def Write(self, request: p4r.WriteRequest, context: grpc.ServicerContext) -> p4r.WriteResponse:  # noqa: N802
        self.before_write()
        time.sleep(self.delay_s)
        election_id = U128.decode(request.election_id)
        primary = self._primary()
        if primary is None or election_id != self._election[primary]:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "Not primary")
        errors = [
            self._update(update) for update in request.updates if not update.entity.HasField("digest_entry")
        ]
        if any(error.canonical_code for error in errors):
            status = rpc_status.Status(code=rpc_code.UNKNOWN, message="")
            for error in errors:
                packed = any_pb2.Any()
                packed.Pack(error)
                status.details.append(packed)
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
            context.abort(grpc.StatusCode.UNKNOWN, "")
        return p4r.WriteResponse()

    def _update(self, update: p4r.Update) -> p4r.Error:
        entry = p4r.TableEntry()
        entry.CopyFrom(update.entity.table_entry)
        kind = p4r.Update.Type.Name(update.type)
        record = (kind, self.table_name(entry), entry)
        why = self.refuse(record)
        if why is not None:
            return p4r.Error(canonical_code=rpc_code.RESOURCE_EXHAUSTED, message=why)
        key = self._key(entry)
        if (key in self.entries) == (kind == "INSERT"):
            code = rpc_code.ALREADY_EXISTS if kind == "INSERT" else rpc_code.NOT_FOUND
            return p4r.Error(canonical_code=code, message="entry")
        self.writes.append(record)
        if kind == "DELETE":
            del self.entries[key]
        else:
            self.entries[key] = entry
        return p4r.Error(canonical_code=rpc_code.OK)

    def Read(self, request: p4r.ReadRequest, context: grpc.ServicerContext) -> Iterator[p4r.ReadResponse]:  # noqa: ARG002, N802
        for entity in request.entities:
            if entity.HasField("counter_entry"):
                cell = entity.counter_entry
                packets, size = self.counters.get((cell.counter_id, cell.index.index), (0, 0))
                cell.data.CopyFrom(p4r.CounterData(packet_count=packets, byte_count=size))
                yield p4r.ReadResponse(entities=[p4r.Entity(counter_entry=cell)])
                continue
            found = [e for e in self.entries.values() if e.table_id == entity.table_entry.table_id]
            yield p4r.ReadResponse(entities=[p4r.Entity(table_entry=self.lie(entry)) for entry in found])

    def Capabilities(  # noqa: N802
        self,
        request: p4r.CapabilitiesRequest,  # noqa: ARG002
        context: grpc.ServicerContext,  # noqa: ARG002
    ) -> p4r.CapabilitiesResponse:
        return p4r.CapabilitiesResponse(p4runtime_api_version="1.3.0")
