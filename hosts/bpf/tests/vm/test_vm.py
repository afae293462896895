# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What the virtual machines are made of; none is started here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from . import guest, kernels


def test_modules_are_loaded_after_what_they_need() -> None:
    """modules.dep names what a module needs, the first to load last; built-in modules are not loaded."""
    dependencies = (
        "kernel/net/9p/9pnet.ko.xz: kernel/fs/netfs/netfs.ko.xz\n"
        "kernel/net/9p/9pnet_virtio.ko.xz: kernel/net/9p/9pnet.ko.xz kernel/fs/netfs/netfs.ko.xz\n"
        "kernel/fs/9p/9p.ko.xz: kernel/net/9p/9pnet.ko.xz kernel/fs/netfs/netfs.ko.xz\n"
        "kernel/fs/netfs/netfs.ko.xz:\n"
    )
    order = guest.load_order(
        dependencies, "kernel/drivers/virtio/virtio-pci.ko\n", ("virtio_pci", "9pnet_virtio", "9p")
    )
    assert [guest.module_name(path) for path in order] == ["netfs", "9pnet", "9pnet_virtio", "9p"]
    with pytest.raises(guest.GuestError, match="no module overlay"):
        guest.load_order(dependencies, "", ("overlay",))


@pytest.mark.skipif(not shutil.which("cpio"), reason="cpio, which would read the archive, is not on PATH")
def test_cpio_reads_the_archive() -> None:
    """Names, modes and contents, whatever the padding."""
    archive = b"".join(
        [
            guest.cpio_entry("init", 0o100755, b"#!/bin/sh\n", 1),
            guest.cpio_entry("folder", 0o40755, number=2),
            guest.cpio_entry("folder/odd", 0o100644, b"12345", 3),
            guest.cpio_entry("TRAILER!!!", 0),
        ]
    )
    listing = subprocess.run(["cpio", "-itv", "--quiet"], input=archive, capture_output=True, check=True)
    lines = [line.split() for line in listing.stdout.decode().splitlines()]
    assert [(line[0], line[4], line[-1]) for line in lines] == [
        ("-rwxr-xr-x", "10", "init"),
        ("drwxr-xr-x", "0", "folder"),
        ("-rw-r--r--", "5", "folder/odd"),
    ]


def test_a_package_is_looked_into(tmp_path: Path) -> None:
    """Image and modules of one release, or what is missing."""
    with pytest.raises(guest.GuestError, match="0 found"):
        guest.find_kernel(tmp_path)
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1.0-1-amd64").touch()
    with pytest.raises(guest.GuestError, match=r"no modules in lib/modules/6\.1\.0-1-amd64"):
        guest.find_kernel(tmp_path)
    (tmp_path / "usr/lib/modules/6.1.0-1-amd64").mkdir(parents=True)
    assert guest.find_kernel(tmp_path).release == "6.1.0-1-amd64"


def test_the_newest_package_of_a_version() -> None:
    """6.1 is not 6.12; the cloud, real-time and unsigned flavours are others."""
    names = [
        "linux-image-6.1.0-9-amd64",
        "linux-image-6.1.0-56-amd64",
        "linux-image-6.1.0-57-cloud-amd64",
        "linux-image-6.1.0-58-rt-amd64",
        "linux-image-6.12.9+deb12-amd64",
        "linux-image-6.12.117+deb12-amd64",
        "linux-image-6.12.117+deb12-cloud-amd64",
        "linux-image-6.12-amd64",
        "linux-image-6.12.200+deb12-amd64-unsigned",
    ]
    assert kernels.newest(names, "6.1") == "linux-image-6.1.0-56-amd64"
    assert kernels.newest(names, "6.12") == "linux-image-6.12.117+deb12-amd64"
    assert kernels.newest(names, "6.8") is None


def test_says_what_is_missing(tmp_path: Path) -> None:
    """Without qemu: exit status 2 and the packages."""
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(
        [sys.executable, "-m", "hosts.bpf.tests.vm.kernels", str(tmp_path)],
        cwd=root, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "qemu-system-x86_64" in done.stderr
    assert "apt install" in done.stderr
