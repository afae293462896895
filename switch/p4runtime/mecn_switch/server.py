# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The server: an address, threads, start and stop."""

import ipaddress
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

import grpc
import mecn_native
from finsy.proto import p4r, p4r_grpc
from google.protobuf import text_format

from .device import Action, Device
from .pipeline import SwitchFactory
from .service import P4RuntimeService

MAX_CONTROLLERS = 32
REQUEST_THREADS = 8
MAX_MESSAGE_BYTES = 256 << 20
"""A pipeline config is one message, and BMv2 JSON is verbose."""


class AddressError(OSError):
    """The address cannot be listened on; one sentence that names it."""


class P4RuntimeServer:
    """A P4Runtime server in front of an embedded switch.

    `port` and `address` are known after `start`. The switch that the control plane has configured is
    `switch`;
    take a `fork` of it to run packets through the same entries with fresh state.

        with P4RuntimeServer(address="127.0.0.1:0") as server:
            push(server.address)
            network.add_switch("R1", server.switch)
    """

    def __init__(
        self,
        switch_factory: SwitchFactory = mecn_native.Switch.from_json,
        *,
        address: str = "127.0.0.1:9559",
        device_id: int = 1,
    ) -> None:
        """Raises ValueError if the device id is 0 or the address is not on the loopback interface.

        The connection is not encrypted and knows no users, so only this machine may reach it.
        """
        if not 0 < device_id < 1 << 64:
            raise ValueError(f"device id {device_id} is not in 1..2^64-1")
        self._host = _loopback_host(address)
        self._requested = address
        self._device = Device(device_id, switch_factory, MAX_CONTROLLERS)
        self._server: grpc.Server | None = None
        self._port = 0

    def start(self) -> Self:
        """Listens; raises `AddressError` if the address is in use."""
        if self._server is not None:
            raise RuntimeError("the server is already running")
        server = grpc.server(
            ThreadPoolExecutor(MAX_CONTROLLERS + REQUEST_THREADS, thread_name_prefix="p4runtime"),
            options=(
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
                ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
            ),
        )
        p4r_grpc.add_P4RuntimeServicer_to_server(P4RuntimeService(self._device), server)
        try:
            self._port = server.add_insecure_port(self._requested)
        except RuntimeError as error:
            server.stop(None)
            raise AddressError(f"cannot listen on {self._requested}: is the address in use?") from error
        server.start()
        self._server = server
        return self

    def stop(self, grace_s: float = 0.5) -> None:
        """Ends all streams, at the latest after `grace_s` seconds. A server that does not run stays so."""
        if self._server is not None:
            self._server.stop(grace_s).wait()
            self._server = None

    def load(self, p4info: str, bmv2_json: bytes) -> None:
        """Commits a pipeline without a controller. `p4info` is protobuf text.

        Raises `google.protobuf.text_format.ParseError` or, if the pipeline cannot be realised, `StatusError`.
        """
        config = p4r.ForwardingPipelineConfig(p4_device_config=bmv2_json)
        text_format.Parse(p4info, config.p4info)
        self._device.set_config(Action.VERIFY_AND_COMMIT, config)

    @property
    def switch(self) -> mecn_native.Switch:
        """The switch that packets go through. Raises RuntimeError before the first pipeline is committed."""
        switch = self._device.switch
        if switch is None:
            raise RuntimeError("the switch has no forwarding pipeline yet")
        return switch

    @property
    def device_id(self) -> int:
        """The device id that requests must name."""
        return self._device.device_id

    @property
    def port(self) -> int:
        """The TCP port that the running server listens on."""
        return self._port

    @property
    def address(self) -> str:
        """`host:port` of the running server."""
        return f"{self._host}:{self._port}"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def _loopback_host(address: str) -> str:
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{address!r} is not an address of the form host:port")
    if host == "localhost":
        return host
    try:
        ip = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        raise ValueError(f"{address!r}: {host!r} is neither an IP address nor localhost") from None
    if not ip.is_loopback:
        raise ValueError(
            f"{address!r} is not on the loopback interface; the server has no encryption and no users"
        )
    return host
