# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import io
import json
import logging

import pytest
from mecn_controller.logs import CONCEALED, JsonLog

SECRET = 'a "secret" with\\marks'


@pytest.fixture
def log() -> JsonLog:
    return JsonLog(io.StringIO())


def lines(log: JsonLog) -> list[dict[str, object]]:
    log.flush()
    return [json.loads(line) for line in log.stream.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_an_event_is_an_object_with_a_time(log: JsonLog) -> None:
    log("applied", detail="port 2")
    log("applied", detail="two\nlines")
    first, second = lines(log)
    assert first["event"] == "applied"
    assert isinstance(first["time"], float)
    assert second["detail"] == "two\nlines"


def test_what_is_concealed_does_not_appear_whoever_logs_it(log: JsonLog) -> None:
    before = logging.getLogger().handlers[:], logging.getLogger().level
    log.conceal(SECRET)
    try:
        log.install()
        log("event", detail=f"token {SECRET}")
        try:
            raise ValueError(SECRET)
        except ValueError:
            logging.getLogger("library").exception("failed with %s", SECRET)
        logging.getLogger("library").info("not written")
    finally:
        logging.getLogger().handlers, level = before
        logging.getLogger().setLevel(level)
    first, second = lines(log)
    assert first["detail"] == f"token {CONCEALED}"
    assert (second["level"], second["logger"]) == ("error", "library")
    assert second["message"] == f"failed with {CONCEALED}"
    assert "ValueError" in str(second["exception"])
    assert "secret" not in json.dumps([first, second])
