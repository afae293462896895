# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What `mecn serve` offers over HTTP, without a browser."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import yaml
from mecn_controller import Ecn, Mecn, names, parse_profile
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.history import state_of
from mecn_controller.runtime.keeper import Assignment
from mecn_controller.runtime.readback import port_policies
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.runtime.tls import TlsFiles
from mecn_controller.telemetry.policy_view import policy_view
from mecn_controller.telemetry.sample import PolicyView, Snapshot
from mecn_controller.telemetry.sources import ServeStream
from mecn_controller.web import access
from mecn_controller.web.access import Access, read_token

if TYPE_CHECKING:
    from tests import serving as helper
    from tests.meddler import Meddler
else:
    import mecn_controller_serving as helper

MECN = Mecn(name="m", min_th=5, mid_th=10, max_th=20, max_p=0.1)
ECN = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
WANTED = (Assignment(MECN, 3), Assignment(ECN, 4, (46,)))
TOKEN = "correct-horse-battery"


async def policy_of(switch: Meddler, port: int) -> PolicyView:
    async with SwitchSession(switch.address, election_id=None) as session:
        await session.use_pipeline()
        policies = port_policies(await session.read(names.AQM_TABLES))
    return next(policy_view(policy) for policy in policies if policy.port == port)


async def post(
    http: aiohttp.ClientSession, url: str, body: object, **headers: str
) -> tuple[int, dict[str, Any]]:
    async with http.post(url, json=body, headers=headers) as answer:
        return answer.status, await answer.json()


def test_a_change_is_applied_remembered_and_told(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            helper.serving(loaded.address, WANTED, tmp_path) as serve,
            aiohttp.ClientSession() as http,
        ):
            await serve.event("applied")
            async with http.get(f"{serve.url}/api/policies") as answer:
                first, second = await answer.json()
            assert (first["port"], first["traffic"], first["changed"]) == (3, "any", False)
            assert second["traffic"] == "46"
            assert [field["name"] for field in first["adjustables"]] == [
                "min_th",
                "mid_th",
                "max_th",
                "max_p",
                "weight",
            ]

            before = await policy_of(loaded, 3)
            url = f"{serve.url}/api/policies/0"
            status, body = await post(http, url, {"changes": {"min_th": 2, "max_p": 0.25}})
            assert (status, body["policy"]["changed"]) == (200, True)
            after = await policy_of(loaded, 3)
            assert (before.incipient_from, after.incipient_from) == (5, 2)
            assert after.p_moderate == pytest.approx(0.25, abs=1e-6)
            assert after.severe_from == 20
            assert state_of(serve.history.stack(3))[None].by == "web"

            # The same once more is nothing to write, and stays so. The keeper's next comparison removes the
            # curve that went out of use.
            await asyncio.sleep(0.5)
            writes = len(loaded.writes)
            assert (await post(http, url, {"changes": {"min_th": 2}}))[1]["profile_id"] is None
            await asyncio.sleep(0.5)
            assert len(loaded.writes) == writes

            async with http.get(f"{url}/profile.yaml") as answer:
                assert parse_profile(await answer.text()) == MECN.replace(min_th=2, max_p=0.25)
                assert yaml.safe_load(await answer.text())["min_th"] == 2

            status, body = await post(http, f"{url}/reset", {})
            assert (status, body["policy"]["changed"]) == (200, False)
            assert (await policy_of(loaded, 3)).incipient_from == 5

    asyncio.run(run())


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"changes": {"min_th": 12}}, 422, "min_th (12) must be less than mid_th (10)"),
        ({"changes": {"max_p": 1.5}}, 422, "max_p (1.5) must be within 0 and 1"),
        ({"changes": {"max_p": "high"}}, 422, "max_p must be a number, not 'high'"),
        ({"changes": {"name": "x"}}, 422, "changes: some of min_th, mid_th, max_th, max_p"),
        ({"changes": {}}, 422, "changes: some of"),
        ({}, 422, "changes: some of"),
    ],
)
def test_what_is_wrong_changes_nothing(
    loaded: Meddler, tmp_path: Path, body: object, status: int, message: str
) -> None:
    async def run() -> None:
        async with helper.serving(loaded.address, WANTED, tmp_path) as serve, aiohttp.ClientSession() as http:
            await serve.event("applied")
            before = loaded.snapshot()
            found, answer = await post(http, f"{serve.url}/api/policies/0", body)
            assert (found, answer["error"][: len(message)]) == (status, message)
            assert (await post_raw(http, f"{serve.url}/api/policies/0", b"{"))[0] == 400
            assert (await post_raw(http, f"{serve.url}/api/policies/7", b"{}"))[0] == 404
            assert loaded.snapshot() == before

    asyncio.run(run())


async def post_raw(http: aiohttp.ClientSession, url: str, body: bytes, **headers: str) -> tuple[int, str]:
    given = {"Content-Type": "application/json", **headers}
    async with http.post(url, data=body, headers=given) as answer:
        return answer.status, await answer.text()


