# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The BF Runtime server."""

from collections.abc import Callable

import grpc
import mecn_native

from .. import budgets
from ..dataplane import Dataplane, LocalDataplane
from ..listener import Listener
from ..pipeline import SwitchFactory
from ..transport import Tls
from .device import BfrtDevice
from .program import Config
from .service import BfRuntimeService


class BfRuntimeServer(Listener):
    """A BF Runtime server in front of an embedded switch that runs a program for Tofino.

    with BfRuntimeServer(address="127.0.0.1:0") as server:
        server.load("mecn_tna", bf_rt_json, program_json)
    """

    def __init__(
        self,
        switch_factory: SwitchFactory = mecn_native.Switch.from_json,
        *,
        address: str = "127.0.0.1:50052",
        allow_remote: bool = False,
        device_id: int = 0,
        tls: Tls | None = None,
        dataplane: Dataplane | None = None,
        max_message_bytes: int = budgets.MESSAGE_BYTES,
        on_failure: Callable[[], object] | None = None,
    ) -> None:
        """Raises ValueError as `P4RuntimeServer`."""
        super().__init__(
            "bfruntime",
            address,
            allow_remote=allow_remote,
            tls=tls,
            max_message_bytes=max_message_bytes,
            on_failure=on_failure,
        )
        if not 0 <= device_id < 1 << 32:
            raise ValueError(f"device id {device_id} is not in 0..2^32-1")
        self._dataplane = dataplane if dataplane is not None else LocalDataplane()
        self._device = BfrtDevice(device_id, switch_factory, self._dataplane)

    def _register(self, server: grpc.Server) -> None:
        service = BfRuntimeService(self._device, self._deadlines)
        server.add_generic_rpc_handlers((service.handlers(),))

    def _look(self) -> None:
        self._device.poll()

    def load(self, p4_name: str, bfruntime_info: bytes, device_config: bytes) -> None:
        """Runs a program without a controller. Raises `StatusError` if it cannot be realised."""
        self._device.run(self._device.build(Config(p4_name, bfruntime_info, device_config)))

    @property
    def switch(self) -> mecn_native.Switch:
        """The switch that packets go through. Raises RuntimeError before the first program."""
        if not self._device.configured:
            raise RuntimeError("the switch has no forwarding pipeline yet")
        return self._device.program.switch

    @property
    def device_id(self) -> int:
        """The device id that requests must name."""
        return self._device.device_id

    def port_is_up(self, port: int) -> bool:
        """Whether a port is up, as far as the server was told."""
        return self._device.ports.is_up(port)

    def inject(self, port: int, frame: bytes) -> list[mecn_native.Departure]:
        """Sends a packet through the running program; returns what left.

        Raises RuntimeError before the first program, or if another data plane carries the packets.
        """
        if not isinstance(self._dataplane, LocalDataplane):
            raise RuntimeError("packets enter by the data plane that the server was given")
        return self._dataplane.inject(port, frame)

    def set_port(self, port: int, *, up: bool) -> None:
        """Says that a port has gone down or come up."""
        self._device.port_changed(port, up)
