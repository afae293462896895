# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What servers of this switch have in common: an address, threads, start and stop."""

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

import grpc

from . import budgets
from .deadlines import Deadlines
from .transport import Tls, check_address

POLL_S = 0.01
"""How often to look for digests, idle entries and deadlines."""

_LOG = logging.getLogger(__name__)


class AddressError(OSError):
    """The address cannot be listened on; one sentence that names it."""


class Listener(ABC):
    """A gRPC server at an address. `port` and `address` are known after `start`."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        allow_remote: bool,
        tls: Tls | None,
        max_message_bytes: int,
        on_failure: Callable[[], object] | None,
    ) -> None:
        """Raises ValueError if others than this machine could reach the server unchecked: addresses beyond
        the loopback interface need TLS with client authentication, or `allow_remote`.

        name: of its threads. on_failure: called if the server cannot go on.
        """
        self._host = check_address(address, tls, allow_remote=allow_remote)
        self._name = name
        self._requested = address
        self._tls = tls
        self._server: grpc.Server | None = None
        self._port = 0
        self._max_message_bytes = max_message_bytes
        self._on_failure = on_failure
        self._deadlines = Deadlines()
        self._stopped = threading.Event()

    @abstractmethod
    def _register(self, server: grpc.Server) -> None:
        """Adds the methods."""

    @abstractmethod
    def _look(self) -> None:
        """Sends what the data plane has; called now and then."""

    def start(self) -> Self:
        """Listens; raises `AddressError` if the address is in use."""
        if self._server is not None:
            raise RuntimeError("the server is already running")
        threads = budgets.STREAMS + budgets.READS + budgets.OTHER_CALLS
        server = grpc.server(
            ThreadPoolExecutor(threads, thread_name_prefix=self._name),
            options=(
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", self._max_message_bytes),
                ("grpc.max_send_message_length", self._max_message_bytes),
                ("grpc.keepalive_time_ms", budgets.KEEPALIVE_MS),
                ("grpc.keepalive_timeout_ms", budgets.KEEPALIVE_TIMEOUT_MS),
                ("grpc.keepalive_permit_without_calls", 1),
            ),
            maximum_concurrent_rpcs=threads,
        )
        self._register(server)
        try:
            self._port = self._listen(server)
        except RuntimeError as error:
            server.stop(None)
            doubts = (
                "is the address in use?"
                if self._tls is None
                else ("is the address in use, are certificate and key good?")
            )
            raise AddressError(f"cannot listen on {self._requested}: {doubts}") from error
        server.start()
        self._server = server
        self._stopped = threading.Event()
        threading.Thread(
            target=self._poll, args=(self._stopped,), name=f"{self._name}-poll", daemon=True
        ).start()
        return self

    def _listen(self, server: grpc.Server) -> int:
        before = os.umask(0o077) if self._requested.startswith("unix:") else None
        try:
            if self._tls is None:
                return server.add_insecure_port(self._requested)
            return server.add_secure_port(self._requested, self._tls.credentials())
        finally:
            if before is not None:
                os.umask(before)

    def _poll(self, stopped: threading.Event) -> None:
        try:
            while not stopped.wait(POLL_S):
                self._look()
                self._deadlines.expire()
        except Exception:
            if self._on_failure is None:
                raise
            _LOG.exception("the server cannot go on")
            self._on_failure()

    def stop(self, grace_s: float = 0.5) -> None:
        """Ends all streams, at the latest after `grace_s` seconds. A server that does not run stays so."""
        if self._server is not None:
            self._stopped.set()
            self._server.stop(grace_s).wait()
            self._server = None

    @property
    def port(self) -> int:
        """The TCP port that the running server listens on."""
        return self._port

    @property
    def address(self) -> str:
        """`host:port` of the running server, or `unix:PATH`."""
        return self._requested if self._host is None else f"{self._host}:{self._port}"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
