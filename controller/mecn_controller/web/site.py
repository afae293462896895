# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The live page and what it asks for; and the page of metrics.

GET  /                             the page
GET  /api/snapshot                 everything that is known now (`sample.Snapshot`)
GET  /api/events[?samples=1]       server-sent events: snapshot, policies, values; samples, older ones first
GET  /api/policies                 the declared profiles and what sliders may change
POST /api/policies/N               {"changes": {"max_p": 0.2}}; answered when it is in force
POST /api/policies/N/reset         back to the deployment file's profile
GET  /api/policies/N/profile.yaml  the profile as a file
POST /login                        {"token": "..."}: a session cookie
POST /logout                       {}: ends the session and the streams of events that it has open
GET  /api/session                  {"session": true} if there is one that can be ended
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from mecn_controller.errors import ControllerError, ProfileError
from mecn_controller.policy.profile import profile_yaml
from mecn_controller.runtime.history import points_of
from mecn_controller.telemetry.metrics import registry_of
from mecn_controller.telemetry.monitor import preferred
from mecn_controller.web.declaration import NotInChargeError, traffic_of
from mecn_controller.web.door import BODY_S, WRITE_S, GuardedSite
from mecn_controller.web.sliders import adjustables, as_on_switch, with_changes

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Sequence

    from mecn_controller.policy.profile import Profile
    from mecn_controller.runtime.session import AppliedProfile
    from mecn_controller.telemetry.monitor import Monitor, Subscription
    from mecn_controller.telemetry.sample import PolicyView
    from mecn_controller.telemetry.sources import Readings
    from mecn_controller.web.access import Access
    from mecn_controller.web.declaration import Declaration

STATIC = Path(__file__).parent / "static"
FILES = {
    "app.js": "text/javascript",
    "charts.js": "text/javascript",
    "export.js": "text/javascript",
    "login.js": "text/javascript",
    "style.css": "text/css",
    "icon.svg": "image/svg+xml",
}
MAX_STREAMS = 32
SAMPLES_WAITING = 5000
BATCH_PAUSE_S = 0.1
"""Samples are sent together that come within this time."""
MAX_KNOWN = 1000
"""Profiles whose sliders are kept ready."""
MAX_BODY_BYTES = 1 << 16


