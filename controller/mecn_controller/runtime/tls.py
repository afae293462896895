# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""TLS: which files, and which addresses may go without."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from pathlib import Path

    import grpc
    from finsy.grpcutil import GRPCCredentialsTLS


def host_of(address: str) -> str:
    """The host of HOST:PORT, without the brackets of an IPv6 address."""
    return address.rpartition(":")[0].removeprefix("[").removesuffix("]")


def is_loopback(host: str) -> bool:
    """Whether a host (name or IP address) is surely this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen_address(address: str) -> tuple[str, int]:
    """HOST:PORT as a pair; ValueError if it is none, or the host is neither an IP address nor localhost."""
    host, port = host_of(address), address.rpartition(":")[2]
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{address!r} is not an address: give HOST:PORT, such as 127.0.0.1:8080")
    if host != "localhost":
        try:
            ipaddress.ip_address(host)
        except ValueError:
            raise ValueError(f"{host!r} is neither an IP address nor localhost") from None
    return host, int(port)


def read_file(path: Path) -> bytes:
    """A certificate or key; the error names the file and says nothing of its contents."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ControllerError(f"{path}: cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class TlsFiles:
    """PEM files of one end of a connection."""

    ca: Path | None = None
    """Who may have signed the other end's certificate; None: the system's authorities."""
    certificate: Path | None = None
    """This end's, for mutual TLS."""
    key: Path | None = None

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ControllerError("a certificate and its key belong together: give both, or neither")

    def credentials(self) -> GRPCCredentialsTLS:
        """For a gRPC client; ControllerError if a file cannot be read."""
        from finsy.grpcutil import GRPCCredentialsTLS

        ca, certificate, key = (
            None if path is None else read_file(path) for path in (self.ca, self.certificate, self.key)
        )
        return GRPCCredentialsTLS(cacert=ca, cert=certificate, private_key=key)

    def channel_credentials(self) -> grpc.ChannelCredentials:
        """For a gRPC channel of one's own; ControllerError if a file cannot be read."""
        import grpc

        ca, certificate, key = (
            None if path is None else read_file(path) for path in (self.ca, self.certificate, self.key)
        )
        return grpc.ssl_channel_credentials(ca, key, certificate)

    def client_context(self) -> ssl.SSLContext:
        """For an HTTP client; ControllerError if a file cannot be used."""
        return self._loaded(ssl.create_default_context(ssl.Purpose.SERVER_AUTH))

    def server_context(self) -> ssl.SSLContext:
        """For an HTTP server; with `ca`, clients must show a certificate that it has signed."""
        context = self._loaded(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _loaded(self, context: ssl.SSLContext) -> ssl.SSLContext:
        for path in (self.ca, self.certificate, self.key):
            if path is not None:
                read_file(path)
        try:
            if self.ca is not None:
                context.load_verify_locations(cafile=self.ca)
            if self.certificate is not None:
                # An encrypted key fails instead of asking for its password on a terminal.
                context.load_cert_chain(self.certificate, self.key, password=b"")
        except (ssl.SSLError, OSError) as error:
            which = " or ".join(str(path) for path in (self.ca, self.certificate, self.key) if path)
            reason = getattr(error, "reason", None) or error.strerror or "unusable"
            raise ControllerError(f"{which}: not usable for TLS: {reason}") from None
        return context
