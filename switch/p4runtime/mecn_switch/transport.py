# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Where the server listens and how connections are protected: loopback, TLS, mutual TLS."""

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import grpc


@dataclass(frozen=True)
class Tls:
    """Encrypts connections. All values are PEM, as `simple_switch_grpc` takes them in files."""

    certificate: bytes
    key: bytes
    ca_certificate: bytes | None = None
    """Who may have signed clients' certificates."""
    client_auth: bool = False
    """Whether clients must show a certificate signed by `ca_certificate` (mutual TLS)."""

    def __post_init__(self) -> None:
        if self.client_auth and self.ca_certificate is None:
            raise ValueError(
                "client authentication needs the certificate of the authority that signs clients"
            )

    @classmethod
    def from_files(
        cls, certificate: Path, key: Path, ca_certificate: Path | None = None, *, client_auth: bool = False
    ) -> Self:
        """Raises OSError if a file cannot be read."""
        return cls(
            certificate=certificate.read_bytes(),
            key=key.read_bytes(),
            ca_certificate=None if ca_certificate is None else ca_certificate.read_bytes(),
            client_auth=client_auth,
        )

    def credentials(self) -> grpc.ServerCredentials:
        """For gRPC, which checks the contents when the server starts to listen."""
        return grpc.ssl_server_credentials(
            [(self.key, self.certificate)],
            root_certificates=self.ca_certificate,
            require_client_auth=self.client_auth,
        )


def check_address(address: str, tls: Tls | None, *, allow_remote: bool = False) -> str | None:
    """The host of `host:port`; None for `unix:PATH`, a socket that only its user reaches.

    Raises ValueError if it is neither, or reaches further than is safe.
    """
    if address.startswith("unix:"):
        if not address.removeprefix("unix:").removeprefix("//"):
            raise ValueError(f"{address!r} names no file")
        return None
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{address!r} is not an address of the form host:port")
    if host == "localhost":
        return host
    try:
        ip = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        raise ValueError(f"{address!r}: {host!r} is neither an IP address nor localhost") from None
    if not (ip.is_loopback or allow_remote or (tls is not None and tls.client_auth)):
        raise ValueError(
            f"{address!r} is not on the loopback interface: that needs TLS and client authentication, "
            "or --allow-remote, with which anyone who reaches it can reprogram the switch"
        )
    return host
