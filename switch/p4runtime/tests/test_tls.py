# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""TLS and mutual TLS, with certificates made for the test."""

import shutil
import subprocess
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r
from mecn_switch import P4RuntimeServer, Tls
from mecn_switch.holders import RoleHolders
from mecn_switch.listener import AddressError

from . import program
from .client import Client

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="makes certificates with openssl, which is not installed"
)


def _openssl(*arguments: str, cwd: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ca.pem signs server.pem and client.pem; stranger.pem signs itself."""
    folder = tmp_path_factory.mktemp("keys")
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "stranger"):
        _openssl(
            *new, "-x509", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
            "-out", f"{name}.pem", cwd=folder,
        )  # fmt: skip
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        _openssl(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr", cwd=folder)
        _openssl(
            "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", f"{name}.pem", cwd=folder,
        )  # fmt: skip
    return folder


def tls(keys: Path, *, client_auth: bool = False) -> Tls:
    return Tls.from_files(keys / "server.pem", keys / "server.key", keys / "ca.pem", client_auth=client_auth)


def credentials(keys: Path, name: str | None = None) -> grpc.ChannelCredentials:
    if name is None:
        return grpc.ssl_channel_credentials((keys / "ca.pem").read_bytes())
    return grpc.ssl_channel_credentials(
        (keys / "ca.pem").read_bytes(),
        (keys / f"{name}.key").read_bytes(),
        (keys / f"{name}.pem").read_bytes(),
    )


def capabilities(address: str, channel: grpc.ChannelCredentials | None) -> str:
    client = Client(address, credentials=channel)
    try:
        return client.stub.Capabilities(p4r.CapabilitiesRequest(), timeout=5).p4runtime_api_version
    finally:
        client.channel.close()


def test_tls(keys: Path) -> None:
    with P4RuntimeServer(address="127.0.0.1:0", tls=tls(keys)) as server:
        with Client(server.address, credentials=credentials(keys)) as client:
            client.set_config(program.config())
        with pytest.raises(grpc.RpcError) as caught:
            capabilities(server.address, None)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_mutual_tls(keys: Path) -> None:
    with P4RuntimeServer(address="127.0.0.1:0", tls=tls(keys, client_auth=True)) as server:
        assert capabilities(server.address, credentials(keys, "client")) == "1.5.0"
        for name in (None, "stranger"):
            with pytest.raises(grpc.RpcError) as caught:
                capabilities(server.address, credentials(keys, name))
            assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_roles_belong_to_certificates(keys: Path) -> None:
    """`client` is the name of the client's certificate."""
    mutual = tls(keys, client_auth=True)

    def tried(holders: RoleHolders, role: str = "") -> grpc.StatusCode | None:
        named = p4r.Role(name=role) if role else None
        with P4RuntimeServer(address="127.0.0.1:0", tls=mutual, holders=holders) as server:
            try:
                with Client(server.address, credentials=credentials(keys, "client"), role=named) as client:
                    client.set_config(program.config())
            except grpc.RpcError as error:
                return error.code()
        return None

    assert tried(RoleHolders.parse([("", "client")])) is None
    assert tried(RoleHolders.parse([("", "other"), ("", "client"), ("x", "other")])) is None
    assert tried(RoleHolders.parse([("x", "client")]), "x") is None
    for refused in ([("", "other")], [("x", "client")]):
        assert tried(RoleHolders.parse(refused)) == grpc.StatusCode.PERMISSION_DENIED


def test_requests_in_a_role_need_its_certificate(keys: Path) -> None:
    """Also without a stream: an election id is no secret."""
    mutual = tls(keys, client_auth=True)
    holders = RoleHolders.parse([("", "somebody else")])
    with P4RuntimeServer(address="127.0.0.1:0", tls=mutual, holders=holders) as server:
        stub = Client(server.address, credentials=credentials(keys, "client")).stub
        identity = p4r.Uint128(low=1)
        for call in (
            lambda: stub.Write(p4r.WriteRequest(device_id=1, election_id=identity), timeout=5),
            lambda: list(stub.Read(p4r.ReadRequest(device_id=1), timeout=5)),
            lambda: stub.SetForwardingPipelineConfig(
                p4r.SetForwardingPipelineConfigRequest(device_id=1, election_id=identity), timeout=5
            ),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                call()
            assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED


def test_other_interfaces_need_mutual_tls(keys: Path) -> None:
    with pytest.raises(ValueError, match="needs TLS and client authentication"):
        P4RuntimeServer(address="0.0.0.0:0", tls=tls(keys))
    with P4RuntimeServer(address="0.0.0.0:0", tls=tls(keys, client_auth=True)) as server:
        assert capabilities(f"127.0.0.1:{server.port}", credentials(keys, "client")) == "1.5.0"


def test_client_auth_needs_an_authority(keys: Path) -> None:
    with pytest.raises(ValueError, match="the authority that signs clients"):
        Tls.from_files(keys / "server.pem", keys / "server.key", client_auth=True)


def test_damaged_key() -> None:
    broken = Tls(certificate=b"no certificate", key=b"no key")
    with pytest.raises(AddressError, match="are certificate and key good"):
        P4RuntimeServer(address="127.0.0.1:0", tls=broken).start()
