# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The side interface, without a switch behind it."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch.ctl import Answer, ControlServer, ControlSocketError, Operations, main, request
from mecn_switch.ports import PortSettings


class Fake:
    def __init__(self) -> None:
        self.settings = {1: PortSettings()}
        self.traces: list[bool] = []

    @property
    def operations(self) -> Operations:
        return Operations(
            lambda: dict(self.settings),
            self.settings.__setitem__,
            lambda: {"ports": [{"port": 1, "rx_packets": 3}], "unattached": 0},
            self.traces.append,
            lambda name, index: {"average": 40 + index}[name],
        )


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[Path, Fake]]:
    fake = Fake()
    server = ControlServer(tmp_path / "ctl", fake.operations)
    yield server.path, fake
    server.close()
    assert not server.path.exists()


def test_settings(listening: tuple[Path, Fake]) -> None:
    path, fake = listening
    set_two: Answer = {
        "op": "set",
        "port": 2,
        "rate": "1.5mbit",
        "limit": "100",
        "delay": "40ms",
        "overhead": -14,
    }
    link = {"in_rate": "unlimited", "in_delay": "0ns"}
    shown = {"port": 2, "rate": "1500kbit", "limit": "100", "delay": "40ms", "overhead": -14, **link}
    assert request(path, set_two) == {"ok": True, "port": shown}
    assert request(path, {"op": "set", "port": 2, "delay": "1ms"}) == {
        "ok": True,
        "port": shown | {"delay": "1ms"},
    }
    one = {"port": 1, "rate": "unlimited", "limit": "64", "delay": "0ns", "overhead": 0, **link}
    assert request(path, {"op": "ports"}) == {"ok": True, "ports": [one, shown | {"delay": "1ms"}]}
    answer = request(path, {"op": "set", "port": 1, "in_rate": "10mbit", "in_delay": "2ms"})
    assert answer == {"ok": True, "port": one | {"in_rate": "10mbit", "in_delay": "2ms"}}
    assert request(path, {"op": "register", "name": "average", "index": 2}) == {"ok": True, "value": 42}
    assert request(path, {"op": "trace", "on": True}) == {"ok": True}
    assert fake.traces == [True]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"nonsense", "Expecting value"),
        (b"[1]", "a request is a JSON object"),
        (b"{}", "unknown op None"),
        (b'{"op": "reboot"}', "unknown op 'reboot'"),
        (b'{"op": "set", "port": 511}', "port 511"),
        (b'{"op": "set", "port": true}', "port True"),
        (b'{"op": "set", "port": 1, "rate": "fast"}', "rate 'fast'"),
        (b'{"op": "set", "port": 1, "rat": "1mbit"}', "unknown member 'rat'"),
        (b'{"op": "register"}', "register needs a name"),
        (b'{"op": "register", "name": "a", "index": -1}', "an index from 0"),
        (b'{"op": "ports", "port": 1}', "unknown member 'port'"),
        (b'{"op": "trace", "on": 1}', "trace needs on"),
        (b'{"op": "trace"}', "trace needs on"),
        (b'{"a":' * 9000, ""),
    ],
)
def test_refused(line: bytes, words: str) -> None:
    fake = Fake()
    answer = fake.operations.answer(line)
    assert answer["ok"] is False
    assert words in str(answer["error"])
    assert fake.settings == {1: PortSettings()}


@given(st.binary(max_size=60))
def test_any_line_is_answered(line: bytes) -> None:
    assert Fake().operations.answer(line)["ok"] is False


def test_several_requests_and_an_endless_line(listening: tuple[Path, Fake]) -> None:
    path, _ = listening
    with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rwb") as lines:
        connection.connect(str(path))
        lines.write(b'{"op": "stats"}\n{"op": "ports"}\n' + b"x" * 70_000)
        lines.flush()
        answers = [json.loads(lines.readline()) for _ in range(3)]
    assert [answer["ok"] for answer in answers] == [True, True, False]


def test_the_command(listening: tuple[Path, Fake], capsys: pytest.CaptureFixture[str]) -> None:
    socket_option = ("--ctl-socket", str(listening[0]))
    assert main([*socket_option, "stats"]) == 0
    assert json.loads(capsys.readouterr().out) == {"port": 1, "rx_packets": 3}
    assert main([*socket_option, "set", "1", "--rate", "fast"]) == 1
    assert "rate 'fast'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*socket_option, "set", "511"])
    assert main(["--ctl-socket", f"{listening[0]}-none", "ports"]) == 1
    assert "no switch answers on" in capsys.readouterr().err


def test_sockets_of_others(tmp_path: Path, listening: tuple[Path, Fake]) -> None:
    with pytest.raises(ControlSocketError, match="another switch listens"):
        ControlServer(listening[0], Fake().operations)
    (tmp_path / "file").write_text("")
    with pytest.raises(ControlSocketError, match="is not a socket"):
        ControlServer(tmp_path / "file", Fake().operations)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead"))
    ControlServer(tmp_path / "dead", Fake().operations).close()
