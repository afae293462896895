# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Options of commands that talk to a switch: which one, how it is protected, what is loaded, what is kept."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mecn_controller import names
from mecn_controller.defaults import DEFAULT_ADDRESS, DEFAULT_DEVICE_ID, DEFAULT_ELECTION_ID
from mecn_controller.dscp import parse_dscp
from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mecn_controller.policy.profile import Profile
    from mecn_controller.runtime.session import SwitchSession
    from mecn_controller.runtime.tls import TlsFiles
    from mecn_controller.runtime.writer import ProfileWriter

EXIT_DIFFERENT = 1

T = TypeVar("T")


@dataclass(frozen=True)
class Target:
    """The switch that the options name. Without an election id it is only read from."""

    address: str
    device_id: int
    election_id: int | None = None
    p4info: Path | None = None
    program: Path | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    tofino: int | None = None
    """Of which generation the switch is, if it is spoken to in BF Runtime."""

    @property
    def tls(self) -> TlsFiles | None:
        """How the connection is protected; ControllerError where it leaves this machine unprotected."""
        from mecn_controller.runtime.tls import TlsFiles, host_of, is_loopback

        if self.tls_ca is not None or self.tls_cert is not None or self.tls_key is not None:
            return TlsFiles(self.tls_ca, self.tls_cert, self.tls_key)
        if not self.insecure and not is_loopback(host_of(self.address)):
            message = "is not this machine: give --tls-ca (and --tls-cert, --tls-key), or --insecure"
            raise ControllerError(f"{self.address}: {message}")
        return None

    def program_text(self) -> tuple[str, str] | None:
        """P4Info and BMv2 JSON that the options name."""
        if self.p4info is not None and self.program is not None:
            return (_read(self.p4info), _read(self.program))
        if self.p4info is not None or self.program is not None:
            raise click.UsageError("--p4info and --program belong together: give both, or neither")
        return None

    def run_writer(self, action: Callable[[ProfileWriter], Coroutine[object, object, T]]) -> T:
        """As `run`, also on a Tofino, whose program is there already."""
        if self.tofino is None:
            return self.run(action)
        if self.program_text() is not None:
            raise click.UsageError(
                "--tofino goes with neither --p4info nor --program: the device has its program"
            )
        from mecn_controller.runtime.targets.bfrt import TofinoSwitch, read_tables
        from mecn_controller.runtime.targets.bfrt_client import GrpcClient
        from mecn_controller.runtime.targets.tna import Tna

        with GrpcClient(self.address, self.device_id, tls=self.tls) as client:
            switch = TofinoSwitch(client, read_tables(client.bfrt_json.decode()), Tna(self.tofino))
            return asyncio.run(action(switch))

    def run(self, action: Callable[[SwitchSession], Coroutine[object, object, T]]) -> T:
        """Connect, make sure of the program, act, disconnect."""
        program, tls = self.program_text(), self.tls

        # Here, so that commands without a switch start fast, and so that main comes before gRPC.
        from mecn_controller.runtime.session import SwitchSession

        async def run() -> T:
            async with SwitchSession(self.address, self.device_id, self.election_id, tls=tls) as session:
                if program is not None:
                    await session.set_pipeline(*program)
                else:
                    await session.use_pipeline()
                return await action(session)

        return asyncio.run(run())


def _target(
    *options: Callable[[Callable[..., None]], Callable[..., None]],
) -> Callable[..., Callable[..., None]]:
    """A decorator that adds options and hands them to the command as one `target`."""
    fields = {field.name for field in dataclasses.fields(Target)}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_target(**given: Any) -> None:  # noqa: ANN401
            target = Target(**{name: value for name, value in given.items() if name in fields})
            command(target=target, **{name: value for name, value in given.items() if name not in fields})

        for option in reversed(options):
            with_target = option(with_target)
        return with_target

    return decorate


def _address(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """HOST:PORT; without a port, the usual one."""
    if value.count(":") > 1 and "[" not in value:
        value = f"[{value}]"  # an IPv6 address
    if value.endswith("]") or ":" not in value:
        return f"{value}:{DEFAULT_ADDRESS.rpartition(':')[2]}"
    return value


_FILE = click.Path(path_type=Path)
_WHERE = (
    click.option(
        "--address",
        default=DEFAULT_ADDRESS,
        show_default=True,
        metavar="HOST[:PORT]",
        callback=_address,
        help="The switch's P4Runtime server.",
    ),
    click.option("--device-id", default=DEFAULT_DEVICE_ID, show_default=True, help="P4Runtime device."),
    click.option("--tls-ca", type=_FILE, help="PEM: who signed the switch's certificate. Encrypts."),
    click.option("--tls-cert", type=_FILE, help="PEM: our certificate, for mutual TLS."),
    click.option("--tls-key", type=_FILE, help="PEM: the key of that certificate."),
    click.option("--insecure", is_flag=True, help="Talk to other machines without TLS."),
)
reads = _target(*_WHERE)
_WRITES = (
    click.option(
        "--election-id", default=DEFAULT_ELECTION_ID, show_default=True, help="The highest is in charge."
    ),
    click.option("--p4info", type=click.Path(path_type=Path), help="P4Info (text) of the program to load."),
    click.option("--program", type=click.Path(path_type=Path), help="BMv2 JSON of the program to load."),
)
writes = _target(*_WHERE, *_WRITES)
writes_profiles = _target(
    *_WHERE,
    *_WRITES,
    click.option(
        "--tofino",
        type=click.IntRange(1, 2),
        metavar="1|2",
        help="Speak BF Runtime to a Tofino of this generation, or to mecn-switch in its place"
        " (usually --address 127.0.0.1:50052 --device-id 0). No history is kept.",
    ),
)


def state_option(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--state-dir` and `--no-history`, and hands the command a `history` (None: keep none)."""

    @click.option(
        "--state-dir",
        type=click.Path(path_type=Path),
        help="Where the history of applied profiles is kept. Default: $XDG_STATE_HOME/mecn.",
    )
    @click.option("--no-history", is_flag=True, help="Do not keep what is applied.")
    @functools.wraps(command)
    def with_history(state_dir: Path | None, no_history: bool, target: Target, **given: Any) -> None:  # noqa: ANN401
        from mecn_controller.runtime.history import History, state_folder

        folder = state_folder() if state_dir is None else state_dir
        # The history compares with entries of v1model.
        kept = not no_history and target.tofino is None
        history = History(folder, target.address, target.device_id) if kept else None
        command(history=history, target=target, **given)

    return with_history


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ControllerError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ControllerError(f"{path}: is not UTF-8 text") from None


def _dscp(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        try:
            parse_dscp(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return value


def load_with(path: Path, dscp: str | None) -> Profile:
    """A profile's file, with other code points if they are given."""
    from mecn_controller.policy.profile import load_profile

    profile = load_profile(path)
    return profile if dscp is None else profile.replace(dscp=dscp)


PORT = click.IntRange(0, names.MAX_PORTS - 2)
json_option = click.option("--json", "as_json", is_flag=True, help="One object of JSON.")
dscp_option = click.option(
    "--dscp",
    callback=_dscp,
    metavar="LIST",
    help="Code points, such as EF,10; in place of the profile's own list; or any.",
)
profile_argument = click.argument("profile_path", metavar="PROFILE.yaml", type=click.Path(path_type=Path))
