# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Run the tests of mecn-host, and those of the lab's netem commands, in virtual machines with other kernels.

Needs qemu-system-x86_64, a static busybox, kmod and iproute2
(Debian: apt install qemu-system-x86 busybox-static kmod).
Without KVM the machines are emulated: a boot takes about 20 s of processor time, the tests some minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import guest

ROOT = Path(__file__).resolve().parents[4]
TESTS = ("hosts/bpf/tests/kernel", "topo/tests/test_netem.py")
CANNOT_RUN = 2

EXAMPLES = """\
KERNEL is a directory that a kernel package was unpacked into (dpkg -x linux-image-....deb DIRECTORY), with
boot/vmlinuz-RELEASE and lib/modules/RELEASE; with --apt a version, of which the newest package is downloaded
from this system's package sources and unpacked below build/kernels (nothing is installed).

examples:
  make host-kernels ARGS="--apt 6.1 6.12"
  make host-kernels ARGS="/tmp/linux-6.8 -- -k reduces"       what follows -- is pytest's
  make host-kernels ARGS="/tmp/linux-6.8 --run 'mecn-host probe'"

exit status: 0 if all tests passed on all kernels, 1 if not, 2 if something is missing here."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="make host-kernels ARGS=",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("kernels", nargs="+", metavar="KERNEL", help="unpacked kernel package, or version")
    made.add_argument("--apt", action="store_true", help="KERNEL is a version: download it with apt-get")
    made.add_argument("--run", metavar="COMMAND", help="run this by sh instead of the tests")
    made.add_argument("--memory", type=int, default=1536, metavar="MIB", help="of a machine (default 1536)")
    made.add_argument(
        "--limit", type=float, default=7200, metavar="S", help="end a machine after (default 7200)"
    )
    return made


def newest(names: list[str], version: str) -> str | None:
    """The package with the newest image of a version: 6.1 is 6.1.0-56, not 6.12."""
    pattern = re.compile(rf"linux-image-{re.escape(version)}(?![0-9])[^a-z]*(\+?deb\d+)?(-\d+)?-amd64")
    fitting = [name for name in names if pattern.fullmatch(name)]
    return max(fitting, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], default=None)


def fetch(version: str, below: Path) -> Path:
    """Download and unpack the newest kernel of a version, unless it is there. Raises GuestError."""
    if tools := [tool for tool in ("apt-cache", "apt-get", "dpkg") if not shutil.which(tool)]:
        raise guest.GuestError(f"--apt needs {', '.join(tools)}")
    command = ["apt-cache", "search", "--names-only", "^linux-image-[0-9].*-amd64$"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    package = newest([line.split(" ")[0] for line in listing.splitlines()], version)
    if package is None:
        raise guest.GuestError(f"apt knows no linux-image-{version}*-amd64 (is its release in the sources?)")
    folder = below / package.removeprefix("linux-image-")
    if not folder.exists():
        below.mkdir(parents=True, exist_ok=True)
        print(f"downloading {package}", flush=True)
        subprocess.run(["apt-get", "download", "-qq", package], cwd=below, check=True)
        (archive,) = below.glob(f"{package}_*.deb")
        partly = folder.with_name(folder.name + ".partly")
        shutil.rmtree(partly, ignore_errors=True)
        subprocess.run(["dpkg", "-x", str(archive), str(partly)], check=True)
        partly.rename(folder)
        archive.unlink()
    return folder


def program() -> Path:
    """mecn-host as `make host` builds it. Raises GuestError."""
    named = os.environ.get("MECN_HOST")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "hosts/bpf/target"))
    path = Path(named) if named else target / "release" / "mecn-host"
    if not path.is_file():
        raise guest.GuestError(f"{path} is not there: `make host` builds it, or name it in MECN_HOST")
    return path.resolve()


def command(run: str | None, pytest_arguments: list[str]) -> list[str]:
    """What is run inside. Raises GuestError."""
    built = program()
    paths = os.pathsep.join([str(built.parent), str(Path(sys.executable).parent), "$PATH"])
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "--color=no"]
    told = run or shlex.join([*tests, *TESTS, *pytest_arguments])
    environment = f'export MECN_HOST="{built}" PATH="{paths}" COLUMNS=120'
    if path := os.environ.get("PYTHONPATH"):
        environment += f' PYTHONPATH="{path}"'
    return ["/bin/sh", "-c", f"{environment}\n{told}"]


def main() -> int:
    """Boot, run, report."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    wanted, pytest_arguments = parser().parse_args(arguments[:end]), arguments[end + 1 :]
    outcomes: dict[str, int] = {}
    try:
        if missing := guest.missing():
            raise guest.GuestError(
                f"not on PATH: {', '.join(missing)} (Debian: apt install qemu-system-x86 busybox-static kmod)"
            )
        inside = command(wanted.run, pytest_arguments)
        folders = [
            fetch(name, ROOT / "build" / "kernels") if wanted.apt else Path(name) for name in wanted.kernels
        ]
        kernels = [guest.find_kernel(folder.resolve()) for folder in folders]
        for kernel in kernels:
            print(f"=== {kernel.release} ({guest.accelerator()})", flush=True)
            with tempfile.TemporaryDirectory(prefix="mecn-kernel-") as exchange:
                outcomes[kernel.release] = guest.run(
                    kernel, inside, Path(exchange), wanted.memory, wanted.limit
                )
    except guest.GuestError as error:
        print(f"host-kernels: {error}", file=sys.stderr)
        return CANNOT_RUN
    for release, status in outcomes.items():
        print(f"{release}: {'passed' if status == 0 else f'exit status {status}'}")
    return 1 if any(outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