def test_a_change_that_the_switch_refuses_is_taken_back(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> None:
        async with helper.serving(loaded.address, WANTED, tmp_path) as serve, aiohttp.ClientSession() as http:
            await serve.event("applied")
            await asyncio.sleep(0.3)
            before = loaded.snapshot()
            loaded.refuse = lambda update: "full" if update[0] == "INSERT" else None
            status, answer = await post(http, f"{serve.url}/api/policies/0", {"changes": {"max_p": 0.3}})
            assert status == 409
            assert "the switch refused to insert" in answer["error"]
            assert serve.declaration.assignments[0].profile == MECN
            loaded.refuse = lambda _update: None
            assert loaded.snapshot() == before
            # And then it can be changed again, once the keeper is back in charge.
            while serve.declaration.status != "primary":
                await asyncio.sleep(0.05)
            status, _ = await post(http, f"{serve.url}/api/policies/0", {"changes": {"max_p": 0.3}})
            assert status == 200

    asyncio.run(run())


def test_who_is_not_in_charge_changes_nothing(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            SwitchSession(loaded.address, election_id=9),
            helper.serving(loaded.address, WANTED, tmp_path) as serve,
            aiohttp.ClientSession() as http,
        ):
            await serve.event("standby")
            status, answer = await post(http, f"{serve.url}/api/policies/0", {"changes": {"max_p": 0.3}})
            assert status == 409
            assert "a controller with election id 9 is in charge" in answer["error"]

    asyncio.run(run())


def test_requests_of_other_sites_are_refused(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> None:
        async with helper.serving(loaded.address, WANTED, tmp_path) as serve, aiohttp.ClientSession() as http:
            await serve.event("applied")
            url, good = f"{serve.url}/api/policies/0", b'{"changes": {"max_p": 0.3}}'
            before = loaded.snapshot()
            for headers in (
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
                {"Origin": serve.url.replace("127.0.0.1", "127.0.0.2")},
                {"Sec-Fetch-Site": "cross-site"},
                {"Content-Type": "text/plain"},
                {"Content-Type": "application/x-www-form-urlencoded"},
                # DNS rebinding: the browser believes that this is evil.example's own server.
                {"Host": "evil.example", "Origin": "http://evil.example"},
            ):
                assert (await post_raw(http, url, good, **headers))[0] == 403, headers
            async with http.get(f"{serve.url}/api/snapshot", headers={"Host": "evil.example"}) as answer:
                assert answer.status == 403
            assert loaded.snapshot() == before
            assert (await post_raw(http, url, good, Origin=serve.url))[0] == 200
            async with http.get(serve.url) as answer:
                policy = answer.headers["Content-Security-Policy"]
                page = await answer.text()
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            # Works offline: nothing on the page comes from elsewhere.
            for name in ("app.js", "charts.js", "style.css", "icon.svg"):
                async with http.get(f"{serve.url}/static/{name}") as answer:
                    assert answer.status == 200
                    page += await answer.text()
            page = page.replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in page
            assert "https://" not in page
            async with http.get(f"{serve.url}/static/..%2Fsite.py") as answer:
                assert answer.status == 404

    asyncio.run(run())


def test_a_token_is_asked_for_and_never_logged(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> str:
        async with (
            helper.serving(loaded.address, WANTED, tmp_path, token=TOKEN) as serve,
            aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http,
        ):
            await serve.event("applied")
            for path in ("/api/snapshot", "/api/events", "/api/policies", "/static/app.js"):
                async with http.get(serve.url + path) as answer:
                    assert answer.status == 401, path
            async with http.get(serve.metrics) as answer:
                assert answer.status == 401
            async with http.get(serve.url) as answer:
                assert answer.url.path == "/login"
            for wrong in (TOKEN + "x", "\ud800", ""):
                assert (await post(http, f"{serve.url}/login", {"token": wrong}))[0] == 401
            assert not list(http.cookie_jar)
            assert (await post(http, f"{serve.url}/login", {"token": TOKEN}))[0] == 200
            (cookie,) = http.cookie_jar
            assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
            assert TOKEN not in cookie.value
            async with http.get(f"{serve.url}/api/snapshot") as answer:
                assert answer.status == 200
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as other:
                async with other.get(serve.metrics) as answer:
                    assert answer.status == 200
                assert (await post(other, f"{serve.url}/api/policies/0", {"changes": {"max_p": 0.3}}))[
                    0
                ] == 200
            with pytest.raises(ControllerError, match="refused: give the token with --token-file"):
                await anext(ServeStream(serve.url).events(samples=False))
            events = ServeStream(serve.url, token=TOKEN).events(samples=False)
            assert isinstance(await anext(events), Snapshot)
            await events.aclose()
            return serve.stream.getvalue()

    assert TOKEN not in asyncio.run(run())


def test_sessions_end_and_take_their_pages_with_them(
    loaded: Meddler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a log-out, by time, and by newer sessions."""
    monkeypatch.setattr(access, "MAX_SESSIONS", 2)

    async def run() -> None:
        async with (
            helper.serving(loaded.address, WANTED, tmp_path, token=TOKEN) as serve,
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http,
        ):

            async def login() -> tuple[dict[str, str], aiohttp.ClientResponse]:
                async with http.post(f"{serve.url}/login", json={"token": TOKEN}) as answer:
                    cookie = {"Cookie": f"{access.COOKIE}={answer.cookies[access.COOKIE].value}"}
                return cookie, await http.get(f"{serve.url}/api/events", headers=cookie)

            async def ends(cookie: dict[str, str], events: aiohttp.ClientResponse) -> None:
                assert events.status == 200
                async with asyncio.timeout(5):
                    await events.read()
                async with http.get(f"{serve.url}/api/snapshot", headers=cookie) as answer:
                    assert answer.status == 401

            first = await login()
            async with http.get(f"{serve.url}/api/session", headers=first[0]) as answer:
                assert await answer.json() == {"session": True}
            assert (await post(http, f"{serve.url}/logout", {}, **first[0]))[0] == 200
            await ends(*first)
            monkeypatch.setattr(access, "SESSION_S", 0.5)
            await ends(*await login())
            monkeypatch.setattr(access, "SESSION_S", 3600.0)
            oldest, _, newest = [await login() for _ in range(3)]
            await ends(*oldest)
            async with http.get(f"{serve.url}/api/snapshot", headers=newest[0]) as answer:
                assert answer.status == 200

    asyncio.run(run())


def test_only_this_machine_without_tls_and_token() -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::"):
        for token, encrypted in ((None, False), (TOKEN, False), (None, True)):
            with pytest.raises(ControllerError, match="is not on the loopback interface"):
                Access(host, token=token, encrypted=encrypted)
        Access(host, token=TOKEN, encrypted=True)
    for host in ("127.0.0.1", "::1", "localhost"):
        Access(host, token=None, encrypted=False)


@pytest.mark.parametrize("text", ["", "short", "a token with blanks in it", "tökentökentökentöken"])
def test_bad_tokens_are_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ControllerError) as caught:
        read_token(path)
    assert not text or text not in str(caught.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes certificates with openssl")
def test_mutual_tls(loaded: Meddler, tmp_path: Path) -> None:
    keys = helper.make_keys(tmp_path)
    server = TlsFiles(keys / "ca.pem", keys / "server.pem", keys / "server.key")

    async def run() -> None:
        async with helper.serving(loaded.address, WANTED, tmp_path, token=TOKEN, tls=server) as serve:
            assert serve.url.startswith("https://")
            client = TlsFiles(keys / "ca.pem", keys / "client.pem", keys / "client.key")
            events = ServeStream(serve.url, token=TOKEN, tls=client).events(samples=False)
            assert isinstance(await anext(events), Snapshot)
            await events.aclose()
            with pytest.raises(ControllerError, match="cannot be reached"):
                await anext(
                    ServeStream(serve.url, token=TOKEN, tls=TlsFiles(keys / "ca.pem")).events(samples=False)
                )
            context = ssl.create_default_context(cafile=keys / "ca.pem")
            async with aiohttp.ClientSession() as http:
                with pytest.raises(aiohttp.ClientError):
                    await http.get(serve.url, ssl=context)

    # A server that waits for a certificate in vain is a failure with its place, not a run that never ends.
    asyncio.run(asyncio.wait_for(run(), 120))


def test_an_unusable_key_is_one_line_without_its_text(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END PRIVATE KEY-----\n")
    with pytest.raises(ControllerError) as caught:
        TlsFiles(None, key, key).server_context()
    assert str(key) in str(caught.value)
    assert "c2VjcmV0" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_events_carry_snapshots_versions_and_nothing_after_the_end(loaded: Meddler, tmp_path: Path) -> None:
    async def run() -> None:
        async with helper.serving(loaded.address, WANTED, tmp_path) as serve, aiohttp.ClientSession() as http:
            await serve.event("applied")
            events = ServeStream(serve.url).events(samples=True)
            seen = rates = 0
            async for event in events:
                seen += 1
                passed = 100 * seen
                loaded.count(names.MARKING_STATS, 3 << 2, passed, 1000 * passed)
                if isinstance(event, Snapshot) and event.ports:
                    assert [port.port for port in event.ports] == [3, 4]
                    rates += event.ports[0].rates.get("passed", 0) > 0
                elif isinstance(event, list):
                    assert all(sample.source == "counters" for sample in event)
                if rates >= 2:
                    break
            await events.aclose()
            async with http.get(serve.metrics) as answer:
                text = await answer.text()
                assert answer.content_type == "text/plain"
            assert 'mecn_port_packets_total{level="passed",port="3"}' in text
            assert "mecn_controller_primary 1.0" in text
            async with http.get(serve.metrics.replace("/metrics", "/api/policies")) as answer:
                assert answer.status == 404
            async with http.get(f"{serve.url}/api/snapshot") as answer:
                assert json.loads(await answer.text())["status"] == "primary"

    asyncio.run(run())
