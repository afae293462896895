# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The device behind the service: its pipelines and what requests do to them. One lock serialises all."""

import itertools
import logging
import threading
from collections.abc import Iterator, Sequence

import mecn_native
from finsy.proto import p4r, rpc_code

from .batch import write_atomically
from .budgets import ENTITIES_PER_PART
from .dataplane import Dataplane, HasInterfaces
from .dispatch import carry_over, read_entity, write_entity
from .entities import describe, object_id_of
from .liveness import ports_changed
from .notifications import notify
from .packet_io import decode_packet_in, encode_packet_out
from .pipeline import Pipeline, SwitchFactory, build_pipeline, make_switch
from .port_states import PortStates
from .roles import DEFAULT_ROLE, Role, Roles
from .runtime_json import RuntimeFile
from .schema import Schema
from .status import StatusError, invalid_argument
from .streams import Streams

Action = p4r.SetForwardingPipelineConfigRequest.Action

_LOG = logging.getLogger(__name__)


class Device:
    """A switch with a control plane.

    Requests go to `control`, packets to `running`. They are the same pipeline but for the time between
    VERIFY_AND_SAVE and COMMIT (section 13), when `control` is the saved one.
    """

    def __init__(
        self, device_id: int, factory: SwitchFactory, dataplane: Dataplane, max_controllers: int
    ) -> None:
        self.device_id = device_id
        self.lock = threading.RLock()
        self._reading = threading.Lock()
        """Of the reads that are under way, one asks for the lock: it goes to whoever is first, not to who
        waits longest, and a write should not lose against many."""
        self.left = threading.Condition(self.lock)
        """Notified when a controller has gone."""
        self.roles = Roles(max_sessions=max_controllers)
        self.streams = Streams(device_id, self.roles, max_controllers)
        self._factory = factory
        self._dataplane = dataplane
        self._control: Pipeline | None = None
        self._running: Pipeline | None = None
        self._before: Pipeline | None = None
        self._ports = PortStates(cpu_port=dataplane.cpu_port)
        dataplane.connect(self.packet_in)
        if isinstance(dataplane, HasInterfaces):
            self._ports.names = dataplane.port_names
            dataplane.watch_ports(self.port_changed)
            dataplane.on_digests(self.poll)

    @property
    def switch(self) -> mecn_native.Switch | None:
        """The switch that packets go through; None before the first pipeline is committed."""
        with self.lock:
            return None if self._running is None else self._running.switch

    @property
    def config(self) -> p4r.ForwardingPipelineConfig | None:
        """The pipeline config that requests refer to."""
        with self.lock:
            return None if self._control is None else self._control.config

    def set_config(self, action: Action.ValueType, config: p4r.ForwardingPipelineConfig | None) -> None:
        """SetForwardingPipelineConfig. A config that is refused changes nothing."""
        with self.lock:
            if action == Action.COMMIT:
                self._commit(config)
                return
            if action not in (
                Action.VERIFY,
                Action.VERIFY_AND_SAVE,
                Action.VERIFY_AND_COMMIT,
                Action.RECONCILE_AND_COMMIT,
            ):
                raise invalid_argument("the request says no action such as VERIFY_AND_COMMIT")
            if config is None:
                raise invalid_argument("the request has no pipeline config")
            pipeline = build_pipeline(config, self._factory, self._dataplane.now_ns, self._ports)
            if action == Action.VERIFY:
                return
            if action == Action.RECONCILE_AND_COMMIT and self._control is not None:
                carry_over(self._control, pipeline)
            self._control = pipeline
            if action != Action.VERIFY_AND_SAVE:
                self._run(pipeline)

    def run_device_config(self, device_config: bytes) -> None:
        """Lets packets go through a device config whose P4Info is not known. For controllers there is no
        pipeline config yet. Raises INVALID_ARGUMENT if it cannot be realised."""
        switch = make_switch(device_config, self._factory)
        with self.lock:
            config = p4r.ForwardingPipelineConfig()
            schema = Schema(tables={}, counters={})
            self._run(Pipeline(config, schema, switch, clock=self._dataplane.now_ns, ports=self._ports))

    def _commit(self, config: p4r.ForwardingPipelineConfig | None) -> None:
        if config is not None:
            raise invalid_argument("COMMIT takes no pipeline config; it commits the one saved before")
        if self._control is None or self._control is self._running:
            raise StatusError(rpc_code.NOT_FOUND, "there is no saved pipeline config to commit")
        self._run(self._control)

    def _run(self, pipeline: Pipeline) -> None:
        """Packets go through `pipeline` from now on."""
        self._before = self._running
        self._running = pipeline
        self._dataplane.swap(pipeline.switch)

    def write(self, update: p4r.Update, role: Role) -> None:
        """One update of a Write request."""
        pipeline = self._configured()
        if update.type not in (p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE):
            raise invalid_argument("the update has no type: INSERT, MODIFY or DELETE")
        entity = update.entity
        role.require_access(object_id_of(entity), describe(entity))
        write_entity(pipeline, update)

    def write_file(self, runtime: RuntimeFile) -> None:
        """The entries of a file, as the default role. Raises `RuntimeFileError`."""
        with self.lock:
            role = self.roles.role(DEFAULT_ROLE)
            runtime.write(self._configured().schema, lambda update: self.write(update, role))

    def write_atomically(self, updates: Sequence[p4r.Update], role: Role) -> list[StatusError | None]:
        """All updates of a Write request, or none."""
        return write_atomically(self._configured(), updates, role)

    def read(self, query: p4r.Entity, role: Role) -> Iterator[list[p4r.Entity]]:
        """One query of a Read request, in portions; what the role may not read is left out.

        Others have their turn between portions, so that what they change may be seen in part.
        """
        with self.lock:
            found = read_entity(self._configured(), query)
        more = True
        while more:
            with self._reading, self.lock:
                try:
                    portion = list(itertools.islice(found, ENTITIES_PER_PART))
                except mecn_native.NotFoundError as error:
                    raise StatusError(
                        rpc_code.ABORTED, f"it was deleted while it was read: {error}"
                    ) from error
            more = len(portion) == ENTITIES_PER_PART
            yield [entity for entity in portion if role.may_read(object_id_of(entity))]

    def packet_out(self, packet: p4r.PacketOut) -> None:
        """A controller sends a packet. Raises what makes the switch drop it."""
        with self.lock:
            if self._running is None:
                raise StatusError(rpc_code.FAILED_PRECONDITION, "the switch runs no pipeline yet")
            if self._dataplane.cpu_port is None:
                raise StatusError(
                    rpc_code.FAILED_PRECONDITION, "the switch has no CPU port, so there is no packet I/O"
                )
            frame = encode_packet_out(self._running.schema.packet_out, packet)
            self._dataplane.packet_out(frame)

    def packet_in(self, switch: mecn_native.Switch, frame: bytes) -> None:
        """A frame left `switch` at the CPU port."""
        with self.lock:
            for pipeline in (self._running, self._before):
                if pipeline is not None and pipeline.switch is switch:
                    packet = decode_packet_in(pipeline.schema.packet_in, frame)
                    if packet is None:
                        _LOG.warning(
                            "a frame of %d bytes at the CPU port is shorter than its header", len(frame)
                        )
                    else:
                        self.streams.packet_in(packet)
                    return

    def port_changed(self, port: int, up: bool) -> None:
        """A port went down or came up."""
        with self.lock:
            if not self._ports.set(port, up=up):
                return
            _LOG.info("port %d is %s", port, "up" if up else "down")
            for pipeline in {id(p): p for p in (self._running, self._control) if p is not None}.values():
                ports_changed(pipeline)

    @property
    def ports(self) -> PortStates:
        """Which ports there are, and which are down."""
        return self._ports

    def acknowledge_digests(self, ack: p4r.DigestListAck) -> None:
        """A controller has received a digest list. Raises INVALID_ARGUMENT if there is no such digest."""
        with self.lock:
            pipeline = self._running if self._running is not None else self._configured()
            pipeline.digests.acknowledge(pipeline.schema, ack)

    def poll(self) -> None:
        """Sends what the data plane has for controllers: digests and idle entries. To be called now and
        then."""
        with self.lock:
            if self._running is not None:
                notify(self._running, self.streams)

    def require_config(self) -> None:
        """Raises FAILED_PRECONDITION before the first pipeline config."""
        self._configured()

    def _configured(self) -> Pipeline:
        if self._control is None:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, "the switch has no forwarding pipeline config yet"
            )
        return self._control
