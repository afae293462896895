# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The `mecn` command. Other packages add sub-commands through the entry point group `mecn.commands`.

A command is imported when it is called: the list of commands, and completion, need no more than its summary.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import click

from mecn_controller.commands.summaries import SUMMARIES
from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from click.shell_completion import CompletionItem

PLUGIN_GROUP = "mecn.commands"
EXIT_ERROR = 2
OWN = ("apply", "check", "diff", "show")
"""Commands of `mecn_controller.commands.policies`, which no plug-in replaces."""


class Commands(click.Group):
    """A group whose commands may come from other packages, which are imported only when they are called."""

    def _plugins(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=PLUGIN_GROUP) if point.name not in OWN}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Own commands and plug-ins, by name."""
        return sorted([*OWN, *self._plugins()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """A command by name; one that cannot be loaded says so when it is called."""
        if cmd_name in OWN:
            found = getattr(import_module("mecn_controller.commands.policies"), cmd_name)
            assert isinstance(found, click.Command)
            return found
        point = self._plugins().get(cmd_name)
        if point is None:
            return None
        try:
            command = point.load()
        except (ImportError, AttributeError) as error:
            return _broken(cmd_name, f"{point.value} cannot be loaded: {error}")
        if not isinstance(command, click.Command):
            return _broken(cmd_name, f"{point.value} is not a command")
        return command

    def _summary(self, ctx: click.Context, name: str) -> str:
        if name in SUMMARIES:
            return SUMMARIES[name]
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing those that are known."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summary(ctx, name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands, or of options, that begin so."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from click.shell_completion import CompletionItem

        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [CompletionItem(name, help=self._summary(ctx, name)) for name in found]


def _broken(name: str, why: str) -> click.Command:
    def fail() -> None:
        raise ControllerError(f"mecn {name}: {why}")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, help=f"(not available: {why})", context_settings=settings)


def main() -> None:
    """Run the command line; errors are one line each on stderr, exit status 2."""
    # gRPC's own log would stand beside our line; it is read when grpc is first imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        # Without standalone mode click returns the status of ctx.exit(), or else what the command returned.
        status = mecn(standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ControllerError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(130)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mecn", prog_name="mecn")
def mecn() -> None:
    """Multi-level ECN on programmable switches: controller and experiments."""
