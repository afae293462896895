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

import contextlib
import importlib.util
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mininet.cli import CLI
from mininet.link import Link
from mininet.log import info, setLogLevel
from mininet.net import Mininet
from mininet.node import Host, Switch

START_S = 60.0
PAGE_S = 60.0
WITH_PARENT = ["setpriv", "--pdeathsig", "TERM"]
"""util-linux: the command that follows ends when its parent does, even if that is killed."""


def listens(port: int) -> bool:
    """Whether somebody listens on a TCP port of the loopback interface."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def ask(command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command on some input, whatever its exit status."""
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603


class Process(Switch):  # type: ignore[misc]
    """A node that is a process in the root namespace. command: what starts it."""

    def __init__(self, name: str, *, command: list[str], log: str = "", **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.command = command
        self.log = log or os.devnull
        self.process: subprocess.Popen[bytes] | None = None

    def full_command(self) -> list[str]:
        """The command with what is known only when Mininet has made the interfaces."""
        return self.command

    def start(self, _controllers: object) -> None:
        """Starts the process, and waits until it answers. Raises RuntimeError."""
        if self.answers():
            raise RuntimeError(f"{self.name}: where it would serve, another process does")
        for port, intf in self.intfs.items():
            if port > 0:
                self.cmd(f"sysctl -q -w net.ipv6.conf.{intf.name}.disable_ipv6=1")
        with Path(self.log).open("wb") as output:
            self.process = subprocess.Popen(  # noqa: S603
                [*WITH_PARENT, *self.full_command()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = Path(self.log).read_text(errors="replace") if self.log != os.devnull else ""
                raise RuntimeError(f"{self.name} does not start: {said.strip() or 'no answer'}")
            time.sleep(0.05)

    def answers(self) -> bool:
        """Whether it serves."""
        raise NotImplementedError

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803 - Mininet's name
        """Ends the process, and Mininet's part of the node."""
        self.end()
        super().stop(deleteIntfs)

    def end(self) -> None:
        """Ends the process."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Wires(Process):
    """`mecn-switch wires`: rates and delays of links, as a node between the ends of each."""

    def __init__(self, name: str, *, ctl_socket: str, **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.ctl_socket = ctl_socket

    def answers(self) -> bool:
        """Whether its control socket is there."""
        return Path(self.ctl_socket).exists()


class P4Switch(Process):
    """A P4 switch in a process of its own, in the root namespace, behind P4Runtime on loopback.

    command: what starts it, without its interfaces. port_options: for each port the options that go with it.
    """

    def __init__(
        self,
        name: str,
        *,
        device_id: int,
        grpc_port: int,
        port_options: dict[int, list[str]] | None = None,
        **params: Any,  # noqa: ANN401 - Mininet's own
    ) -> None:
        super().__init__(name, **params)
        self.device_id, self.grpc_port = device_id, grpc_port
        self.port_options = port_options or {}

    def full_command(self) -> list[str]:
        """The command with the interfaces that Mininet has made; its own ports are numbered as the plan's."""
        command = list(self.command)
        for port, intf in sorted(self.intfs.items()):
            if port > 0:
                command += ["-i", f"{port}@{intf.name}", *self.port_options.get(port, [])]
        return command

    def answers(self) -> bool:
        """Whether its P4Runtime server listens."""
        return listens(self.grpc_port)

    def queue_state(self, port: int) -> str:
        """The state of a port's queue, or why it cannot be read."""
        raise NotImplementedError


class MecnSwitch(P4Switch):
    """The embedded switch, `mecn-switch`."""

    def __init__(self, name: str, *, ctl_socket: str = "", **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.ctl_socket = ctl_socket

    def queue_state(self, port: int) -> str:
        """The port's line of `mecn-switch ctl stats`: depth, counts, and settings."""
        done = ask([self.command[0], "ctl", "--ctl-socket", self.ctl_socket, "stats"])
        rows = [row for row in done.stdout.splitlines() if row.startswith(f'{{"port": {port},')]
        return "\n".join(rows) or done.stderr.strip() or f"no port {port}"


class Bmv2Switch(P4Switch):
    """`simple_switch_grpc`."""

    def __init__(self, name: str, *, thrift_port: int, **params: Any) -> None:  # noqa: ANN401
        super().__init__(name, **params)
        self.thrift_port = thrift_port

    def start(self, controllers: object) -> None:
        """With offloads on it would receive into 32 slots, and lose what does not fit (docs/targets.md)."""
        for port, intf in self.intfs.items():
            if port > 0:
                of_lab("offloads").switch_off(intf.name)
        super().start(controllers)

    def full_command(self) -> list[str]:
        """Its target's own options stand after `--`."""
        return [*super().full_command(), "--", "--grpc-server-addr", f"127.0.0.1:{self.grpc_port}"]

    def answers(self) -> bool:
        """Whether it serves P4Runtime and, a moment later, Thrift, by which its queues are set."""
        return super().answers() and listens(self.thrift_port)

    def queue_state(self, port: int) -> str:
        """The depth that the program keeps in a register; BMv2 has no command for a queue's state."""
        done = ask(
            ["simple_switch_CLI", "--thrift-port", str(self.thrift_port)],
            f"register_read arrival_qdepth {8 * port}\n",
        )
        _, found, depth = done.stdout.partition("]= ")
        if not found:
            return (done.stderr or done.stdout).strip()
        return f"depth {depth.split()[0]} packets, by the program's register"


CLASSES = {"embedded": MecnSwitch, "bmv2": Bmv2Switch, "wires": Wires}


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
        """ports: where the switches serve P4Runtime, their ports, and what is behind them."""
        for of in self.plan["switches"]:
            if number := of["settings"].get("grpc_port"):
                where = f"--address 127.0.0.1:{number} --device-id {of['settings']['device_id']}"
                info(f"{of['name']}: {where}\n")
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
        info(f"{switch.queue_state(port)}\n")
        where = ["--address", f"127.0.0.1:{switch.grpc_port}", "--device-id", str(switch.device_id)]
        self._call([self.plan["mecn"], "show", "--port", str(port), *where])

    def _call(self, command: list[str]) -> None:
        done = ask(command)
        info(done.stdout + done.stderr)


class Ended(BaseException):
    """A signal has asked for the end. Mininet's command line goes on after a KeyboardInterrupt."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


def of_lab(name: str) -> ModuleType:
    """A module of mecn_topo.lab of the standard library only, while the package around it is not."""
    path = Path(__file__).resolve().parents[1] / "lab" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Network:
    """The network of a plan: up inside `with`, gone afterwards, also when this process is killed.

    What it makes is noted like a lab's: a watchdog, `mecn lab down` or the next network removes it.
    """

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.net = Mininet(topo=None, build=False, controller=None, link=Link, autoSetMacs=False)

    def __enter__(self) -> Mininet:
        registry = of_lab("registry")
        registry.remove_leftovers()
        interfaces = self.plan["interfaces"]
        # Not /sys/class/net, which may be that of another network namespace.
        if taken := [name for _, name in socket.if_nameindex() if name in interfaces]:
            raise RuntimeError(f"{', '.join(taken)} exist: another network runs, or `mn -c` removes its rest")
        self.record = registry.Record.create(self.plan["name"], self.plan["title"])
        self.watchdog = registry.Watchdog(self.record)
        try:
            self.record.will_make_folder(self.plan["folder"])
            for name in interfaces:
                remove = f"ip link show dev {name} >/dev/null 2>&1 || exit 0; ip link del {name}"
                self.record.will_need(["sh", "-c", remove])
            self._build()
            self.net.start()
            self._set_up()
        except BaseException:
            self.__exit__()
            raise
        return self.net

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        try:
            self.net.stop()
        except Exception:  # noqa: BLE001 - of Mininet, where a command still runs in a node
            self._stop_at_once()
        problems = self.record.remove()
        self.watchdog.release()
        if problems:
            raise RuntimeError("the network could not be taken down whole: " + "; ".join(problems))

    def _stop_at_once(self) -> None:
        for switch in self.net.switches:
            switch.end()
        for node in [*self.net.hosts, *self.net.switches]:
            if node.shell is not None and node.shell.poll() is None:
                os.killpg(node.shell.pid, signal.SIGHUP)

    def _build(self) -> None:
        plan, net = self.plan, self.net
        for of in plan["switches"]:
            settings = {**of["settings"], "log": of["log"]}
            if of["port_options"]:
                settings["port_options"] = {int(port): text for port, text in of["port_options"].items()}
            net.addSwitch(of["name"], cls=CLASSES[of["class"]], inNamespace=False, **settings)
        for of in plan["hosts"]:
            net.addHost(of["name"], cls=Host, ip=of["address"], mac=of["mac"])
        for of in plan["hosts"]:
            # Named, so that others find it, and that it is there until it has been taken down in order.
            self.record.will_make_namespace(of["netns"])
            run(["ip", "netns", "attach", of["netns"], str(net[of["name"]].pid)])
        for of in plan["links"]:
            ends = {"port1": of["port_a"], "port2": of["port_b"]}
            ports = {end: port for end, port in ends.items() if port is not None}
            net.addLink(net[of["a"]], net[of["b"]], cls=Link, **ports)
        net.build()

    def _set_up(self) -> None:
        """Addresses, routes and TCP of the hosts; then all that is not of Mininet."""
        for of in self.plan["hosts"]:
            host = self.net[of["name"]]
            for command in of["commands"]:
                words = [word.replace("{if}", host.defaultIntf().name) for word in command]
                output, errors, status = host.pexec(*words)
                if status != 0:
                    said = (errors or output).strip()
                    raise RuntimeError(f"{of['name']}: {' '.join(words)}: {said}")
        for command in self.plan["undo"]:
            self.record.will_need(command)
        for command in self.plan["commands"]:
            run(command)


def run(command: list[str]) -> None:
    """Runs a command in the root namespace. Raises RuntimeError if it fails."""
    done = ask(command)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


@contextlib.contextmanager
def page_of(plan: dict[str, Any]) -> Iterator[None]:
    """The live page, if it is wanted; it ends with this process."""
    if not plan["page"]:
        yield
        return
    log = Path(plan["folder"], "page.log")
    with log.open("wb") as output:
        # In a session of its own: at the prompt Ctrl-C is for what a node runs.
        process = subprocess.Popen(  # noqa: S603
            [*WITH_PARENT, *plan["page"]],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + PAGE_S
        while '"primary"' not in log.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the page does not start: {log.read_text().strip() or 'no answer'}")
            time.sleep(0.1)
        urls = [json.loads(line).get("url") for line in log.read_text().splitlines()]
        print(f"*** The live page: {next(filter(None, urls))}", flush=True)
        yield
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Builds, starts, configures, gives the command line, stops."""
    plan = json.loads(Path(sys.argv[1]).read_text())

    def ended(number: int, _frame: object) -> None:
        raise Ended(number)

    # At the prompt Ctrl-C ends what a node runs, and not the network.
    numbers = [signal.SIGTERM, signal.SIGHUP]
    if plan["script"] and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        numbers.append(signal.SIGINT)
    for number in numbers:
        signal.signal(number, ended)
    setLogLevel("info")
    # After the system's own, for `mecn-host` and the others in the hosts.
    os.environ["PATH"] = ":".join([os.environ["PATH"], *plan["path"]])
    try:
        with Network(plan) as net, page_of(plan):
            if plan["script"]:
                P4Cli(net, plan, script=plan["script"])
            else:
                P4Cli(net, plan)
    except (KeyboardInterrupt, Ended) as end:
        print("mecn mininet: interrupted; the network was taken down", file=sys.stderr)
        return end.status if isinstance(end, Ended) else 130
    except Exception as error:  # noqa: BLE001 - Mininet raises Exception itself
        print(f"mecn mininet: {error or type(error).__name__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
