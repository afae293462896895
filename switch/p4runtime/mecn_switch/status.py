# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Errors with a canonical code, and how they travel in gRPC (section 11, error reporting)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any as Untyped

import grpc
import mecn_native
from finsy.proto import p4r, rpc_code, rpc_status
from google.protobuf.any_pb2 import Any

from .budgets import DETAIL_BYTES, ERROR_TEXT

ERROR_SPACE = "mecn-switch"
"""`space` of every p4.v1.Error: who defines its `code`. Only canonical codes are used."""

_GRPC_CODES = {code.value[0]: code for code in grpc.StatusCode}


class StatusError(Exception):
    """A request, or a part of one, is refused: a canonical code and one sentence that says why."""

    def __init__(self, code: rpc_code.Code.ValueType, message: str) -> None:
        message = message if len(message) <= ERROR_TEXT else f"{message[: ERROR_TEXT - 3]}..."
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def grpc_code(self) -> grpc.StatusCode:
        """The same code as gRPC spells it."""
        return _GRPC_CODES[self.code]


def invalid_argument(message: str) -> StatusError:
    """The most common refusal: the request does not fit the P4Info."""
    return StatusError(rpc_code.INVALID_ARGUMENT, message)


@dataclass(frozen=True)
class BatchStatus(grpc.Status):
    """The status of a batch some of whose parts failed, for `ServicerContext.abort_with_status`."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


def batch_status(
    errors: Sequence[StatusError | None], kind: Callable[..., Untyped] = p4r.Error
) -> BatchStatus:
    """UNKNOWN, with one p4.v1.Error (or `kind`) for each part of the batch, in order; None is success.

    A client refuses metadata that is longer than it likes, and then learns nothing. Errors that do not fit
    are without texts, and for a batch of more than about a hundred parts there are none: the message says
    which part failed first.
    """
    status = rpc_status.Status(code=rpc_code.UNKNOWN, message=_summary(errors))
    for texts in (True, False):
        status.ClearField("details")
        for error in errors:
            status.details.append(_detail(kind, error, texts=texts))
        if status.ByteSize() <= DETAIL_BYTES:
            break
    else:
        status.ClearField("details")
    return BatchStatus(
        code=grpc.StatusCode.UNKNOWN,
        details=status.message,
        trailing_metadata=(("grpc-status-details-bin", status.SerializeToString()),),
    )


def _detail(kind: Callable[..., Untyped], error: StatusError | None, *, texts: bool) -> Any:
    detail = kind(canonical_code=rpc_code.OK)
    if error is not None:
        detail = kind(canonical_code=error.code)
        if texts:
            detail.message, detail.space = error.message, ERROR_SPACE
    packed = Any()
    packed.Pack(detail)
    return packed


def _summary(errors: Sequence[StatusError | None]) -> str:
    """The first failure, which is all that many clients show, and how many there are. What was only undone
    because of it is no failure of its own."""
    failed = [(number, error) for number, error in enumerate(errors, 1) if error is not None]
    causes = [(number, error) for number, error in failed if error.code != rpc_code.ABORTED]
    number, first = (causes or failed)[0]
    message = f"{rpc_code.Code.Name(first.code)}: {first.message}"
    if len(errors) == 1:
        return message
    return f"{message} (part {number}; {len(failed)} of {len(errors)} parts of the request failed)"


_ENGINE_CODES: tuple[tuple[type[mecn_native.ControlError], rpc_code.Code.ValueType], ...] = (
    (mecn_native.AlreadyExistsError, rpc_code.ALREADY_EXISTS),
    (mecn_native.NotFoundError, rpc_code.NOT_FOUND),
    (mecn_native.TableFullError, rpc_code.RESOURCE_EXHAUSTED),
    (mecn_native.ConstantError, rpc_code.PERMISSION_DENIED),
    (mecn_native.InUseError, rpc_code.FAILED_PRECONDITION),
    (mecn_native.OutOfRangeError, rpc_code.OUT_OF_RANGE),
)


def from_engine(what: str, error: mecn_native.ControlError) -> StatusError:
    """The engine's refusal of an operation on `what`."""
    for kind, code in _ENGINE_CODES:
        if isinstance(error, kind):
            return StatusError(code, f"{what}: {error}")
    return invalid_argument(f"{what}: {error}")
