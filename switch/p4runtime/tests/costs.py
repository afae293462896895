# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What an input costs: compiled and loaded in a child process, its processor time and peak memory measured.

Processor time, not the clock: other processes may be busy.
"""

import subprocess
import sys
from dataclasses import dataclass
from typing import Literal

CHILD = """
import resource, sys, mecn_native
from pathlib import Path
kind = sys.argv[1]
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
text = sys.stdin.buffer.read()
if kind == "p4info":
    from google.protobuf import text_format
    from mecn_switch import P4RuntimeServer
    from tests import program
    p4info = text.decode() + text_format.MessageToString(program.p4info())
def load():
    if kind == "p4info":
        return P4RuntimeServer(address="127.0.0.1:0").load(p4info, program.config().p4_device_config)
    if kind == "p4":
        Path(sys.argv[2], "x.p4").write_bytes(text)
        return mecn_native.Switch.from_json(mecn_native.compile_p4(sys.argv[2] + "/x.p4").bmv2_json.encode())
    return mecn_native.Switch.from_json(text, execution="compiled")
before = resource.getrusage(resource.RUSAGE_SELF)
try:
    load()
    print("loaded")
except Exception as error:
    print(str(getattr(error, "message", error))[:2000])
used = resource.getrusage(resource.RUSAGE_SELF)
# Not ru_maxrss, which begins with the memory of the process that forked.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")]
print(used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, peak)
"""


@dataclass(frozen=True)
class Cost:
    """Of one input."""

    said: str
    """`loaded`, or the error."""
    seconds: float
    """Of the processor."""
    kib: int
    """Memory at its peak, with what the interpreter takes."""


def cost(kind: Literal["json", "p4", "p4info"], text: str, folder: str = "") -> Cost:
    """Compile and load in a child that may take 4 GiB and 120 s; a child that dies is an error."""
    command = [sys.executable, "-c", CHILD, kind, folder]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-500:]}"
    *said, figures = done.stdout.splitlines()
    seconds, memory = figures.split()
    return Cost("\n".join(said), float(seconds), int(memory))
