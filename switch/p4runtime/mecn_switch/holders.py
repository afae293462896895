# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which clients may name which role, by their certificates.

P4Runtime takes a role's name on trust, and whoever knows the primary's election id writes in its name
(section 5.3). With names bound to certificates, roles separate clients that do not trust each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import grpc
from finsy.proto import rpc_code

from .status import StatusError

_NAMES = ("x509_common_name", "x509_subject_alternative_name")


@dataclass(frozen=True)
class RoleHolders:
    """Names in certificates, by role; without any, every client may name every role."""

    certificates: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def parse(cls, assignments: Iterable[tuple[str, str]]) -> Self:
        """From pairs of role and certificate's name; a role may have several."""
        found: dict[str, frozenset[str]] = {}
        for role, name in assignments:
            found[role] = found.get(role, frozenset()) | {name}
        return cls(found)

    def check(self, context: grpc.ServicerContext, role: str) -> None:
        """Raises PERMISSION_DENIED if the client's certificate does not allow it to name the role."""
        if not self.certificates:
            return
        # grpc-stubs have the values as bytes; they are sequences of them.
        shown: Mapping[str, Sequence[bytes]] = context.auth_context()  # type: ignore[assignment]
        names = {name.decode("utf-8", "replace") for kind in _NAMES for name in shown.get(kind, ())}
        if not names & self.certificates.get(role, frozenset()):
            what = f"role {role!r}" if role else "the default role"
            raise StatusError(rpc_code.PERMISSION_DENIED, f"this client's certificate does not allow {what}")
