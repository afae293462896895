# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Where telemetry comes from: the switch itself over P4Runtime, or a running `mecn serve`.

Counters and policies are read by anyone beside the primary. Reports are digests, and these go to the primary
controller only (P4Runtime specification, section 16.3).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.errors import ControllerError, PipelineError, SwitchError
from mecn_controller.runtime.readback import port_policies, read_counters
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.telemetry.sample import Sample, Snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable

    from mecn_controller.runtime.tls import TlsFiles
    from mecn_controller.telemetry.monitor import Monitor

LINE_BYTES = 1 << 22
"""Of an event; a page that is opened late gets all samples that are kept as one."""

POLICY_READS = 5
"""Readings of the counters from one reading of the policies to the next."""


_LOG = logging.getLogger(__name__)


class Readings:
    """Readings of the counters, which others wait for."""

    def __init__(self) -> None:
        self._refresh = asyncio.Event()
        self._rounds = 0
        self._round = asyncio.Condition()

    def refresh(self) -> None:
        """Policies have changed: read them at once."""
        self._refresh.set()

    async def next_reading(self) -> None:
        """Waits until the counters were read once more."""
        async with self._round:
            seen = self._rounds
            await self._round.wait_for(lambda: self._rounds > seen)

    async def was_read(self) -> None:
        """The counters were read: tells those who wait."""
        async with self._round:
            self._rounds += 1
            self._round.notify_all()


class Counting(Readings):
    """Reads policies and counters, again and again, over a connection of its own that only reads."""

    def __init__(self, monitor: Monitor, tls: TlsFiles | None = None) -> None:
        super().__init__()
        self._monitor = monitor
        self._tls = tls

    async def run(self, *, own_status: bool, lasting: bool) -> None:
        """Until cancelled. own_status: whether the monitor's status is this connection's.

        lasting: whether to try again when the switch cannot be used; else that error is raised.
        """
        monitor = self._monitor
        while True:
            try:
                async with SwitchSession(
                    monitor.address, monitor.device_id, election_id=None, tls=self._tls
                ) as session:
                    await session.use_pipeline()
                    if own_status:
                        monitor.set_status("reading")
                    await self._read(session)
            except Exception as error:
                if not lasting:
                    raise
                if not isinstance(error, SwitchError):
                    _LOG.exception("counters are read again")
                if own_status:
                    monitor.set_status("lost", str(error))
                await asyncio.sleep(monitor.interval_s)

    async def _read(self, session: SwitchSession) -> None:
        monitor = self._monitor
        loop = asyncio.get_running_loop()
        due = loop.time()
        count = 0
        while True:
            if count % POLICY_READS == 0 or self._refresh.is_set():
                self._refresh.clear()
                monitor.on_policies(port_policies(await session.read(names.AQM_TABLES)))
            counters = await read_counters(session, monitor.ports)
            monitor.on_counters(counters, time.time())
            count += 1
            await self.was_read()
            # A reading that was late does not make the next ones come in a heap.
            due = max(due + monitor.interval_s, loop.time())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._refresh.wait()


async def receive_reports(session: SwitchSession, monitor: Monitor) -> None:
    """Feed reports from the session of the primary controller, until it ends: SwitchError says why."""
    async for report in session.reports():
        monitor.on_report(report, time.time())


async def as_primary(
    monitor: Monitor, election_id: int, tls: TlsFiles | None, ready: Callable[[], None]
) -> None:
    """Be the primary controller for the sake of the reports; writes nothing but the wish to have them.

    ElectionError where somebody else is in charge.
    """
    async with SwitchSession(monitor.address, monitor.device_id, election_id, tls=tls) as session:
        await session.use_pipeline()
        if session.schema.digests.get(names.PORT_REPORT) is None:
            raise PipelineError(monitor.address, "the program on the switch sends no reports")
        ready()
        await receive_reports(session, monitor)


# ---- A running `mecn serve` --------------------------------------------------------------------------------


class ServeStream:
    """Snapshots and samples of a running `mecn serve --web`, as it sends them."""

    def __init__(self, url: str, *, token: str | None = None, tls: TlsFiles | None = None) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._tls = tls

    async def events(self, *, samples: bool) -> AsyncGenerator[Snapshot | list[Sample]]:
        """Until the other side ends it; ControllerError if it cannot be reached, or is something else.

        samples: whether to ask for samples, in lists, besides snapshots.
        """
        import aiohttp

        headers = {"Accept": "text/event-stream"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        context = self._tls.client_context() if self._tls is not None else True
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=30)
        address = f"{self.url}/api/events" + ("?samples=1&history=0" if samples else "")
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=timeout, read_bufsize=LINE_BYTES) as http,
                http.get(address, ssl=context, allow_redirects=False) as answer,
            ):
                if answer.status in (401, 403):
                    raise ControllerError(f"{self.url}: refused: give the token with --token-file")
                if answer.status != 200 or answer.content_type != "text/event-stream":
                    raise ControllerError(f"{self.url}: is not a mecn serve (HTTP status {answer.status})")
                async for kind, data in _server_sent(answer.content):
                    if kind == "snapshot":
                        yield Snapshot.from_json(json.loads(data))
                    elif kind == "samples":
                        yield [Sample.from_json(each) for each in json.loads(data)]
                    elif kind == "lost":
                        raise ControllerError(f"{self.url}: samples were lost: this end was too slow")
        except (aiohttp.ClientError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            raise ControllerError(f"{self.url}: cannot be reached: {why}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ControllerError(f"{self.url}: sends what this version does not know: {error}") from None


async def _server_sent(lines: AsyncIterable[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Events of `text/event-stream` (HTML standard, section 9.2): type and data."""
    kind, data = "message", list[str]()
    async for raw in lines:
        line = raw.decode().rstrip("\r\n")
        if not line:
            if data:
                yield kind, "\n".join(data)
            kind, data = "message", []
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                kind = value
            elif name == "data":
                data.append(value)
