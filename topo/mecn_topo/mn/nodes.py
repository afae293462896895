# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""P4 switches for Mininet, and a network and command line from a plan; standard library and Mininet only.

In a Mininet script of your own (run by the system's Python, as root)::

    sys.path.insert(0, "topo/mecn_topo/mn")
    from nodes import MecnSwitch
    net.addSwitch("s1", cls=MecnSwitch, device_id=1, command=[".venv/bin/mecn-switch", "--no-p4", ...])

`mecn mininet` writes the plan and runs this file::

    /usr/bin/python3 nodes.py PLAN.json
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mininet.cli import CLI
from mininet.link import Link
from mininet.log import info, setLogLevel
from mininet.net import Mininet
from mininet.node import Host, Switch

START_S = 60.0


class P4Switch(Switch):  # type: ignore[misc]
    """A P4 switch in a process of its own, in the root namespace, behind P4Runtime on loopback.

    command: what starts it, without its interfaces. port_options: for each port the options that go with it.
    """

    def __init__(
        self,
        name: str,
        *,
        device_id: int,
        command: list[str],
        grpc_port: int,
        port_options: dict[int, list[str]] | None = None,
        log: str = "",
        **params: Any,  # noqa: ANN401 - Mininet's own
    ) -> None:
        super().__init__(name, **params)
        self.device_id, self.command, self.grpc_port = device_id, command, grpc_port
        self.port_options = port_options or {}
        self.log = log or os.devnull
        self.process: subprocess.Popen[bytes] | None = None

    def full_command(self) -> list[str]:
        """The command with the interfaces that Mininet has made; its own ports are numbered as the plan's."""
        command = list(self.command)
        for port, intf in sorted(self.intfs.items()):
            if port > 0:
                command += ["-i", f"{port}@{intf.name}", *self.port_options.get(port, [])]
        return command

    def start(self, _controllers: object) -> None:
        """Starts the process, and waits until it answers. Raises RuntimeError."""
        if self.answers():
            raise RuntimeError(f"switch {self.name}: port {self.grpc_port} is taken by another process")
        for port, intf in self.intfs.items():
            if port > 0:
                self.cmd(f"sysctl -q -w net.ipv6.conf.{intf.name}.disable_ipv6=1")
        with Path(self.log).open("wb") as output:
            self.process = subprocess.Popen(  # noqa: S603
                self.full_command(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = Path(self.log).read_text(errors="replace") if self.log != os.devnull else ""
                raise RuntimeError(f"switch {self.name} does not start: {said.strip() or 'no answer'}")
            time.sleep(0.05)

    def answers(self) -> bool:
        """Whether its P4Runtime server listens."""
        import socket

        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.grpc_port)) == 0

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803 - Mininet's name
        """Ends the process."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        super().stop(deleteIntfs)

    def queue_commands(self, port: int) -> tuple[list[str], str]:
        """Command that shows the state of a port's queue, and its input."""
        raise NotImplementedError


class MecnSwitch(P4Switch):
    """The embedded switch, `mecn-switch`."""

    def __init__(self, name: str, *, ctl_socket: str = "", **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.ctl_socket = ctl_socket

    def queue_commands(self, port: int) -> tuple[list[str], str]:
        """`mecn-switch ctl stats`; the port's line is chosen by the caller."""
        del port
        return [self.command[0], "ctl", "--ctl-socket", self.ctl_socket, "stats"], ""


class Bmv2Switch(P4Switch):
    """`simple_switch_grpc`."""

    def __init__(self, name: str, *, thrift_port: int, **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.thrift_port = thrift_port

    def full_command(self) -> list[str]:
        """Its target's own options stand after `--`."""
        return [*super().full_command(), "--", "--grpc-server-addr", f"127.0.0.1:{self.grpc_port}"]

    def queue_commands(self, port: int) -> tuple[list[str], str]:
        """The depth that the program keeps in a register; BMv2 has no command for a queue's state."""
        return (
            ["simple_switch_CLI", "--thrift-port", str(self.thrift_port)],
            f"register_read arrival_qdepth {8 * port}\n",
        )


CLASSES = {"embedded": MecnSwitch, "bmv2": Bmv2Switch}


class P4Cli(CLI):  # type: ignore[misc]
    """Mininet's command line, with profiles and queues."""

    prompt = "mecn> "

    def __init__(self, net: Mininet, plan: dict[str, Any], **options: Any) -> None:  # noqa: ANN401
        self.plan = plan
        super().__init__(net, **options)

    def _port(self, switch: str, towards: str) -> int | None:
        for row in self.plan["ports"]:
            if row["switch"] == switch and towards in (row["neighbour"], str(row["port"])):
                return int(row["port"])
        info(f"*** there is no port of {switch} towards {towards}; see ports\n")
        return None

    def do_ports(self, _line: str) -> None:
        """ports: the switches' ports, and what is behind them."""
        for row in self.plan["ports"]:
            info(f"{row['switch']} port {row['port']} towards {row['neighbour']}: {row['text']}\n")

    def do_profile(self, line: str) -> None:
        """profile SWITCH TOWARDS FILE.yaml: put the queue towards a neighbour under a profile."""
        words = shlex.split(line)
        if len(words) != 3 or words[0] not in self.mn:
            info("usage: profile SWITCH TOWARDS FILE.yaml\n")
            return
        port = self._port(words[0], words[1])
        if port is not None:
            switch = self.mn[words[0]]
            where = ["--address", f"127.0.0.1:{switch.grpc_port}", "--device-id", str(switch.device_id)]
            self._call([self.plan["mecn"], "apply", words[2], "--port", str(port), *where])

    def do_queue(self, line: str) -> None:
        """queue SWITCH TOWARDS: depth and counts of a queue, its policy, and its marks by level."""
        words = shlex.split(line)
        if len(words) != 2 or words[0] not in self.mn:
            info("usage: queue SWITCH TOWARDS\n")
            return
        port = self._port(words[0], words[1])
        if port is None:
            return
        switch = self.mn[words[0]]
        command, text = switch.queue_commands(port)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603
        for row in done.stdout.splitlines():
            if not row.startswith('{"port": ') or row.startswith(f'{{"port": {port},'):
                info(f"{row}\n")
        info(done.stderr)
        where = ["--address", f"127.0.0.1:{switch.grpc_port}", "--device-id", str(switch.device_id)]
        self._call([self.plan["mecn"], "show", "--port", str(port), *where])

    def _call(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        info(done.stdout + done.stderr)


def build(plan: dict[str, Any]) -> Mininet:
    """The network of a plan, not started yet."""
    net = Mininet(topo=None, build=False, controller=None, link=Link, autoSetMacs=False)
    for of in plan["switches"]:
        settings = {**of["settings"], "log": of["log"]}
        settings["port_options"] = {int(port): text for port, text in of["port_options"].items()}
        net.addSwitch(of["name"], cls=CLASSES[plan["target"]], inNamespace=False, **settings)
    for of in plan["hosts"]:
        net.addHost(of["name"], cls=Host, ip=of["address"], mac=of["mac"])
    for of in plan["links"]:
        ports = {f"port{i}": port for i, port in ((1, of["port_a"]), (2, of["port_b"])) if port is not None}
        net.addLink(net[of["a"]], net[of["b"]], cls=Link, **ports)
    net.build()
    return net


def set_up(net: Mininet, plan: dict[str, Any]) -> None:
    """Addresses, routes and TCP of the hosts. Raises RuntimeError if a command fails."""
    for of in plan["hosts"]:
        host = net[of["name"]]
        for command in of["commands"]:
            output, errors, status = host.pexec(
                *[word.replace("{if}", host.defaultIntf().name) for word in command]
            )
            if status != 0:
                raise RuntimeError(f"{of['name']}: {' '.join(command)}: {(errors or output).strip()}")
    for command in plan["commands"]:
        words = [
            word.format(**{f"pid_{of['name']}": net[of["name"]].pid for of in plan["hosts"]})
            for word in command
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")


def main() -> int:
    """Builds, starts, configures, gives the command line, stops."""
    plan = json.loads(Path(sys.argv[1]).read_text())

    def interrupted(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    setLogLevel("info")
    net = None
    try:
        net = build(plan)
        net.start()
        set_up(net, plan)
        if plan["script"]:
            P4Cli(net, plan, script=plan["script"])
        else:
            P4Cli(net, plan)
    except RuntimeError as error:
        print(f"mecn mininet: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mecn mininet: interrupted", file=sys.stderr)
        return 130
    finally:
        if net is not None:
            for command in plan["undo"]:
                words = [
                    word.format(**{f"pid_{of['name']}": net[of["name"]].pid for of in plan["hosts"]})
                    for word in command
                ]
                subprocess.run(words, capture_output=True, check=False)  # noqa: S603
            net.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
