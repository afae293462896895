# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn serve` and `mecn schema`."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mecn_controller.defaults import (
    DEFAULT_ADDRESS,
    DEFAULT_DEVICE_ID,
    DEFAULT_DRAIN_S,
    DEFAULT_ELECTION_ID,
)
from mecn_controller.deployment import json_schemas, load_deployment
from mecn_controller.reconcile import Keeper

if TYPE_CHECKING:
    from mecn_controller.reconcile import Event


@click.command("serve")
@click.argument("deployment", metavar="DEPLOYMENT.yaml", type=click.Path(path_type=Path))
@click.option("--address", default=DEFAULT_ADDRESS, show_default=True, help="The switch's P4Runtime server.")
@click.option("--device-id", default=DEFAULT_DEVICE_ID, show_default=True, help="Above 0.")
@click.option(
    "--election-id", default=DEFAULT_ELECTION_ID, show_default=True, help="The highest alive is in charge."
)
@click.option("--check", default=5.0, show_default=True, type=click.FloatRange(0.01), help="Seconds.")
@click.option("--retry", default=0.25, show_default=True, type=click.FloatRange(0.01), help="Seconds.")
@click.option("--drain", default=DEFAULT_DRAIN_S, show_default=True, type=click.FloatRange(0, 60))
def serve(
    deployment: Path,
    address: str,
    device_id: int,
    election_id: int,
    check: float,
    retry: float,
    drain: float,
) -> None:
    """Keep a switch in the state that a deployment file declares, until SIGTERM or Ctrl-C.

    One JSON object per line on stdout says what happens. Started twice with different election ids, one is in
    charge and the other waits.
    """
    declared = load_deployment(deployment)
    keeper = Keeper(
        address=address,
        device_id=device_id,
        election_id=election_id,
        assignments=declared.assignments,
        rules=declared.rules,
        check_s=check,
        retry_s=retry,
        drain_s=drain,
        report=_log,
    )
    asyncio.run(_until_stopped(keeper))


async def _until_stopped(keeper: Keeper) -> None:
    task = asyncio.ensure_future(keeper.run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise


def _log(event: Event) -> None:
    record = {"time": time.time(), "event": event.what, "detail": event.detail}
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


@click.command("schema")
@click.argument("which", type=click.Choice(["profile", "deployment"]))
def schema(which: str) -> None:
    """Print the JSON Schema of profiles or of deployments."""
    click.echo(json.dumps(json_schemas()[which], indent=2))
