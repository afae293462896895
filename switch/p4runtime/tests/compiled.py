# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Pipeline configs from the P4 programs beside the tests."""

from functools import cache
from pathlib import Path

import mecn_native
from finsy.proto import p4i, p4r
from google.protobuf import text_format

PROGRAMS = Path(__file__).parent / "programs"


@cache
def compiled(name: str, **defines: int) -> p4r.ForwardingPipelineConfig:
    """The config of `programs/<name>.p4`, compiled."""
    result = mecn_native.compile_p4(
        PROGRAMS / f"{name}.p4", defines={key: str(value) for key, value in defines.items()}
    )
    return p4r.ForwardingPipelineConfig(
        p4info=text_format.Parse(result.p4info, p4i.P4Info()), p4_device_config=result.bmv2_json.encode()
    )
