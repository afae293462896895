# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Value sets of parsers."""

from mecn_native import MatchField

from .info import Table
from .model import Context, Kept, program_name
from .values import Key


class ValueSet(Kept):
    """Members of a value set. An entry has no data."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.name = program_name(table.name)

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        del key
        members = [[value for value in kept if not isinstance(value, str)] for kept in self.kept]
        self.switch.value_set_write(self.name, [list(map(_whole, m)) for m in members])


def _whole(value: MatchField) -> MatchField:
    """What matches anything, as the engine has it in value sets."""
    return MatchField.Ternary(0, 0) if isinstance(value, MatchField.Any) else value
