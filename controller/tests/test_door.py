# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Clients of the page that are silent, slow, or guess: the page stays there for others."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import web
from mecn_controller.web import access, door, site
from mecn_controller.web.access import Access

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TOKEN = "correct-horse-battery"


@asynccontextmanager
async def page(token: str | None = None) -> AsyncIterator[int]:
    """A page that answers `/`, sends events without end at `/events`, and reads a body at `/body`."""
    gate = Access("127.0.0.1", token=token, encrypted=False)

    async def index(_request: web.Request) -> web.Response:
        return web.Response(text="here")

    async def events(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await site._send(response, "event", "x" * 100_000)

    async def body(request: web.Request) -> web.Response:
        await site._body(request)
        return web.Response()

    app = web.Application(middlewares=[gate.middleware])
    app.add_routes(
        [web.get("/", index), web.get("/other", index), web.get("/events", events), web.post("/body", body)]
    )
    runner, port = await site.listen(app, "127.0.0.1", 0, None)
    try:
        yield port
    finally:
        await runner.cleanup()


async def status(port: int, **headers: str) -> int:
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as http,
        http.get(f"http://127.0.0.1:{port}/other", headers=headers) as answer,
    ):
        return answer.status


async def half_open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\n")
    return reader, writer


async def until_open(port: int) -> None:
    async with asyncio.timeout(5):
        while True:
            try:
                assert await status(port) == 200
                return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)


def test_half_open_connections_are_few_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "REQUEST_S", 0.5)

    async def run() -> None:
        async with page() as port:
            held = [await half_open(port) for _ in range(300)]
            await until_open(port)
            for reader, writer in held:
                # A connection that was refused before its line was read is reset.
                with suppress(ConnectionResetError):
                    async with asyncio.timeout(5):
                        assert await reader.read() == b""
                writer.close()

    asyncio.run(run())


def test_no_more_connections_than_agreed() -> None:
    async def run() -> None:
        async with page() as port, AsyncExitStack() as stack:
            refused = 0
            for _ in range(door.CONNECTIONS + 20):
                reader, writer = await half_open(port)
                stack.callback(writer.close)
                try:
                    async with asyncio.timeout(0.05):
                        refused += await reader.read(1) == b""
                except TimeoutError:
                    pass
                except ConnectionError:
                    refused += 1
            assert refused == 20

    asyncio.run(run())


def test_connections_in_use_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "REQUEST_S", 0.3)

    async def run() -> None:
        async with page() as port, aiohttp.ClientSession() as http:
            for _ in range(6):
                async with http.get(f"http://127.0.0.1:{port}/") as answer:
                    assert answer.status == 200
                await asyncio.sleep(0.1)

    asyncio.run(run())


def test_a_reader_that_stalls_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "WRITE_S", 0.3)

    async def run() -> None:
        async with page() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            writer.write(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            await asyncio.sleep(1.5)
            async with asyncio.timeout(5):
                try:
                    while await reader.read(1 << 20):
                        pass
                except ConnectionError:
                    pass
            writer.close()

    asyncio.run(run())


def test_a_slow_body_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "BODY_S", 0.3)

    async def run() -> None:
        async with page() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: 9\r\n\r\n{")
            async with asyncio.timeout(5):
                assert b"408" in await reader.readline()
            writer.close()

    asyncio.run(run())


def test_wrong_tokens_are_slow_and_do_not_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WRONG_TOKEN_PAUSE_S", 0.1)

    async def run() -> None:
        async with page(TOKEN) as port:
            begin = time.monotonic()
            guesses = [
                asyncio.create_task(status(port, Authorization=f"Bearer {number}")) for number in range(40)
            ]
            await asyncio.sleep(0.02)
            assert await status(port, Authorization=f"Bearer {TOKEN}") == 200
            codes = await asyncio.gather(*guesses)
            assert codes.count(401) >= access.MAX_GUESSES
            assert codes.count(429) > 0
            assert time.monotonic() - begin < 5

    asyncio.run(run())
