# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The P4Runtime server."""

from collections.abc import Callable

import grpc
import mecn_native
from finsy.proto import p4r, p4r_grpc
from google.protobuf import text_format

from . import budgets
from .dataplane import Dataplane, LocalDataplane
from .device import Action, Device
from .holders import RoleHolders
from .listener import Listener
from .pipeline import SwitchFactory
from .runtime_json import RuntimeFile
from .service import P4RuntimeService
from .transport import Tls


class P4RuntimeServer(Listener):
    """A P4Runtime server in front of an embedded switch.

    `port` and `address` are known after `start`. The switch that the control plane has configured is
    `switch`; `inject` sends a packet through it. Take a `fork` of it to run packets through the same entries
    with fresh state.

        with P4RuntimeServer(address="127.0.0.1:0") as server:
            push(server.address)
            network.add_switch("R1", server.switch)
    """

    def __init__(
        self,
        switch_factory: SwitchFactory = mecn_native.Switch.from_json,
        *,
        address: str = "127.0.0.1:9559",
        allow_remote: bool = False,
        device_id: int = 1,
        tls: Tls | None = None,
        dataplane: Dataplane | None = None,
        max_message_bytes: int = budgets.MESSAGE_BYTES,
        holders: RoleHolders | None = None,
        on_failure: Callable[[], object] | None = None,
    ) -> None:
        """Raises ValueError if the device id is not one, or if others than this machine could reach the
        server unchecked: addresses beyond the loopback interface need TLS with client authentication, or
        `allow_remote`.

        dataplane: what carries packets; None: packets enter by `inject`, and there is no CPU port.
        holders: which client may name which role; None: every client every role.
        on_failure: called if the server cannot go on.
        """
        if not 0 <= device_id < 1 << 64:
            raise ValueError(f"device id {device_id} is not in 0..2^64-1")
        super().__init__(
            "p4runtime",
            address,
            allow_remote=allow_remote,
            tls=tls,
            max_message_bytes=max_message_bytes,
            on_failure=on_failure,
        )
        self._dataplane = dataplane if dataplane is not None else LocalDataplane()
        self._device = Device(device_id, switch_factory, self._dataplane, budgets.STREAMS)
        self._holders = holders or RoleHolders()

    def _register(self, server: grpc.Server) -> None:
        service = P4RuntimeService(self._device, self._deadlines, self._holders)
        p4r_grpc.add_P4RuntimeServicer_to_server(service, server)

    def _look(self) -> None:
        self._device.poll()

    def load(self, p4info: str | None, bmv2_json: bytes) -> None:
        """Commits a pipeline without a controller. `p4info` is protobuf text; None: packets go through the
        pipeline, but requests are refused until a controller has set one.

        Raises `google.protobuf.text_format.ParseError` or, if the pipeline cannot be realised, `StatusError`.
        """
        if p4info is None:
            self._device.run_device_config(bmv2_json)
            return
        config = p4r.ForwardingPipelineConfig(p4_device_config=bmv2_json)
        text_format.Parse(p4info, config.p4info)
        self._device.set_config(Action.VERIFY_AND_COMMIT, config)

    def write(self, runtime: RuntimeFile) -> None:
        """Writes the entries of a file without a controller. Raises `RuntimeFileError`."""
        self._device.write_file(runtime)

    @property
    def switch(self) -> mecn_native.Switch:
        """The switch that packets go through. Raises RuntimeError before the first pipeline is committed."""
        switch = self._device.switch
        if switch is None:
            raise RuntimeError("the switch has no forwarding pipeline yet")
        return switch

    def inject(self, port: int, frame: bytes) -> list[mecn_native.Departure]:
        """Sends a packet through the running pipeline; returns what left, without packet-ins.

        Raises RuntimeError before the first pipeline is committed, or if another data plane carries the
        packets.
        """
        if not isinstance(self._dataplane, LocalDataplane):
            raise RuntimeError("packets enter by the data plane that the server was given")
        return self._dataplane.inject(port, frame)

    def set_port(self, port: int, *, up: bool) -> None:
        """Says that a port has gone down or come up, for groups and replicas that watch it. Data planes on
        interfaces say so themselves. Frames that are sent to a port that is down still leave by it."""
        self._device.port_changed(port, up)

    def port_is_up(self, port: int) -> bool:
        """Whether a port is up, as far as the server was told."""
        return self._device.ports.is_up(port)

    @property
    def device_id(self) -> int:
        """The device id that requests must name."""
        return self._device.device_id
