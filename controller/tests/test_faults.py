# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What breaks does not stop the keeper, and files are whole."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from mecn_controller import names
from mecn_controller.durable import write_durably
from mecn_controller.errors import ControllerError, ProfileError
from mecn_controller.fixed_point import ACTIVE_MAP_BITS
from mecn_controller.logs import JsonLog
from mecn_controller.policy.entries import Entry, Exact
from mecn_controller.policy.profile import Mecn, parse_profile
from mecn_controller.reports import FIELDS, PortReport
from mecn_controller.runtime.history import History
from mecn_controller.runtime.keeper import Event, Keeper
from mecn_controller.runtime.writer import _Curves


def class_curve(profile_id: int, rtt_class: int, curve: int) -> Entry:
    keys = (("profile_id", Exact(profile_id)), ("rtt_class", Exact(rtt_class)))
    return Entry(names.CLASS_CURVE_TABLE, keys, names.SET_CURVE, (("curve", curve),))


def test_cycles_of_curves_mean_nothing_else() -> None:
    curves = _Curves([class_curve(1, 1, 2), class_curve(2, 1, 1), class_curve(3, 1, 4)])
    assert len({curves.shape(number) for number in (1, 2, 3)}) == 3


def test_long_chains_of_curves_cost_little() -> None:
    def chain(length: int) -> list[Entry]:
        return [class_curve(n, c, n + 1) for n in range(1, length) for c in (1, 2)]

    begin = time.process_time()
    for length in (25, 5000):
        one, other = _Curves(chain(length)), _Curves(chain(length))
        assert one.shape(1) == other.shape(1)
    assert time.process_time() - begin < 2


def test_the_keeper_meets_what_nobody_thought_of(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = []
    pauses: list[float] = []
    failures = [RecursionError("deep"), KeyError("field"), MemoryError(), OSError(errno.EMFILE, "files")]

    async def broken(_keeper: Keeper, _tell: object) -> None:
        if not failures:
            raise asyncio.CancelledError
        raise failures.pop(0)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(Keeper, "_serve", broken)
    keeper = Keeper(
        address="nowhere:1", device_id=1, election_id=1, assignments=(), report=events.append, sleep=sleep
    )
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(keeper.run())
    assert [event.what for event in events] == ["lost"] * 4
    assert "RecursionError: deep" in events[0].detail
    assert pauses == sorted(pauses)
    assert pauses[-1] > pauses[0]


def test_a_digest_that_is_no_report_is_known_as_such() -> None:
    fields = dict.fromkeys(FIELDS, 0)
    assert PortReport.from_fields(fields).active_bits[0] == 0
    with pytest.raises(ValueError, match="bits of a map"):
        PortReport.from_fields({**fields, "active_0": ACTIVE_MAP_BITS + 1})
    del fields["port"]
    with pytest.raises(KeyError):
        PortReport.from_fields(fields)


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
    log = JsonLog(full)
    for _ in range(10_000):
        log("applied", detail="port 2")
    log.flush()
    assert log.lost == 10_000
    with suppress(OSError):
        full.close()
    with (tmp_path / "log").open("w", encoding="utf-8") as good:
        log.stream = good
        log("applied")
        log.flush()
    log("applied")
    log.flush()
    assert log.lost == 1
    first, second = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (first["event"], first["lines"]) == ("log lines lost", 10_000)
    assert second["event"] == "applied"


def test_an_output_that_nobody_reads_delays_nothing() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        log = JsonLog(pipe)
        begin = time.monotonic()
        for number in range(5_000):
            log("applied", number=number, detail="x" * 100)
        assert time.monotonic() - begin < 2
        assert log.lost > 0
        read = b""
        while b'"log lines lost"' not in read:
            read += os.read(reading, 1 << 16)
            log("applied")
        numbers = [json.loads(line).get("number") for line in read.splitlines()[:100]]
        assert numbers == list(range(100))
        log.flush(10)
    os.close(reading)


FULL_DISK = """
set -e
mount -t tmpfs -o "size=$3" tmpfs "$1"
exec "$2" -c '
import sys
from pathlib import Path
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.history import History
history = History(Path(sys.argv[1]), "127.0.0.1:1", 1)
record = {"by": "rollback", "port": 1, "to": 0}
try:
    for _ in range(1000):
        history.end(history.begin(record))
except ControllerError as error:
    print(error)
print([each["number"] for each in history._records()])
print(sorted(path.suffix for path in history.path.parent.iterdir()))
' "$1"
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts a small disk in a namespace of its own")
@pytest.mark.parametrize(("size", "least"), [("4k", 1), ("16k", 10)])
def test_a_full_disk_leaves_a_whole_history(size: str, least: int, tmp_path: Path) -> None:
    command = ["unshare", "--mount", "sh", "-c", FULL_DISK, "sh", str(tmp_path), sys.executable, size]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    error, numbers, files = done.stdout.splitlines()
    assert "No space left on device" in error
    found = json.loads(numbers)
    assert len(found) >= least
    assert found == list(range(1, len(found) + 1))
    assert files == "['.jsonl', '.lock']"


ROLLBACK = {"by": "rollback", "port": 1, "to": 0}
APPEND = """
import pathlib, sys
from mecn_controller.runtime import history
history.LIMIT = 50
for _ in range(40):
    file = history.History(pathlib.Path(sys.argv[1]), "127.0.0.1:1", 1)
    file.end(file.begin({"by": "rollback", "port": 1, "to": 0}))
"""


def test_several_writers_lose_no_record(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", APPEND, str(tmp_path)]) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    lines = History(tmp_path, "127.0.0.1:1", 1).path.read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(111, 161))


def test_half_a_record_is_cut_off(tmp_path: Path) -> None:
    history = History(tmp_path, "127.0.0.1:1", 1)
    history.end(history.begin(ROLLBACK))
    with history.path.open("a") as file:
        file.write('{"number":2,"ti')
    assert history.stack(1) == []
    history.end(history.begin(ROLLBACK))
    numbers = [json.loads(line)["number"] for line in history.path.read_text().splitlines()]
    assert numbers == [1, 2]


def test_a_full_disk_is_noticed_before_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path, "127.0.0.1:1", 1)
    history.end(history.begin(ROLLBACK))
    before = history.path.read_text()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ControllerError, match="No space left on device"):
        history.begin(ROLLBACK)
    assert history.path.read_text() == before
    assert sorted(path.suffix for path in history.path.parent.iterdir()) == [".jsonl", ".lock"]


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_durably(path, "one")
    write_durably(path, "two")
    assert path.read_text() == "two"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="No such file"):
        write_durably(tmp_path / "missing" / "file", "x")


@pytest.mark.parametrize("digits", [10, 306, 5000])
def test_numbers_that_overflow_are_an_error_of_the_profile(digits: int) -> None:
    huge = f"{'9' * digits} ms"
    data = {"name": "big", "scheme": "mecn", "link_rate": "1Gbps", "link_packet_bytes": 1000, "max_p": 0.1}
    with pytest.raises(ProfileError, match="min_th"):
        parse_profile({**data, "min_th": huge, "mid_th": huge, "max_th": huge}, "big.yaml")
    assert isinstance(
        parse_profile({**data, "min_th": "1 ms", "mid_th": "2 ms", "max_th": "3 ms"}, "good.yaml"), Mecn
    )
