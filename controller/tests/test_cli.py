# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from mecn_controller import names
from mecn_controller.commands import main as cli
from mecn_controller.commands.main import PLUGIN_GROUP
from mecn_controller.commands.summaries import SUMMARIES

if TYPE_CHECKING:
    from tests.command import FOLDER, mecn
    from tests.meddler import Meddler
else:
    from mecn_controller_command import FOLDER, mecn

PROFILES = FOLDER / "profiles"


def good(*args: str | Path) -> str:
    done = mecn(*args)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(*args: str | Path) -> str:
    """One line, on stderr only, and exit status 2."""
    done = mecn(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


def test_check_prints_the_curve() -> None:
    lines = good("check", PROFILES / "mecn-low.yaml").splitlines()
    assert lines[0] == "multi-level ECN, 1/2/4: valid"
    assert "average (packets)  p incipient  p moderate  signalled incipient  signalled moderate" in lines
    assert "3                     0.066667    0.050000             0.063333            0.050000" in lines
    assert lines[-1].startswith("4 ")
    assert lines[-1].endswith("severe from here")


def test_every_command_has_a_summary() -> None:
    shipped = {point.name for point in entry_points(group=PLUGIN_GROUP)}
    assert {*shipped, *cli.OWN} == set(SUMMARIES)


def test_help_and_completion_import_no_command() -> None:
    """They are asked for at every Tab; the commands take a second to import."""
    code = (
        "import sys\nfrom mecn_controller.commands.main import mecn\n"
        "try:\n    mecn(['--help'])\nexcept SystemExit:\n    pass\n"
        "import click\nassert mecn.shell_complete(click.Context(mecn), 'si')[0].value == 'simulate'\n"
        "heavy = {'pydantic', 'numpy', 'grpc', 'mecn_native', 'mecn_experiments'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert SUMMARIES["simulate"] in done.stdout


def test_an_address_may_lack_its_port() -> None:
    assert refused("show", "--address", "127.0.0.2").startswith("127.0.0.2:9559: ")


def test_a_wrong_profile_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("name: a\nscheme: ecn\nmin_th: 5\nmax_th: 4\nmax_p: 0.1\n")
    expected = f"{path}:3:1: min_th (5) must be less than max_th (4)"
    assert refused("check", path) == expected
    assert refused("apply", path, "--port", "1", "--address", "127.0.0.1:1") == expected
    assert refused("check", tmp_path / "none.yaml").endswith(
        "none.yaml: cannot be read: No such file or directory"
    )


def test_an_unreachable_switch_is_one_line() -> None:
    for command in (["show"], ["apply", str(PROFILES / "ecn.yaml"), "--port", "1"]):
        line = refused(*command, "--address", "127.0.0.1:1")
        assert line == "127.0.0.1:1: cannot reach the switch: connection refused"


def test_apply_show_diff(loaded: Meddler) -> None:
    where = ("--address", loaded.address)
    assert good("show", *where) == f"{loaded.address}: no active queue management\n"
    done = good("apply", PROFILES / "mecn-low.yaml", "--port", "3", "--drain", "0", *where)
    assert done == (
        f"{loaded.address}: port 3, DSCP any: multi-level ECN, 1/2/4 is in force as profile id 1"
        " (12 entries written and read back)\n"
    )
    for level, packets in enumerate((90, 7, 3)):
        loaded.count(names.MARKING_STATS, 3 << 2 | level, packets, 1000 * packets)
    loaded.count(names.EARLY_DROP_STATS, 3, 5, 5_000)
    assert good("show", *where).splitlines() == [
        "port 3, DSCP any (profile id 1)",
        "  scheme mecn: marked CE at or above max_th, Not-ECT passed",
        "  mark point tail",
        "  weight 0.002",
        "  spacing of signals wait",
        "  mean service time 5333 us",
        "  a report every 200 ms",
        "  1 to 2 packets: incipient 0 to 0.03333, CE 0 to 0",
        "  2 to 4 packets: incipient 0.03333 to 0.1, CE 0 to 0.1",
        "  from 4 packets: severe",
        "",
        "port  packets  passed  incipient  CE  early drop  bytes left",
        "3         100      90          7   3           5      100000",
    ]
    same = good("diff", PROFILES / "mecn-low.yaml", "--port", "3", *where)
    assert same == f"{loaded.address}: port 3 is as {PROFILES / 'mecn-low.yaml'} says\n"
    other = mecn("diff", PROFILES / "ecn.yaml", "--port", "3", *where)
    assert other.returncode == 1
    assert "-from 4 packets: severe" in other.stdout
    assert "+from 90 packets: severe" in other.stdout
    assert mecn("diff", PROFILES / "mecn-low.yaml", "--port", "4", *where).returncode == 1
    assert "port 4" in good("show", "--port", "4", *where)
    shown = json.loads(good("show", "--json", *where))
    (policy,), (counters,) = shown["policies"], shown["counters"]
    assert (policy["port"], policy["scheme"], policy["severe_from"]) == (3, "mecn", 4)
    assert (counters["port"], counters["ce"]) == (3, {"packets": 3, "bytes": 3000})
    assert json.loads(good("diff", PROFILES / "mecn-low.yaml", "--json", "--port", "3", *where))["same"]
    other = mecn("diff", PROFILES / "ecn.yaml", "--json", "--port", "3", *where)
    assert (other.returncode, json.loads(other.stdout)["same"]) == (1, False)


def test_show_and_diff_of_classes(loaded: Meddler) -> None:
    where = ("--address", loaded.address)
    for name in ("mecn-low.yaml", "aecn.yaml"):  # so that its profile ids are not the first
        good("apply", PROFILES / name, "--port", "3", "--drain", "0", *where)
    assert good("show", *where).splitlines()[:15] == [
        "port 3, DSCP any (profile id 2)",
        "  scheme ecn: dropped at or above max_th, Not-ECT dropped likewise",
        "  mark point front",
        "  weight 0.002",
        "  mean service time 800 us",
        "  queue of 50 packets",
        "  a report every 500 ms",
        "  5 to 30 packets: incipient 0 to 0, CE 0 to 0.5",
        "  from 30 packets: severe",
        "  connections have classes by round-trip time",
        "  class 1: round-trip times from 0 to 60 ms",
        "    5 to 30 packets: incipient 0 to 0, CE 0 to 0.5",
        "    from 30 packets: severe",
        "  class 2: round-trip times from 60 to 200 ms",
        "    5 to 30 packets: incipient 0 to 0, CE 0 to 0.3",
    ]
    same = good("diff", PROFILES / "aecn.yaml", "--port", "3", *where)
    assert same == f"{loaded.address}: port 3 is as {PROFILES / 'aecn.yaml'} says\n"


def test_diff_sees_one_bit(loaded: Meddler) -> None:
    where = ("--address", loaded.address)
    good("apply", PROFILES / "mecn-low.yaml", "--port", "3", "--drain", "0", *where)
    (ramp, *_) = (each for each in loaded.entries(names.MARKING_CURVE_TABLE) if each.params)
    other = tuple((name, value ^ (name == "slope_incipient")) for name, value in ramp.params)
    loaded.modify([dataclasses.replace(ramp, params=other)])
    done = mecn("diff", PROFILES / "mecn-low.yaml", "--port", "3", *where)
    assert done.returncode == 1
    assert "-marking: " in done.stdout


def test_dscp_in_place_of_the_profiles_own(loaded: Meddler) -> None:
    where = ("--port", "3", "--drain", "0", "--address", loaded.address)
    assert "DSCP 0,46:" in good("apply", PROFILES / "mecn-low.yaml", "--dscp", "EF,0", *where)
    assert "DSCP any:" in good("apply", PROFILES / "mecn-class.yaml", "--dscp", "any", *where)
    done = mecn("apply", PROFILES / "mecn-low.yaml", "--dscp", "64", *where)
    assert done.returncode == 2
    assert "'64' is not a code point" in done.stderr or "64 is not a code point" in done.stderr


def test_the_program_is_loaded_when_given(switch: Meddler, tmp_path: Path) -> None:
    p4info, program = tmp_path / "a.p4info.txtpb", tmp_path / "a.json"
    p4info.write_text(switch.behind.program.p4info)
    program.write_text(switch.behind.program.bmv2_json)
    where = ("--port", "1", "--drain", "0", "--address", switch.address)
    assert refused("apply", PROFILES / "ecn.yaml", *where).endswith(
        "the switch runs no program yet: load one with mecn apply or serve, --p4info and --program"
    )
    good("apply", PROFILES / "ecn.yaml", *where, "--p4info", p4info, "--program", program)
    good("apply", PROFILES / "ecn.yaml", *where, "--p4info", p4info, "--program", program)
    assert switch.loads == 1
    assert refused(
        "apply", PROFILES / "ecn.yaml", *where, "--p4info", tmp_path / "none", "--program", program
    ).endswith("none: cannot be read: No such file or directory")
    assert mecn("apply", PROFILES / "ecn.yaml", *where, "--p4info", p4info).returncode == 2


@pytest.mark.parametrize(
    "args",
    [["apply"], ["apply", "x.yaml"], ["apply", "x.yaml", "--port", "511"], ["nothing"], ["show", "--what"]],
)
def test_usage_errors(args: list[str]) -> None:
    done = mecn(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("Usage: ")


def plugins(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    found = [EntryPoint(name, value, cli.PLUGIN_GROUP) for name, value in points.items()]

    def entry_points(*, group: str) -> list[EntryPoint]:
        assert group == "mecn.commands"
        return found

    monkeypatch.setattr(cli, "entry_points", entry_points)


@click.command()
def hello() -> None:
    """Greets."""
    click.echo("hello")


def test_other_packages_add_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins(
        monkeypatch,
        hello=f"{__name__}:hello",
        broken="no_such_package:command",
        wrong="os:sep",
        show="os:sep",
    )
    sys.modules.setdefault(__name__, sys.modules[hello.callback.__module__])
    runner = CliRunner()
    assert runner.invoke(cli.mecn, ["hello"]).output == "hello\n"
    listing = runner.invoke(cli.mecn, ["--help"])
    assert listing.exit_code == 0
    for word in ("hello   Greets.", "broken", "apply", "show"):
        assert word in listing.output
    failed = runner.invoke(cli.mecn, ["broken"])
    assert "no_such_package:command cannot be loaded: No module named 'no_such_package'" in str(
        failed.exception
    )
    assert "os:sep is not a command" in str(runner.invoke(cli.mecn, ["wrong", "--any"]).exception)