class LiveSite:
    """The page of one controller."""

    def __init__(
        self,
        monitor: Monitor,
        counting: Readings,
        declaration: Declaration,
        access: Access,
        *,
        changed: Callable[[AppliedProfile], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """changed: told of each change that is in force. clock: of the samples, Unix seconds."""
        self._monitor = monitor
        self._counting = counting
        self._declaration = declaration
        self._access = access
        self._changed = changed
        self._clock = clock
        self._streams = 0
        self._told: dict[int, dict[str, Any]] = {}
        self._known: dict[Profile, list[dict[str, Any]]] = {}
        self._versions = asyncio.Condition()
        self._version = 0
        self._closing = asyncio.Event()

    def application(self) -> web.Application:
        """To be served by an `AppRunner`."""
        app = web.Application(middlewares=[self._access.middleware, _errors], client_max_size=MAX_BODY_BYTES)
        app.on_response_prepare.append(self._access.add_headers)
        app.on_shutdown.append(self._shut_down)
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/login", self._login_page),
                web.post("/login", self._login),
                web.post("/logout", self._access.logout),
                web.get("/api/session", self._session),
                web.get("/static/{name}", self._static),
                web.get("/api/snapshot", self._snapshot),
                web.get("/api/events", self._events),
                web.get("/api/policies", self._policies),
                web.post(r"/api/policies/{number:\d{1,6}}", self._change),
                web.post(r"/api/policies/{number:\d{1,6}}/reset", self._reset),
                web.get(r"/api/policies/{number:\d{1,6}}/profile.yaml", self._yaml),
            ]
        )
        return app

    async def _shut_down(self, _app: web.Application) -> None:
        self._closing.set()

    # ---- Files ---------------------------------------------------------------------------------------------

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _login_page(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "login.html")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in FILES:
            raise web.HTTPNotFound
        return web.FileResponse(STATIC / name, headers={"Content-Type": FILES[name] + "; charset=utf-8"})

    async def _login(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request)
        return await self._access.login(str(body.get("token", "")))

    async def _session(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"session": self._access.session(request) is not None})

    # ---- Reading -------------------------------------------------------------------------------------------

    async def _snapshot(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response(self._monitor.snapshot(self._clock()).to_json())

    async def _policies(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response(self._all_policies())

    def _all_policies(self) -> list[dict[str, Any]]:
        return [self._policy(number) for number in range(len(self._declaration.assignments))]

    def _policy(self, number: int) -> dict[str, Any]:
        """An assignment for the page; the same object as long as nothing of it has changed."""
        declaration = self._declaration
        now, declared = declaration.assignments[number], declaration.declared[number]
        profile, elsewhere = declaration.present(number), ""
        view = None if declaration.status == "primary" else self._view_of(number)
        if view is not None:
            # Somebody else decides what stands on the switch.
            there = as_on_switch(profile, view)
            if there is None:
                elsewhere = f"on the switch: {view.scheme}"
            elif there is not profile:
                profile, elsewhere = there, "changed by another controller"
        policy = {
            "number": number,
            "port": now.port,
            "traffic": traffic_of(now),
            "name": now.profile.name,
            "scheme": now.profile.scheme,
            "changed": now.profile != declared.profile,
            "steered": declaration.steered[number],
            "elsewhere": elsewhere,
            "adjustables": self._adjustables(profile),
        }
        if policy != self._told.get(number):
            self._told[number] = policy
        return self._told[number]

    def _adjustables(self, profile: Profile) -> list[dict[str, Any]]:
        if profile not in self._known:
            if len(self._known) > MAX_KNOWN:
                self._known.clear()
            self._known[profile] = [asdict(each) for each in adjustables(profile)]
        return self._known[profile]

    def _view_of(self, number: int) -> PolicyView | None:
        """What the switch has for an assignment, as read last."""
        now = self._declaration.assignments[number]
        points = points_of(now.profile.dscp if now.dscp is None else now.dscp)
        traffic = {"any" if point is None else str(point) for point in points}
        views = [view for view in self._monitor.policies(now.port) if view.traffic in traffic]
        return views[0] if views else None

    async def _yaml(self, request: web.Request) -> web.StreamResponse:
        number = self._number(request)
        name = f"port-{self._declaration.assignments[number].port}.yaml"
        return web.Response(
            text=profile_yaml(self._declaration.present(number)),
            content_type="application/yaml",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def _events(self, request: web.Request) -> web.StreamResponse:
        if self._streams >= MAX_STREAMS:
            raise web.HTTPServiceUnavailable(text=f"{MAX_STREAMS} pages are open already")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        self._streams += 1
        subscription = self._monitor.subscribe(SAMPLES_WAITING)
        try:
            await response.prepare(request)
            tasks = [
                asyncio.create_task(self._send_snapshots(response)),
                asyncio.create_task(self._send_versions(response)),
                asyncio.create_task(self._closing.wait()),
                asyncio.create_task(self._access.ended(request)),
            ]
            if request.query.get("samples") == "1":
                tasks.append(asyncio.create_task(self._send_samples(response, subscription, request)))
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                # Also takes what failed besides: a closed page fails several tasks at once.
                await asyncio.gather(*tasks, return_exceptions=True)
            for task in done:
                task.result()
        except (ConnectionError, TimeoutError):
            # The page was closed, or takes nothing: its place is needed.
            if request.transport is not None:
                request.transport.abort()
        finally:
            self._streams -= 1
            self._monitor.unsubscribe(subscription)
        return response

    async def _send_snapshots(self, response: web.StreamResponse) -> None:
        sent: list[dict[str, Any]] = []
        while True:
            await _send(response, "snapshot", self._monitor.snapshot(self._clock()).to_json())
            # Values change by rules and by other controllers, too.
            policies = self._all_policies()
            news = [now for now, before in zip(policies, sent, strict=False) if now is not before]
            if news:
                await _send(response, "values", news)
            sent = policies
            # A switch that does not answer is news, too.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2 * self._monitor.interval_s):
                    await self._counting.next_reading()

    async def _send_versions(self, response: web.StreamResponse) -> None:
        while True:
            version = self._version
            await _send(response, "policies", version)
            async with self._versions:
                await self._versions.wait_for(functools.partial(self._newer, version))

    def _newer(self, version: int) -> bool:
        return self._version > version

    async def _send_samples(
        self,
        response: web.StreamResponse,
        subscription: Subscription,
        request: web.Request,
    ) -> None:
        older = [] if request.query.get("history") == "0" else list(self._monitor.history)
        await _send(response, "samples", [s.to_json() for s in preferred(self._monitor, older)])
        async for batch in subscription.batches():
            if subscription.lost:
                await _send(response, "lost", subscription.lost)
                return
            chosen = preferred(self._monitor, batch)
            if chosen:
                await _send(response, "samples", [sample.to_json() for sample in chosen])
            await asyncio.sleep(BATCH_PAUSE_S)

    # ---- Changing ------------------------------------------------------------------------------------------

    def _number(self, request: web.Request) -> int:
        number = int(request.match_info["number"])
        if number >= len(self._declaration.assignments):
            raise web.HTTPNotFound
        return number

    async def _change(self, request: web.Request) -> web.StreamResponse:
        number = self._number(request)
        changes = (await _body(request)).get("changes")
        profile = self._declaration.present(number)
        known = [each.name for each in adjustables(profile)]
        if not isinstance(changes, dict) or not changes or not changes.keys() <= set(known):
            return web.json_response({"error": f"changes: some of {', '.join(known)}"}, status=422)
        return await self._put(number, with_changes(profile, changes))

    async def _reset(self, request: web.Request) -> web.StreamResponse:
        number = self._number(request)
        await _body(request)
        return await self._put(number, self._declaration.declared[number].profile)

    async def _put(self, number: int, profile: Profile) -> web.StreamResponse:
        applied = await self._declaration.change(number, profile)
        if applied is not None:
            self._changed(applied)
        self._counting.refresh()
        async with self._versions:
            self._version += 1
            self._versions.notify_all()
        profile_id = None if applied is None else applied.profile_id
        return web.json_response({"policy": self._policy(number), "profile_id": profile_id})


async def _send(response: web.StreamResponse, event: str, data: object) -> None:
    async with asyncio.timeout(WRITE_S):
        await response.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        async with asyncio.timeout(BODY_S):
            body = await request.json()
    except (ValueError, RecursionError):
        raise web.HTTPBadRequest(text="the body is not JSON") from None
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(text="the body is not an object")
    return body


@web.middleware
async def _errors(request: web.Request, handler: Any) -> web.StreamResponse:  # noqa: ANN401
    """Errors as JSON with a status that fits."""
    try:
        answer: web.StreamResponse = await handler(request)
    except ProfileError as error:
        messages = [problem.message for problem in error.problems]
        return web.json_response({"error": "; ".join(messages)}, status=422)
    except NotInChargeError as error:
        return web.json_response({"error": str(error)}, status=409)
    except ControllerError as error:
        return web.json_response({"error": str(error)}, status=502)
    return answer


def metrics_application(monitor: Monitor, access: Access) -> web.Application:
    """`GET /metrics`, and nothing else."""
    registry = registry_of(lambda: monitor.snapshot(time.time()))

    async def metrics(_request: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application(middlewares=[access.middleware])
    app.on_response_prepare.append(access.add_headers)
    app.router.add_get("/metrics", metrics)
    return app


def side_by_side(sites: Sequence[LiveSite], access: Access) -> web.Application:
    """Pages of several switches in one."""
    frames = "".join(
        f'<iframe src="{number}/" title="switch {number + 1}"></iframe>' for number in range(len(sites))
    )
    page = (STATIC / "compare.html").read_text(encoding="utf-8").replace("@FRAMES@", frames)

    async def index(_request: web.Request) -> web.StreamResponse:
        return web.Response(text=page, content_type="text/html")

    app = web.Application(middlewares=[access.middleware])
    app.on_response_prepare.append(access.add_headers)
    app.router.add_get("/", index)
    for number, site in enumerate(sites):
        app.add_subapp(f"/{number}/", site.application())
    return app


async def listen(
    app: web.Application,
    host: str,
    port: int,
    context: ssl.SSLContext | None,
    opened: socket.socket | None = None,
) -> tuple[web.AppRunner, int]:
    """Serve it; the runner, to be cleaned up, and the port. ControllerError if the address is in use.

    opened: a socket that listens there already.
    """
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await GuardedSite(runner, host, port, context, opened).start()
    except OSError as error:
        await runner.cleanup()
        raise ControllerError(f"{host}:{port}: cannot be listened on: {error.strerror or error}") from None
    return runner, int(runner.addresses[0][1])
