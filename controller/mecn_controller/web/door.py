# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How many connections a page takes, and for how long: who says nothing does not keep others out.

The keeper of the switch is in the same process, and needs descriptors of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

if TYPE_CHECKING:
    import socket
    import ssl

CONNECTIONS = 128
"""Open at once, for each of page and metrics. More are closed as they come."""
REQUEST_S = 10.0
"""A connection on which no request is under way, and none began for so long, is closed."""
BODY_S = 10.0
"""The body of a request must be there by then."""
WRITE_S = 10.0
"""A page that takes none of its events for so long is closed."""


class _Connection(RequestHandler):
    """One connection, which says when it has come and gone."""

    __slots__ = ("_door", "_seen", "_timer")

    def __init__(self, door: GuardedSite, server: web.Server) -> None:
        # None as `AppRunner` passes it on: no log.
        super().__init__(server, loop=asyncio.get_running_loop(), access_log=None)  # type: ignore[arg-type]
        self._door = door
        self._seen = 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it if there are too many."""
        if self._door.open >= CONNECTIONS:
            transport.close()
            return
        self._door.open += 1
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Give the place back."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._door.open -= 1
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Nothing is read of a connection that is one too many."""
        if self._timer is not None:
            super().data_received(data)

    def _watch(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REQUEST_S, self._look)

    def _look(self) -> None:
        idle = self._current_request is None and self._seen == self._request_count
        self._seen = self._request_count
        if idle:
            self.force_close()
        else:
            self._watch()


class GuardedSite(web.BaseSite):
    """A TCP site with limits."""

    def __init__(
        self,
        runner: web.AppRunner,
        host: str,
        port: int,
        context: ssl.SSLContext | None,
        opened: socket.socket | None = None,
    ) -> None:
        """opened: a socket that listens there already."""
        super().__init__(runner, ssl_context=context)
        self._opened = opened
        self.open = 0
        self._address = (host, port)

    @property
    def name(self) -> str:
        """Its URL."""
        return f"{'http' if self._ssl_context is None else 'https'}://{self._address[0]}:{self._address[1]}"

    async def start(self) -> None:
        """Listen; OSError if the address is in use."""
        await super().start()
        server = self._runner.server
        if server is None:
            raise RuntimeError("the runner is not set up")
        host, port = self._address
        context = self._ssl_context
        where: dict[str, Any] = (
            {"host": host, "port": port} if self._opened is None else {"sock": self._opened}
        )
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(self, server),
            **where,
            ssl=context,
            ssl_handshake_timeout=None if context is None else REQUEST_S,
        )
