# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn serve` and `mecn schema`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mecn_controller.commands.target import Target, state_option, writes
from mecn_controller.commands.types import Seconds
from mecn_controller.defaults import DEFAULT_DRAIN_S, DEFAULT_ELECTION_ID
from mecn_controller.errors import ControllerError
from mecn_controller.logs import JsonLog
from mecn_controller.runtime.deployment import json_schemas, load_deployment
from mecn_controller.runtime.history import History
from mecn_controller.runtime.keeper import STATES, Keeper
from mecn_controller.runtime.tls import TlsFiles, listen_address
from mecn_controller.web.declaration import Declaration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp import web

    from mecn_controller.reports import PortReport
    from mecn_controller.runtime.keeper import Event
    from mecn_controller.runtime.session import AppliedProfile
    from mecn_controller.telemetry.monitor import Monitor
    from mecn_controller.telemetry.sources import Counting


END_S = 4.0
"""How long an end in order may take after SIGTERM, seconds."""


def _address(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, int] | None:
    if value is None:
        return None
    try:
        return listen_address(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command("serve")
@click.argument("deployment", metavar="DEPLOYMENT.yaml", type=click.Path(path_type=Path))
@writes
@click.option("--check", default=5.0, show_default=True, type=Seconds(0.01), help="Time between comparisons.")
@click.option("--retry", default=0.25, show_default=True, type=Seconds(0.01), help="Time between attempts.")
@click.option("--drain", default=DEFAULT_DRAIN_S, show_default=True, type=Seconds(0, 60))
@click.option("--web", callback=_address, metavar="HOST:PORT", help="Serve the live page here.")
@click.option(
    "--web-fd",
    type=click.IntRange(3),
    metavar="N",
    help="Serve it on this open socket (systemd's first is 3).",
)
@click.option("--metrics", callback=_address, metavar="HOST:PORT", help="Serve /metrics for Prometheus here.")
@click.option(
    "--interval",
    type=Seconds(0.05, 3600),
    default=1.0,
    show_default=True,
    help="Seconds from one reading of the counters to the next.",
)
@click.option("--token-file", type=click.Path(path_type=Path), help="File with the token that users need.")
@click.option("--web-cert", type=click.Path(path_type=Path), help="PEM certificate of page and metrics.")
@click.option("--web-key", type=click.Path(path_type=Path), help="PEM key of that certificate.")
@click.option(
    "--web-client-ca", type=click.Path(path_type=Path), help="Users must show a certificate signed by this."
)
@state_option
def serve(
    deployment: Path,
    target: Target,
    check: float,
    retry: float,
    drain: float,
    web: tuple[str, int] | None,
    web_fd: int | None,
    metrics: tuple[str, int] | None,
    interval: float,
    token_file: Path | None,
    web_cert: Path | None,
    web_key: Path | None,
    web_client_ca: Path | None,
    history: History | None,
) -> None:
    """Keep a switch in the state that a deployment file declares, until SIGTERM or Ctrl-C.

    One JSON object per line on stdout says what happens. Started twice with different election ids, one is in
    charge and the other waits.

    With --web a page shows queues and marks live and has sliders for thresholds and probabilities. Addresses
    that are not on the loopback interface need --web-cert, --web-key and --token-file.
    """
    log = JsonLog()
    log.install()
    declared = load_deployment(deployment)
    for warning in declared.warnings:
        log("unstable", detail=warning)
    opened = None
    if web_fd is not None:
        if web is not None:
            raise click.UsageError("give --web or --web-fd")
        opened = _socket(web_fd)
        web = opened.getsockname()[:2]
    declaration = Declaration(declared.assignments, [rule is not None for rule in declared.rules])
    token = None
    if token_file is not None:
        from mecn_controller.web.access import read_token

        token = read_token(token_file)
        log.conceal(token)
    if (web_client_ca is not None or web_key is not None) and web_cert is None:
        raise click.UsageError("--web-key and --web-client-ca need --web-cert")
    tls = None if web_cert is None else TlsFiles(web_client_ca, web_cert, web_key)
    service = Service(target, declaration, log, history, interval, opened=opened)
    keeper = Keeper(
        address=target.address,
        device_id=target.device_id,
        election_id=target.election_id or DEFAULT_ELECTION_ID,
        assignments=declaration.assignments,
        rules=declared.rules,
        routes=declared.routes,
        program=target.program_text(),
        check_s=check,
        retry_s=retry,
        drain_s=drain,
        report=service.on_event,
        reconciled=service.on_round,
        wanted=declaration.on_wanted,
        on_report=None if web is None and metrics is None else service.on_report,
        tls=target.tls,
        sleep=declaration.pause,
    )
    try:
        asyncio.run(_until_stopped(service.run(keeper, web, metrics, token, tls)))
    finally:
        log.flush()


def _socket(number: int) -> socket.socket:
    try:
        opened = socket.socket(fileno=number)
        if opened.family in (socket.AF_INET, socket.AF_INET6):
            return opened
    except OSError as error:
        raise click.BadParameter(f"{number}: {error.strerror}", param_hint="--web-fd") from None
    raise click.BadParameter(f"{number} is no socket of TCP", param_hint="--web-fd")


@dataclass
class Service:
    """The keeper, and what shows its work."""

    target: Target
    declaration: Declaration
    log: JsonLog
    history: History | None
    interval_s: float
    opened: socket.socket | None = None
    """The page's socket, where the starter has made it."""
    monitor: Monitor | None = None
    counting: Counting | None = None

    async def run(
        self,
        keeper: Keeper,
        page: tuple[str, int] | None,
        metrics: tuple[str, int] | None,
        token: str | None,
        tls: TlsFiles | None,
    ) -> None:
        """Until cancelled."""
        async with AsyncExitStack() as stack:
            if page is not None or metrics is not None:
                await self._show(stack, page, metrics, token, tls)
            await keeper.run()

    async def _show(
        self,
        stack: AsyncExitStack,
        page: tuple[str, int] | None,
        metrics: tuple[str, int] | None,
        token: str | None,
        tls: TlsFiles | None,
    ) -> None:
        from mecn_controller.telemetry.monitor import Monitor
        from mecn_controller.telemetry.sources import Counting
        from mecn_controller.web.access import Access
        from mecn_controller.web.site import LiveSite, listen, metrics_application

        target = self.target
        self.monitor = Monitor(
            target.address, target.device_id, with_reports=True, interval_s=self.interval_s
        )
        self.counting = Counting(self.monitor, target.tls)
        context = None if tls is None else tls.server_context()
        encrypted = context is not None
        sites: list[tuple[str, tuple[str, int], web.Application]] = []
        if page is not None:
            access = Access(page[0], token=token, encrypted=encrypted)
            site = LiveSite(
                self.monitor, self.counting, self.declaration, access, changed=self._changed_by_page
            )
            sites.append(("web", page, site.application()))
        if metrics is not None:
            access = Access(metrics[0], token=token, encrypted=encrypted)
            sites.append(("metrics", metrics, metrics_application(self.monitor, access)))
        for name, (host, port), app in sites:
            opened = self.opened if name == "web" else None
            runner, real_port = await listen(app, host, port, context, opened)
            stack.push_async_callback(runner.cleanup)
            scheme = "https" if encrypted else "http"
            shown = f"[{host}]" if ":" in host else host
            self.log(name, url=f"{scheme}://{shown}:{real_port}{'/metrics' if name == 'metrics' else '/'}")
        counting = asyncio.create_task(self.counting.run(own_status=False, lasting=True))
        counting.add_done_callback(self._counting_ended)
        stack.callback(counting.cancel)

    def _counting_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log("no counters", detail=str(error))

    def on_event(self, event: Event) -> None:
        """What the keeper did or met."""
        self.log(event.what, detail=event.detail)
        self.declaration.on_event(event)
        if self.monitor is not None and event.what in STATES:
            self.monitor.set_status(event.what, event.detail)

    def on_report(self, report: PortReport) -> None:
        """A report of the switch."""
        if self.monitor is not None:
            self.monitor.on_report(report, time.time())

    def on_round(self, done: Sequence[AppliedProfile]) -> None:
        """The keeper has compared and corrected."""
        if done and self.counting is not None:
            self.counting.refresh()
        by_page = {id(a.profile) for a in self.declaration.assignments} - {
            id(a.profile) for a in self.declaration.declared
        }
        for each in done:
            if id(each.profile) not in by_page:
                self._remember("serve", each)
        self.declaration.on_round(done)

    def _changed_by_page(self, applied: AppliedProfile) -> None:
        self.log("changed", detail=f"port {applied.port}: {applied.profile.name}, by the page")
        self._remember("web", applied)

    def _remember(self, by: str, applied: AppliedProfile) -> None:
        if self.history is not None:
            try:
                self.history.applied(by, applied)
            except ControllerError as error:
                self.log("history", detail=str(error))


async def _until_stopped(work: object) -> None:
    task = asyncio.ensure_future(work)  # type: ignore[call-overload]

    def stop() -> None:
        task.cancel()
        # What takes longer, a switch that does not answer for instance, is not waited for.
        last = threading.Timer(END_S, os._exit, (1,))
        last.daemon = True
        last.start()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        await task
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise


@click.command("schema")
@click.argument("which", type=click.Choice(["profile", "deployment"]))
def schema(which: str) -> None:
    """Print the JSON Schema of profiles or of deployments."""
    click.echo(json.dumps(json_schemas()[which], indent=2))
