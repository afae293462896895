# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Options that `mecn watch` and `mecn record` share: where telemetry comes from."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from mecn_controller.commands.types import Seconds
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.tls import is_loopback
from mecn_controller.telemetry.monitor import Monitor, Subscription, preferred
from mecn_controller.telemetry.sample import Sample, Snapshot
from mecn_controller.telemetry.sources import Counting, ServeStream, as_primary

if TYPE_CHECKING:
    from mecn_controller.commands.target import Target

SAMPLES_WAITING = 1 << 16
"""What may wait for a slow disk; a recording that would need more says that it lost samples."""


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--from`, `--token-file`, `--interval`; and `--election-id`, which is none unless it is given."""
    for option in reversed(
        (
            click.option(
                "--from",
                "serve_url",
                metavar="URL",
                help="Take all from a running `mecn serve --web`, such as http://127.0.0.1:8080.",
            ),
            click.option(
                "--token-file",
                type=click.Path(),
                help="With --from: file with the token, if it asks for one.",
            ),
            click.option(
                "--election-id",
                type=click.IntRange(1),
                help="Be the primary controller, to receive the reports; fails beside a higher id.",
            ),
            click.option(
                "--interval",
                type=Seconds(0.05, 3600),
                default=1.0,
                show_default=True,
                help="Seconds from one reading of the counters to the next.",
            ),
        )
    ):
        command = option(command)
    return command


@dataclass
class Source:
    """Telemetry from a switch or from a running `mecn serve`, as the options say."""

    target: Target
    serve_url: str | None
    token: str | None
    interval_s: float

    @property
    def stream(self) -> ServeStream | None:
        """The running `mecn serve`, if that is where it comes from.

        ControllerError where a token would leave this machine in the clear.
        """
        if self.serve_url is None:
            return None
        url = urlsplit(self.serve_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ControllerError(f"{self.serve_url}: give a URL, such as http://127.0.0.1:8080")
        if url.scheme == "http" and not self.target.insecure and not is_loopback(url.hostname):
            raise ControllerError(f"{self.serve_url}: is not this machine: use https, or --insecure")
        return ServeStream(self.serve_url, token=self.token, tls=self.target.tls)

    async def snapshots(self) -> AsyncGenerator[Snapshot]:
        """One for each reading of the counters, without end; the first says rates only with --from."""
        stream = self.stream
        if stream is not None:
            async for event in stream.events(samples=False):
                if isinstance(event, Snapshot):
                    yield event
            raise ControllerError(f"{stream.url}: has ended")
        async with self._feed() as feed:
            while True:
                await feed.beside(feed.counting.next_reading())
                yield feed.monitor.snapshot(time.time())

    @asynccontextmanager
    async def _feed(self) -> AsyncIterator[_Feed]:
        election_id = self.target.election_id
        monitor = Monitor(
            self.target.address,
            self.target.device_id,
            with_reports=election_id is not None,
            interval_s=self.interval_s,
        )
        counting = Counting(monitor, self.target.tls)
        tasks = [asyncio.create_task(counting.run(own_status=election_id is None, lasting=False))]
        if election_id is not None:

            def ready() -> None:
                monitor.set_status("primary")

            tasks.append(asyncio.create_task(as_primary(monitor, election_id, self.target.tls, ready)))
        try:
            yield _Feed(monitor, counting, tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def samples(self, stop: asyncio.Event) -> AsyncGenerator[list[Sample]]:
        """Samples in batches, until `stop` is set; then what still waits, and the end.

        Of a port whose reports are received, its reports; of others, the differences of its counters.
        ControllerError if samples were lost.
        """
        stream = self.stream
        if stream is not None:
            async for batch in _until(stop, stream.events(samples=True)):
                if isinstance(batch, list):
                    yield batch
            return
        async with self._feed() as feed:
            subscription = feed.monitor.subscribe(SAMPLES_WAITING)
            closing = asyncio.create_task(_close(stop, subscription))
            for task in feed.tasks:
                task.add_done_callback(lambda _: subscription.close())
            try:
                async for batch in subscription.batches():
                    yield preferred(feed.monitor, batch)
                    if subscription.lost:
                        raise ControllerError(f"{subscription.lost} samples were lost: the file is too slow")
            finally:
                closing.cancel()
            feed.check()


@dataclass
class _Feed:
    """A monitor of a switch, and the tasks that feed it."""

    monitor: Monitor
    counting: Counting
    tasks: list[asyncio.Task[None]]

    def check(self) -> None:
        """SwitchError if a task has failed."""
        for task in self.tasks:
            if task.done():
                task.result()

    async def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for `work`; SwitchError if a task fails before that."""
        mine = asyncio.ensure_future(work)
        try:
            await asyncio.wait((mine, *self.tasks), return_when=asyncio.FIRST_COMPLETED)
            self.check()
            await mine
        finally:
            mine.cancel()


async def _close(stop: asyncio.Event, subscription: Subscription) -> None:
    await stop.wait()
    subscription.close()


async def _until(stop: asyncio.Event, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Events until `stop`; one that is being received is not cut."""
    stopping = asyncio.ensure_future(stop.wait())
    iterator = aiter(events)
    try:
        while True:
            coming = asyncio.ensure_future(anext(iterator))
            await asyncio.wait((coming, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                coming.cancel()
                with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration, ControllerError):
                    await coming
                return
            try:
                event = coming.result()
            except StopAsyncIteration:
                return
            yield event
    finally:
        stopping.cancel()
