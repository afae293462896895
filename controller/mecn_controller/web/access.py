# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Who may use the page: this machine, or who shows the token over TLS; and no other site's scripts.

A browser sends requests on behalf of any page that it shows, so being on loopback is not enough. `Host` must
name this machine (else a foreign name that resolves to 127.0.0.1 would be let in: DNS rebinding), and what
changes something must come from a page of ours (`Origin`) or from no page at all, as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from mecn_controller.errors import ControllerError
from mecn_controller.runtime.tls import is_loopback

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MIN_TOKEN = 16
MAX_SESSIONS = 64
SESSION_S = 12 * 3600.0
"""A session ends so long after its login; or by a log-out, or when `MAX_SESSIONS` newer ones have begun."""
WRONG_TOKEN_PAUSE_S = 1.0
MAX_GUESSES = 8
"""Wrong tokens that wait for their answer at once; the next are answered without, and count for nothing."""
COOKIE = "mecn_session"
OPEN = ("/login", "/static/style.css", "/static/login.js", "/static/icon.svg")
"""Paths that need no token."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-src 'self';"
    " frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def read_token(path: Path) -> str:
    """The token in a file; the error says nothing of its contents."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ControllerError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ControllerError(f"{path}: is not UTF-8 text") from None
    if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ControllerError(f"{path}: a token is {MIN_TOKEN} or more printable ASCII characters, no blanks")
    return token


@dataclass
class Session:
    """Of a browser whose user has shown the token."""

    secret: str
    until: float
    """By the monotonic clock."""
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Access:
    """Checks each request."""

    def __init__(self, host: str, *, token: str | None, encrypted: bool) -> None:
        """host: that is listened on. ControllerError if others than this machine could change the switch."""
        self._loopback = is_loopback(host)
        if not self._loopback and (token is None or not encrypted):
            raise ControllerError(
                f"{host} is not on the loopback interface: that needs --web-cert, --web-key and --token-file"
            )
        self._token = token
        self._scheme = "https" if encrypted else "http"
        self._sessions: list[Session] = []
        self._attempts = asyncio.Lock()
        self._guesses = 0

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """To be an application's first."""
        refusal = self._foreign(request)
        if refusal is not None:
            return web.json_response({"error": refusal}, status=403, headers=HEADERS)
        if request.path not in OPEN and not self._known(request):
            if request.method == "GET" and request.path == "/":
                raise web.HTTPSeeOther("/login", headers=HEADERS)
            if "Authorization" in request.headers and not await self._slowed():
                return web.json_response({"error": "too many wrong tokens"}, status=429, headers=HEADERS)
            return web.json_response({"error": "token needed"}, status=401, headers=HEADERS)
        return await handler(request)

    async def add_headers(self, _request: web.Request, response: web.StreamResponse) -> None:
        """To be called as a response is prepared."""
        response.headers.update(HEADERS)

    def _foreign(self, request: web.Request) -> str | None:
        host = request.headers.get("Host", "")
        name = host if ":" not in host or host.endswith("]") else host.rpartition(":")[0]
        if self._loopback and not is_loopback(name.removeprefix("[").removesuffix("]")):
            return "this name is not of this machine"
        if request.method in ("GET", "HEAD"):
            return None
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"{self._scheme}://{host}":
            return "requests of other sites are refused"
        if origin is None and request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            return "requests of other sites are refused"
        if request.content_type != "application/json":
            return "give JSON (Content-Type: application/json)"
        return None

    def _known(self, request: web.Request) -> bool:
        if self._token is None:
            return True
        kind, _, given = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._right(given.strip()):
            return True
        return self.session(request) is not None

    def session(self, request: web.Request) -> Session | None:
        """The session that a request belongs to, if it has not ended."""
        given = request.cookies.get(COOKIE, "")
        now = time.monotonic()
        # Each is compared: the time tells nothing of which it is.
        found = [each for each in self._sessions if _same(given, each.secret) and now < each.until]
        return found[0] if found else None

    async def ended(self, request: web.Request) -> None:
        """Returns when the session of a request has ended; never if it needs none."""
        session = self.session(request)
        if session is None:
            await asyncio.get_running_loop().create_future()
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(session.until - time.monotonic()):
                await session.over.wait()

    def _end(self, session: Session) -> None:
        self._sessions.remove(session)
        session.over.set()

    async def logout(self, request: web.Request) -> web.Response:
        """Ends the session of a request, and with it the pages that it has open."""
        session = self.session(request)
        if session is not None:
            self._end(session)
        answer = web.json_response({})
        answer.del_cookie(COOKIE, path="/")
        return answer

    def _right(self, given: str) -> bool:
        return self._token is not None and _same(given, self._token)

    async def _slowed(self) -> bool:
        """Waits for the turn of a wrong token; False at once if too many wait."""
        if self._guesses >= MAX_GUESSES:
            return False
        self._guesses += 1
        try:
            async with self._attempts:
                await asyncio.sleep(WRONG_TOKEN_PAUSE_S)
        finally:
            self._guesses -= 1
        return True

    async def login(self, given: str) -> web.Response:
        """A session for who knows the token; guesses are answered one after the other, a second each."""
        if not self._right(given):
            if not await self._slowed():
                return web.json_response({"error": "too many wrong tokens"}, status=429)
            return web.json_response({"error": "this is not the token"}, status=401)
        now = time.monotonic()
        for old in [each for each in self._sessions if each.until <= now]:
            self._end(old)
        while len(self._sessions) >= MAX_SESSIONS:
            self._end(self._sessions[0])
        session = Session(secrets.token_urlsafe(32), now + SESSION_S)
        self._sessions.append(session)
        answer = web.json_response({})
        secure = self._scheme == "https"
        answer.set_cookie(COOKIE, session.secret, httponly=True, secure=secure, samesite="Strict", path="/")
        return answer


def _same(given: str, secret: str) -> bool:
    """In a time that does not depend on where they differ. Headers may hold bytes that are no text."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())
