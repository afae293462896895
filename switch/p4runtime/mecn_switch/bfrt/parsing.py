# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What parsers take from the control plane: value sets and port metadata."""

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


class PortMetadata(Kept):
    """$PORT_METADATA: what the ingress parser finds before the packets of a port, field after field from the
    first bit on; zeros without an entry."""

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        entry = self.kept.get(key)
        data = {} if entry is None else entry.data
        fields = self.table.data.values()
        bits = "".join(format(int(data.get(field.id, 0)), f"0{field.width or 1}b") for field in fields)
        size = (len(bits) + 7) // 8
        metadata = int(bits.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")
        self.switch.port_metadata_write(self.number(key), metadata)
