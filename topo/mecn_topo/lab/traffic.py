# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A bulk TCP sender and its receiver on plain sockets, for machines without iperf3. Standard library only.

python traffic.py receive ADDRESS PORT                          until it is ended
python traffic.py send ADDRESS PORT LOCAL_PORT BEGIN SECONDS    BEGIN: by the monotonic clock
"""

from __future__ import annotations

import socket
import sys
import time


def receive(address: str, port: int) -> None:
    """Takes connections one after the other and throws away what they bring."""
    with socket.create_server((address, port)) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                while connection.recv(1 << 16):
                    pass


def send(address: str, port: int, local_port: int, begin: float, seconds: float) -> None:
    """Sends from `begin` on, for so long."""
    time.sleep(max(0.0, begin - time.monotonic()))
    data = bytes(1 << 14)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.bind(("", local_port))
        connection.settimeout(30)
        connection.connect((address, port))
        end = begin + seconds
        while (rest := end - time.monotonic()) > 0:
            connection.settimeout(rest)
            try:
                connection.send(data)
            except TimeoutError:
                break
        # What is left in the buffer is not waited for.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(sys.argv[2], int(sys.argv[3]))
    else:
        send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6]))
