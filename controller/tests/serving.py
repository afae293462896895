# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn serve` in this process, for tests: its page, its metrics, its log."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mecn_controller.commands.serve import Service
from mecn_controller.commands.target import Target
from mecn_controller.logs import JsonLog
from mecn_controller.runtime.history import History
from mecn_controller.runtime.keeper import Assignment, Keeper
from mecn_controller.runtime.tls import TlsFiles
from mecn_controller.theory.adaptation import Rule, Steerable
from mecn_controller.web.declaration import Declaration


@dataclass
class Serving:
    url: str
    metrics: str
    history: History
    stream: io.StringIO
    declaration: Declaration

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    async def event(self, name: str) -> dict[str, Any]:
        """The first of that name, once there is one."""
        while True:
            for each in self.events():
                if each["event"] == name:
                    return each
            await asyncio.sleep(0.02)


@asynccontextmanager
async def serving(
    address: str,
    assignments: Sequence[Assignment],
    folder: Path,
    *,
    election_id: int = 1,
    token: str | None = None,
    tls: TlsFiles | None = None,
    rules: Sequence[Callable[[Steerable], Rule] | None] = (),
) -> AsyncIterator[Serving]:
    log = JsonLog(io.StringIO())
    declaration = Declaration(assignments, [rule is not None for rule in rules])
    target = Target(address, 1, election_id)
    history = History(folder / "state", address, 1)
    service = Service(target, declaration, log, history, interval_s=0.2)
    keeper = Keeper(
        address=address,
        device_id=1,
        election_id=election_id,
        assignments=declaration.assignments,
        rules=rules,
        check_s=0.2,
        retry_s=0.05,
        drain_s=0,
        report=service.on_event,
        reconciled=service.on_round,
        wanted=declaration.on_wanted,
        on_report=service.on_report,
        sleep=declaration.pause,
    )
    here = ("127.0.0.1", 0)
    task = asyncio.create_task(service.run(keeper, here, here, token, tls))
    running = Serving("", "", history, log.stream, declaration)  # type: ignore[arg-type]
    waiting = asyncio.create_task(running.event("metrics"))
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    running.url = (await running.event("web"))["url"].rstrip("/")
    running.metrics = (await waiting)["url"]
    try:
        yield running
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def make_keys(folder: Path) -> Path:
    """ca.pem signs server.pem and client.pem, both for localhost and 127.0.0.1."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(
        *new, "-x509", "-days", "2", "-subj", "/CN=ca", "-addext", "keyUsage=critical,keyCertSign",
        "-keyout", "ca.key", "-out", "ca.pem",
    )  # fmt: skip
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(
            "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", f"{name}.pem",
        )  # fmt: skip
    return folder
