# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The P4 front end, the switch engine and the virtual network."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, Self, final

SIMULATOR_DIGEST: str
"""Digest of the sources of engine, network and hosts, and of their libraries: 16 hexadecimal digits."""

# ---- Errors ------------------------------------------------------------------------------------------------

class P4Error(Exception):
    """A P4 program has errors. The text is the rendered diagnostics: position, text, source line, caret."""

class LoadError(Exception):
    """A JSON is not BMv2's, contradicts itself, or needs what the engine does not support. One line."""

class ControlError(Exception):
    """A control-plane operation was refused; nothing was changed. One sentence."""

class AlreadyExistsError(ControlError):
    """An entry with this match key and priority exists."""

class NotFoundError(ControlError):
    """There is no such entry, table, counter or register."""

class TableFullError(ControlError):
    """The table holds as many entries as it was declared for."""

class InvalidArgumentError(ControlError):
    """The request does not fit the program."""

class ConstantError(ControlError):
    """What the request would change is constant in the program."""

class OutOfRangeError(ControlError):
    """An index is beyond the end of a counter or register array."""

class InUseError(ControlError):
    """Something else refers to what the request would remove."""

class InternalError(RuntimeError):
    """The extension module has a bug; the object it happened in is no longer usable."""

# ---- P4 front end ------------------------------------------------------------------------------------------

@final
class CompiledProgram:
    """What a P4 program compiles to. The same source gives the same bytes."""

    @property
    def bmv2_json(self) -> str:
        """The device config: JSON as `simple_switch` loads it."""
    @property
    def p4info(self) -> str:
        """P4Info as protobuf text."""
    @property
    def warnings(self) -> list[str]:
        """Rendered diagnostics that did not stop the compilation."""

def compile_p4(
    path: str | PathLike[str],
    include_dirs: Sequence[str | PathLike[str]] = (),
    defines: Mapping[str, str] | None = None,
    *,
    arch: Literal["v1model", "tna", "t2na"] = "v1model",
) -> CompiledProgram:
    """Compiles a program; raises `P4Error`, also if the file cannot be read.

    A program for Tofino (`tna`, `t2na`) has no P4Info: `p4info` is empty.
    """

def p4c_main() -> int:
    """The command `mecn-p4c`, with the arguments of the process (`sys.argv`); returns the exit status."""

# ---- Switch ------------------------------------------------------------------------------------------------

class MatchField:
    """How one key field of a table entry matches. Values are unsigned and fit the field."""

    @final
    class Exact(MatchField):
        """Equal to the value."""

        __match_args__ = ("value",)
        def __new__(cls, value: int) -> Self: ...
        @property
        def value(self) -> int: ...

    @final
    class Lpm(MatchField):
        """The first `prefix_len` bits are equal; the other bits of `value` are 0."""

        __match_args__ = ("value", "prefix_len")
        def __new__(cls, value: int, prefix_len: int) -> Self: ...
        @property
        def value(self) -> int: ...
        @property
        def prefix_len(self) -> int: ...

    @final
    class Ternary(MatchField):
        """Equal where the mask is 1; `value` is 0 elsewhere."""

        __match_args__ = ("value", "mask")
        def __new__(cls, value: int, mask: int) -> Self: ...
        @property
        def value(self) -> int: ...
        @property
        def mask(self) -> int: ...

    @final
    class Range(MatchField):
        """Within the closed interval."""

        __match_args__ = ("low", "high")
        def __new__(cls, low: int, high: int) -> Self: ...
        @property
        def low(self) -> int: ...
        @property
        def high(self) -> int: ...

    @final
    class Optional(MatchField):
        """Equal to the value, in a field of match kind `optional`."""

        __match_args__ = ("value",)
        def __new__(cls, value: int) -> Self: ...
        @property
        def value(self) -> int: ...

    @final
    class Any(MatchField):
        """Anything. Not for exact fields."""

        __match_args__ = ()
        def __new__(cls) -> Self: ...

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ActionCall:
    """An action with its arguments, in the order of the action's parameters."""

    def __new__(cls, name: str, args: Sequence[int] = ()) -> Self: ...
    @property
    def name(self) -> str:
        """Fully qualified, such as `MecnIngress.forwarding.forward`."""
    @property
    def args(self) -> list[int]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class MemberRef:
    """In an entry: the action of this member of the table's action profile."""

    def __new__(cls, id: int) -> Self: ...
    @property
    def id(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class GroupRef:
    """In an entry: the action of a member, which a hash chooses, of this group of the table's action
    selector."""

    def __new__(cls, id: int) -> Self: ...
    @property
    def id(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class MeterConfig:
    """Two rates, three colours (RFC 2698): rates per second and burst sizes, in packets or bytes."""

    def __new__(cls, cir: int, cburst: int, pir: int, pburst: int) -> Self: ...
    @property
    def cir(self) -> int: ...
    @property
    def cburst(self) -> int: ...
    @property
    def pir(self) -> int: ...
    @property
    def pburst(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class CloneSession:
    """What `clone` does: a copy for each (port, egress_rid), for `port`, for each member of group `group`.

    truncate: copies are cut to this many bytes.
    """

    def __new__(
        cls,
        replicas: Sequence[tuple[int, int]] = (),
        *,
        port: int | None = None,
        group: int | None = None,
        truncate: int | None = None,
    ) -> Self: ...
    @property
    def replicas(self) -> list[tuple[int, int]]: ...
    @property
    def port(self) -> int | None: ...
    @property
    def group(self) -> int | None: ...
    @property
    def truncate(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class TableEntry:
    """An entry as it is in the table, with its direct counter (0 if the table has none)."""

    @property
    def match(self) -> list[MatchField]:
        """One for each key field, in the order of `TableInfo.keys`."""
    @property
    def priority(self) -> int:
        """The larger wins, as in P4Runtime; 0 in tables whose entries have none."""
    @property
    def action(self) -> ActionCall: ...
    @property
    def member(self) -> int | None:
        """The member of the table's action profile that a hit runs; `action` is empty then."""
    @property
    def group(self) -> int | None:
        """The group of the table's action selector that a hit runs; `action` is empty then."""
    @property
    def is_const(self) -> bool: ...
    @property
    def packets(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

class TableUpdate:
    """A change of a table, to be made together with others."""

    @final
    class Insert(TableUpdate):
        """Adds an entry."""

        __match_args__ = ("table", "match", "priority", "action")
        def __new__(
            cls,
            table: str,
            match: Sequence[MatchField],
            priority: int,
            action: ActionCall | MemberRef | GroupRef,
        ) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...
        @property
        def action(self) -> ActionCall | MemberRef | GroupRef: ...

    @final
    class Modify(TableUpdate):
        """Replaces the action of an entry; without one, only asks that there is such an entry."""

        __match_args__ = ("table", "match", "priority", "action")
        def __new__(
            cls,
            table: str,
            match: Sequence[MatchField],
            priority: int,
            action: ActionCall | MemberRef | GroupRef | None,
        ) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...
        @property
        def action(self) -> ActionCall | MemberRef | GroupRef | None: ...

    @final
    class Delete(TableUpdate):
        """Removes an entry."""

        __match_args__ = ("table", "match", "priority")
        def __new__(cls, table: str, match: Sequence[MatchField], priority: int) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...

    @final
    class SetDefault(TableUpdate):
        """Replaces the default action; without one, restores that of the program."""

        __match_args__ = ("table", "action")
        def __new__(cls, table: str, action: ActionCall | None) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def action(self) -> ActionCall | None: ...

    @final
    class SetCounter(TableUpdate):
        """Sets the direct counter of an entry."""

        __match_args__ = ("table", "match", "priority", "packets", "bytes")
        def __new__(
            cls, table: str, match: Sequence[MatchField], priority: int, packets: int, bytes: int
        ) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...
        @property
        def packets(self) -> int: ...
        @property
        def bytes(self) -> int: ...

    @final
    class SetMeter(TableUpdate):
        """Configures the direct meter of an entry; without a configuration everything is green."""

        __match_args__ = ("table", "match", "priority", "config")
        def __new__(
            cls, table: str, match: Sequence[MatchField], priority: int, config: MeterConfig | None
        ) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...
        @property
        def config(self) -> MeterConfig | None: ...

    @final
    class SetTimeout(TableUpdate):
        """Sets how long an entry may go without a hit, in nanoseconds from `now_ns` on; 0: for ever."""

        __match_args__ = ("table", "match", "priority", "timeout_ns", "now_ns")
        def __new__(
            cls, table: str, match: Sequence[MatchField], priority: int, timeout_ns: int, now_ns: int
        ) -> Self: ...
        @property
        def table(self) -> str: ...
        @property
        def match(self) -> list[MatchField]: ...
        @property
        def priority(self) -> int: ...
        @property
        def timeout_ns(self) -> int: ...
        @property
        def now_ns(self) -> int: ...

@final
class KeyInfo:
    """A key field of a table; `width` is in bits."""

    @property
    def name(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def match(self) -> Literal["exact", "lpm", "ternary", "range", "optional"]: ...

@final
class ParamInfo:
    """A parameter of an action; `width` is in bits."""

    @property
    def name(self) -> str: ...
    @property
    def width(self) -> int: ...

@final
class ActionInfo:
    """An action. Compilers give each table its own copy of an action; the copies have one name."""

    @property
    def name(self) -> str: ...
    @property
    def params(self) -> list[ParamInfo]: ...

@final
class TableInfo:
    """A table. `actions` are as the table has them; `size` is the largest number of entries."""

    @property
    def name(self) -> str: ...
    @property
    def keys(self) -> list[KeyInfo]: ...
    @property
    def actions(self) -> list[ActionInfo]: ...
    @property
    def size(self) -> int: ...
    @property
    def has_direct_counter(self) -> bool: ...
    @property
    def const_entries(self) -> bool: ...
    @property
    def const_default_action(self) -> bool: ...
    @property
    def action_profile(self) -> str | None:
        """The action profile that entries take members or groups of."""
    @property
    def idle_timeout(self) -> bool:
        """Whether entries may have an idle timeout."""
    @property
    def has_direct_meter(self) -> bool: ...

@final
class CounterInfo:
    """A counter array of `size` cells, or (size 0) the direct counter of `table`."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def table(self) -> str | None: ...

@final
class RegisterInfo:
    """A register array of `size` cells of `width` bits."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def width(self) -> int: ...

class FilterConfig:
    """What a low-pass filter (`Lpf`) or `Wred` of a program for Tofino makes of its samples.

    After a time t the old average counts exp(-t / T), with T in nanoseconds; 0 follows at once.
    """

    @final
    class Sample(FilterConfig):
        """The average: T is `gain_ns` for samples above it, `decay_ns` for others. The result is divided by
        2**scale_down."""

        __match_args__ = ("gain_ns", "decay_ns", "scale_down")
        def __new__(cls, gain_ns: float, decay_ns: float, scale_down: int) -> Self: ...
        @property
        def gain_ns(self) -> float: ...
        @property
        def decay_ns(self) -> float: ...
        @property
        def scale_down(self) -> int: ...

    @final
    class Rate(FilterConfig):
        """The sum of the samples, which decays with `decay_ns`: their rate times that. `gain_ns` is kept."""

        __match_args__ = ("gain_ns", "decay_ns", "scale_down")
        def __new__(cls, gain_ns: float, decay_ns: float, scale_down: int) -> Self: ...
        @property
        def gain_ns(self) -> float: ...
        @property
        def decay_ns(self) -> float: ...
        @property
        def scale_down(self) -> int: ...

    @final
    class Wred(FilterConfig):
        """Drops: never up to an average of `min`, always from `max` on, up to `max_probability` between."""

        __match_args__ = ("time_ns", "min", "max", "max_probability")
        def __new__(cls, time_ns: float, min: float, max: float, max_probability: float) -> Self: ...
        @property
        def time_ns(self) -> float: ...
        @property
        def min(self) -> float: ...
        @property
        def max(self) -> float: ...
        @property
        def max_probability(self) -> float: ...

    def __eq__(self, other: object, /) -> bool: ...

@final
class FilterInfo:
    """An array of `size` filters with samples of `width` bits. wred: `Wred`, not `Lpf`."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def wred(self) -> bool: ...

@final
class MeterInfo:
    """A meter array of `size` cells, or (size 0) the direct meter of `table`. bytes: it counts bytes, not
    packets."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def table(self) -> str | None: ...
    @property
    def bytes(self) -> bool: ...

@final
class ActionProfileInfo:
    """An action profile or, with groups, an action selector; `size` is the largest number of members."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def with_selector(self) -> bool: ...

@final
class DigestInfo:
    """A digest; the widths of its fields in bits."""

    @property
    def name(self) -> str: ...
    @property
    def widths(self) -> list[int]: ...

@final
class ValueSetInfo:
    """A parser value set of at most `size` members; the widths of its key fields in bits."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def widths(self) -> list[int]: ...

@final
class ReceiveOutcome:
    """What became of a packet in ingress. Depths are of the queue it met, before the push, without the packet
    in service."""

    @property
    def kind(self) -> Literal["enqueued", "tail_dropped", "dropped"]: ...
    @property
    def reason(self) -> str | None:
        """Why it was dropped before any queue, such as "ingress"."""
    @property
    def port(self) -> int | None:
        """Egress port; None if it was dropped before any queue."""
    @property
    def depth_packets(self) -> int: ...
    @property
    def depth_bytes(self) -> int: ...

@final
class Departure:
    """A packet that began to be sent. Times in nanoseconds, depths in packets as in simple_switch."""

    @property
    def port(self) -> int: ...
    @property
    def frame(self) -> bytes | None:
        """The real bytes of the packet; None if the egress pipeline dropped it (its service slot is used
        either way)."""
    @property
    def payload_len(self) -> int:
        """Number of zero bytes after `frame` that are not stored."""
    @property
    def enq_ns(self) -> int: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def enq_qdepth(self) -> int: ...
    @property
    def deq_qdepth(self) -> int: ...
    @property
    def deq_bytes(self) -> int: ...

@final
class PortStats:
    """Counts of one egress port, in packets unless named otherwise."""

    @property
    def enqueued(self) -> int: ...
    @property
    def tail_drops(self) -> int: ...
    @property
    def sent(self) -> int: ...
    @property
    def sent_bytes(self) -> int: ...
    @property
    def egress_drops(self) -> int: ...
    @property
    def depth_packets(self) -> int: ...
    @property
    def depth_bytes(self) -> int: ...

@final
class Switch:
    """A P4 program at work: tables, counters, registers, queues. No clock: times are arguments, in
    nanoseconds.

    May be shared between threads. Names are fully qualified, as in P4Info. Methods with a name raise
    `NotFoundError` if
    there is no such object; control-plane methods raise other kinds of `ControlError` when they refuse.
    """

    @staticmethod
    def from_json(
        json: bytes,
        *,
        seed: int = 0,
        drop_port: int = 511,
        log_capacity: int = 0,
        priority_queues: int = 1,
        max_passes: int = 16,
        execution: Literal["auto", "compiled", "interpreted"] = "auto",
    ) -> Switch:
        """Loads a BMv2 JSON; raises `LoadError`. seed: of the random numbers that the program draws.

        priority_queues: queues of each port, 1 to 255; the highest `standard_metadata.priority` goes first.

        max_passes: how often a packet may be resubmitted, recirculated or cloned before it is dropped.

        execution: as machine code, instruction by instruction, or (`auto`) as machine code once many packets
        have passed. Results are the same. A program that cannot be compiled is interpreted.
        """

    @property
    def is_compiled(self) -> bool:
        """Whether packets go through machine code now."""

    def fork(self, seed: int) -> Switch:
        """The same program, entries, default actions and port settings; registers, counters, queues, random
        numbers afresh."""

    def tables(self) -> list[TableInfo]: ...
    def actions(self) -> list[ActionInfo]: ...
    def counters(self) -> list[CounterInfo]: ...
    def registers(self) -> list[RegisterInfo]: ...
    def meters(self) -> list[MeterInfo]: ...
    def action_profiles(self) -> list[ActionProfileInfo]: ...
    def digests(self) -> list[DigestInfo]: ...
    def value_sets(self) -> list[ValueSetInfo]: ...
    def unlock_entries(self, table: str) -> None:
        """Lets entries be changed that the program begins with; until then they are constant, since the JSON
        does not tell `entries` from `const entries`."""

    def clear_entries(self, table: str) -> None:
        """Removes all entries; the default action stays."""

    def entry(self, table: str, match: Sequence[MatchField], priority: int) -> TableEntry: ...
    def entries(self, table: str) -> list[TableEntry]:
        """All entries, constant ones included."""

    def default_action(self, table: str) -> ActionCall | None: ...
    def update(self, change: TableUpdate) -> None:
        """Makes one change; raises `ControlError` where it is refused."""

    def update_tables(self, updates: Sequence[TableUpdate]) -> tuple[int, ControlError] | None:
        """Makes all these changes in order, or none; no packet passes in between.

        Returns None, or the index of the change that was refused, and why.
        """

    def counter_read(self, counter: str, index: int) -> tuple[int, int]:
        """Packets and bytes of a cell of an indexed counter."""

    def counter_write(self, counter: str, index: int, packets: int, bytes: int) -> None: ...
    def register_read(self, register: str, index: int) -> int: ...
    def register_write(self, register: str, index: int, value: int) -> None: ...
    def meter_read(self, meter: str, index: int) -> MeterConfig | None:
        """The configuration of a cell of an indexed meter; None: everything is green."""

    def meter_write(self, meter: str, index: int, config: MeterConfig | None) -> None:
        """Configures a cell and fills its buckets."""

    def direct_meter(self, table: str, match: Sequence[MatchField], priority: int) -> MeterConfig | None:
        """The configuration of an entry's meter."""

    def insert_member(self, profile: str, member: int, action: ActionCall) -> None: ...
    def modify_member(self, profile: str, member: int, action: ActionCall) -> None: ...
    def delete_member(self, profile: str, member: int) -> None: ...
    def members(self, profile: str) -> list[tuple[int, ActionCall]]:
        """In order of ids."""

    def insert_group(self, profile: str, group: int, members: Sequence[tuple[int, int]]) -> None:
        """members: (id, weight); they must exist."""

    def modify_group(self, profile: str, group: int, members: Sequence[tuple[int, int]]) -> None: ...
    def delete_group(self, profile: str, group: int) -> None: ...
    def groups(self, profile: str) -> list[tuple[int, list[tuple[int, int]]]]:
        """In order of ids."""

    def idle_timeout(self, table: str, match: Sequence[MatchField], priority: int) -> tuple[int, int]:
        """The idle timeout of an entry (0: none) and the time of its last hit, in nanoseconds."""

    def take_idle_entries(self, now_ns: int) -> list[tuple[str, TableEntry]]:
        """Entries that went without a hit for their timeout, with their table; their time begins anew."""

    def set_multicast_group(self, group: int, replicas: Sequence[tuple[int, int]]) -> None:
        """replicas: (port, egress_rid). Makes the group if there is none with this id."""

    def delete_multicast_group(self, group: int) -> None: ...
    def multicast_groups(self) -> list[tuple[int, list[tuple[int, int]]]]: ...
    def set_clone_session(self, id: int, session: CloneSession) -> None:
        """Makes the session if there is none with this id (0 to 32767)."""

    def delete_clone_session(self, id: int) -> None: ...
    def filters(self) -> list[FilterInfo]: ...
    def filter_write(self, filter: str, index: int, config: FilterConfig | None) -> None:
        """Configures a cell of an `Lpf` or `Wred`; without a configuration a sample goes through. Its average
        begins at 0."""
    def filter_read(self, filter: str, index: int) -> FilterConfig | None: ...
    def entry_cell(self, table: str, match: Sequence[MatchField], priority: int) -> int:
        """The index of an entry in its table's direct registers, for `register_read` and `register_write`."""
    def port_metadata_write(self, port: int, metadata: bytes) -> None:
        """Sets what the ingress parser of a program for Tofino finds before packets of a port: up to 8 bytes
        (`tna`) or 24 (`t2na`), filled up with zeros."""
    def port_metadata(self, port: int) -> bytes | None: ...
    def clone_sessions(self) -> list[tuple[int, CloneSession]]: ...
    def take_digests(self) -> list[tuple[str, list[int]]]:
        """Digests since the last call, the oldest first: name, values of the fields."""

    def value_set_read(self, value_set: str) -> list[list[MatchField]]: ...
    def value_set_write(self, value_set: str, members: Sequence[Sequence[MatchField]]) -> None:
        """Replaces all members; each has one match for each key field."""

    def configure_port(
        self,
        port: int,
        *,
        rate_bps: int | None = None,
        rate_pps: int | None = None,
        limit_packets: int | None = 64,
        limit_bytes: int | None = None,
        overhead_bytes: int = 0,
    ) -> None:
        """Rate and queue of an egress port. Without a rate packets leave at once.

        rate_bps: bits per second, by length plus `overhead_bytes` (-14: IP bytes only).
        rate_pps: packets per second whatever their length, as simple_switch's set_queue_rate.
        limit_packets, limit_bytes: what the queue holds, without the packet in service; None: no limit.

        Raises ValueError for a rate of 0 or two rates.
        """

    def port_stats(self, port: int) -> PortStats: ...
    def receive(self, port: int, frame: bytes, now_ns: int, *, payload_len: int = 0) -> ReceiveOutcome:
        """Takes a packet in: parser, ingress, queue. payload_len: zero bytes after `frame` that are not
        stored."""

    def next_departure(self) -> int | None:
        """The earliest time at which some port may begin to send a packet; None if no packet waits."""

    def depart(self, now_ns: int) -> Departure | None:
        """Begins to send the packet that is due first, if it is due by `now_ns`: egress, deparser."""

    def process(self, port: int, frame: bytes, now_ns: int = 0, *, payload_len: int = 0) -> list[Departure]:
        """`receive`, then `depart` until all queues are empty: for packet tests. Empty if the packet was
        dropped in ingress."""

    def take_log(self) -> list[str]:
        """Messages of the program's log_msg since the last call; `log_capacity` says how many are kept."""

# ---- Interfaces and capture files --------------------------------------------------------------------------

class InterfaceError(OSError):
    """An interface or a capture file cannot be used. One line that names it."""

@final
class PortTotals:
    """Counts of a port's interface, in packets unless another unit is named."""

    @property
    def port(self) -> int: ...
    @property
    def interface(self) -> str:
        """The interface's name; of a run on files, the output file."""
    @property
    def rx_packets(self) -> int:
        """Frames handed to the program: segments, if super packets were cut."""
    @property
    def rx_bytes(self) -> int: ...
    @property
    def rx_kernel_drops(self) -> int:
        """Dropped by the kernel because the switch did not keep up; asked for once a second."""
    @property
    def rx_errors(self) -> int:
        """Errors of the interface, such as that it is down."""
    @property
    def rx_malformed(self) -> int:
        """Frames that contradicted their offload header, or longer than 64 KiB; not processed."""
    @property
    def rx_link_drops(self) -> int:
        """Lost because too many waited in the link towards the port."""
    @property
    def rx_no_pipeline(self) -> int:
        """Frames that came before there was a forwarding pipeline."""
    @property
    def checksums_completed(self) -> int:
        """Frames whose checksum the sender had left to its network card."""
    @property
    def super_packets(self) -> int:
        """Segments of up to 64 KiB that were cut to what a wire would have carried."""
    @property
    def vlan_tags_restored(self) -> int:
        """Frames whose VLAN tag the kernel had put beside them."""
    @property
    def tx_packets(self) -> int: ...
    @property
    def tx_bytes(self) -> int: ...
    @property
    def tx_errors(self) -> int:
        """Frames that the system refused to send: interface down, buffers full."""
    @property
    def tx_too_long(self) -> int:
        """Frames longer than the interface's MTU; not sent."""
    @property
    def tx_link_drops(self) -> int:
        """Lost because frames in the link behind the port took 64 MiB."""
    @property
    def late_mean_ns(self) -> int:
        """How much later than due frames were sent: mean, in nanoseconds."""
    @property
    def late_p99_ns(self) -> int:
        """Upper bound of the 99th percentile: a power of two less one, in nanoseconds."""
    @property
    def late_max_ns(self) -> int: ...

@final
class RuntimeEvent:
    """Something that the thread of packets reports."""

    @property
    def kind(self) -> Literal["trace", "warning", "failed"]:
        """trace: what became of a packet. failed: the thread has ended and takes no more packets."""
    @property
    def text(self) -> str: ...
    @property
    def time_ns(self) -> int | None:
        """When, for a trace: nanoseconds since the start."""
    @property
    def packet(self) -> int | None:
        """The packet's number, for a trace that concerns one."""

@final
class Runtime:
    """A thread that carries packets between network interfaces and a switch, in real time.

    A frame leaves a port when its last bit has been sent at the port's rate, and is then held for the port's
    propagation delay. Frames are as on a wire: checksums complete, VLAN tags in place, super packets cut.
    """

    @staticmethod
    def start(
        interfaces: Sequence[tuple[int, str]],
        *,
        wires: Sequence[tuple[int, int]] = (),
        cpu_port: int | None = None,
        busy_poll: bool = False,
        capture: str | PathLike[str] | None = None,
        drop_privileges: bool = False,
    ) -> Runtime:
        """Opens the interfaces, given with their ports. Needs root or CAP_NET_RAW if there are any.

        wires: pairs of ports. Frames go from the link towards the first to the interface of the second, and
        there is no switch.
        cpu_port: its frames go to `next_punted`. busy_poll: never sleep. capture: folder in which
        INTERFACE_in.pcap and INTERFACE_out.pcap are written. drop_privileges: once all is open, the calling
        thread and all that are started later give up their capabilities for good. Raises `InterfaceError`, or
        ValueError if a port or an interface is given twice, or a wire contradicts others.
        """

    def set_switch(self, switch: Switch) -> int:
        """Lets packets go through another switch; returns its number, which grows with each.

        Packets in queues of the old one go through its own egress, at the times they would have: each packet
        sees one pipeline whole, and none is lost. Returns when it is done.
        """

    def configure_port(
        self,
        port: int,
        *,
        rate_bps: int | None = None,
        rate_pps: int | None = None,
        limit_packets: int | None = 64,
        limit_bytes: int | None = None,
        overhead_bytes: int = 0,
        delay_ns: int = 0,
        in_rate_bps: int | None = None,
        in_delay_ns: int = 0,
        in_limit_packets: int | None = None,
    ) -> None:
        """As `Switch.configure_port`, for this switch and all that `set_switch` brings; the propagation delay
        of the link behind the port; rate and propagation delay of the link towards it, and what the queue
        before that link holds."""

    def totals(self) -> list[PortTotals]: ...
    @property
    def unattached(self) -> int:
        """Packets sent out of ports that have no interface."""
    @property
    def punt_drops(self) -> int:
        """Frames for `next_punted` that were lost because nobody fetched them."""
    @property
    def lost_events(self) -> int:
        """Events that were lost because nobody fetched them."""

    def now_ns(self) -> int:
        """Nanoseconds since the start: the clock that the program sees."""

    def set_trace(self, on: bool) -> None:
        """Whether to report what becomes of each packet."""

    def flush_captures(self) -> None:
        """Writes what capture files have in memory, soon."""

    def inject(self, port: int, frame: bytes) -> bool:
        """A frame comes in at `port`; False if too many wait already."""

    def next_punted(self, timeout_s: float) -> tuple[int, bytes] | None:
        """The number of a switch, and a frame that left it at the CPU port; None if there is none in time."""

    def wait_for_digests(self, timeout_s: float) -> bool:
        """Waits until the switch has digests to take; False if it has none in time."""

    def next_event(self, timeout_s: float) -> RuntimeEvent | None:
        """None if there is none in time."""

    def stop(self) -> None:
        """Closes interfaces and capture files. Frames in queues and links are lost."""

@final
class FileTotals:
    """What a run on capture files did."""

    @property
    def ports(self) -> list[PortTotals]: ...
    @property
    def duration_ns(self) -> int:
        """From the first record to the last frame at the far end of its link."""
    @property
    def unattached(self) -> int:
        """Packets sent out of ports that have no file."""
    @property
    def trace(self) -> list[RuntimeEvent]: ...

def run_files(
    switch: Switch,
    ports: Sequence[tuple[int, str | PathLike[str] | None, str | PathLike[str]]],
    *,
    delays_ns: Sequence[tuple[int, int]] = (),
    trace: bool = False,
) -> FileTotals:
    """Runs the frames of capture files (pcap or pcapng) through a switch, in virtual time.

    ports: port, input file or None, output file (pcapng if it ends so, else pcap). delays_ns: port and
    propagation delay. The same files and the same switch give the same files. Outputs appear only if
    everything went well. Raises `InterfaceError`, or ValueError if a port is given twice.
    """

# ---- Virtual network -------------------------------------------------------------------------------------
#
# A `Network` is a description: nodes, links, flows, what to watch. `run` builds a fresh simulation from it
# each time, so one description can be run for several seeds, and the same description and seed always give
# the same result, byte for byte. Inside, time is integer nanoseconds; seconds given as float are rounded to
# the nearest nanosecond.
#
#     net = Network(seed=1)
#     r1, r2 = net.add_switch("R1", switch), net.add_switch("R2", switch)
#     s, d = net.add_host("S", address="10.0.1.1"), net.add_host("D", address="10.0.2.1")
#     net.link(s, r1, port=1, rate_bps=10_000_000, delay_s=0.002)
#     net.link_switches(r1, 0, r2, 0, rate_bps=1_500_000, delay_s=0.040, limit_packets=100)
#     net.link(d, r2, port=1, rate_bps=10_000_000, delay_s=0.004)
#     net.add_bulk_flow(s, d, tcp=TcpConfig(ecn="multilevel"))
#     net.watch_port(r1, 0)
#     result = net.run(until_s=100.0, warmup_s=20.0)

class NetworkError(ValueError):
    """The network cannot be built as described: unknown node, port used twice, rate of zero, no link... One
    sentence."""

@final
class Node:
    """Handle of a switch, host or sink of one network. Comparable and hashable."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["switch", "host", "sink"]: ...
    @property
    def address(self) -> str | None:
        """IPv4 address in dotted form; None for a switch or sink."""
    @property
    def mac(self) -> str | None:
        """MAC address `02:00:00:00:00:01`; None for a switch or sink. A host takes in only frames addressed
        to it, so this is what the route to the host must write as destination MAC."""

@final
class Flow:
    """Handle of a flow of one network; `index` is its place in `NetworkResult.flows`. Comparable and
    hashable."""

    @property
    def index(self) -> int: ...

@final
class TcpConfig:
    """Settings of both ends of a TCP connection. Invalid values raise `NetworkError`.

    mss: payload bytes of a full segment; with 40 bytes of headers 960 makes packets of 1000 bytes.
    ecn: "off"; "classic" (RFC 3168); "multilevel" (levels echoed in CWR and ECE, Quet et al. tables 1 and 2).
    beta: what a reduction takes, as divisor: `cwnd -= cwnd / beta`, for (incipient, moderate, loss).
        Classic ECN uses 2, as RFC 3168 demands.
    window_cap: largest send window in segments; None: 65535 bytes / MSS, what the window field can say
        without scaling.
    delayed_acks: acknowledge every second segment, at the latest after 200 ms (RFC 5681 section 4.2).
    timer_granularity_s: clock tick of the retransmission timer, G in RFC 6298.
    min_rto_s: lower bound of the retransmission timeout (RFC 6298 (2.4)).
    initial_window: initial congestion window in segments; None: RFC 5681 section 3.1.
    initial_ssthresh: initial slow start threshold in segments; None: unlimited.
    congestion_avoidance: "byte-counting", one segment for each window acknowledged (RFC 5681 recommends
        it); "per-ack", SMSS * SMSS / cwnd for each ACK (RFC 5681, equation 3; ns-2); "whole-segments", like
        the first, but marks cut whole segments, at least one, leave two, and stop growth for a window, as in
        Linux.
    hold_at_one_segment: with a window of one segment and congestion still signalled, send the next segment
        only when the retransmission timer has run out (a MUST of RFC 3168, section 6.1.2; Linux does not do
        it).
    dscp: DSCP of all packets, 0 to 63.
    loss_recovery: "reno" (RFC 5681), "newreno" (RFC 6582) or "sack" (RFC 2018, 6675).
    limited_transmit: a new segment for each of the first two duplicate ACKs (RFC 3042).
    restart_after_idle: back to the initial window when nothing was sent for longer than the retransmission
        timeout (RFC 5681, section 4.1).
    avoid_multiple_fast_retransmits: Reno's fast retransmit only once for a window of data (RFC 6582, section
        3.2, step 2; ns-2's `bugFix_`); the others always do so.
    processing_time_s: a time uniform from 0 up to this passes before each segment that loss recovery does not
        send (ns-2's `overhead_`); it breaks phase effects.
    hold_below_one_segment: with `hold_at_one_segment`, hold also when a cut would leave less than one segment
        (ns-2).
    loss_cuts_window: a loss halves the window that admits data (RFC 2001, ns-2), not the data outstanding
        (RFC 5681, equation 4), and each further timeout does so again.
    initial_rto_s: the retransmission timeout before the first measurement (RFC 6298 (2.1)).
    max_rto_s: upper bound of it, back-off included (RFC 6298 (2.5)); at most 3600.
    retransmission_timer: "rfc6298"; "whole-ticks", as ns-2 had it until May 2001: fixed-point arithmetic in
        ticks, back-off up to 64, restarts with the timeout before an ACK's measurement.
    cuts_whole_segments: a cut leaves whole segments of the whole segments in the window, rounded down (ns-2
        until 2006).
    ecn_retransmissions: what is sent again is ECN-capable and can carry CWR, as in ns-2; RFC 3168 (section
        6.1.5) has neither.
    classic_beta: what a mark takes from the window with `ecn="classic"`, as divisor; 2 in RFC 3168.
    top_up: with `ecn="multilevel"`, a moderate mark after an incipient one of the same window cuts the window
        down to what the moderate one alone would have left; otherwise the first mark of a window is the only
        one.
    """

    def __new__(
        cls,
        *,
        mss: int = 960,
        ecn: Literal["off", "classic", "multilevel"] = "off",
        beta: tuple[float, float, float] = (5.0, 2.5, 2.0),
        window_cap: int | None = None,
        delayed_acks: bool = False,
        timer_granularity_s: float = 0.1,
        min_rto_s: float = 1.0,
        initial_window: int | None = None,
        initial_ssthresh: int | None = None,
        congestion_avoidance: Literal["byte-counting", "per-ack", "whole-segments"] = "byte-counting",
        hold_at_one_segment: bool = True,
        dscp: int = 0,
        loss_recovery: Literal["reno", "newreno", "sack"] = "reno",
        limited_transmit: bool = False,
        restart_after_idle: bool = True,
        avoid_multiple_fast_retransmits: bool = True,
        processing_time_s: float = 0.0,
        classic_beta: float = 2.0,
        hold_below_one_segment: bool = False,
        loss_cuts_window: bool = False,
        top_up: bool = False,
        initial_rto_s: float = 1.0,
        max_rto_s: float = 60.0,
        retransmission_timer: Literal["rfc6298", "whole-ticks"] = "rfc6298",
        cuts_whole_segments: bool = False,
        ecn_retransmissions: bool = False,
    ) -> Self: ...

@final
class TcpEndpoint:
    """One end of a TCP connection by itself: IPv4 packets and times (seconds) in, IPv4 packets out.

    The network's hosts are made of it; here whoever holds both ends is the network. Payload is zero bytes.
    Invalid values and packets that belong to no connection of it raise `NetworkError`.
    """

    @staticmethod
    def connect(
        tcp: TcpConfig, local: tuple[str, int], remote: tuple[str, int], *, isn: int = 0, now_s: float = 0.0
    ) -> TcpEndpoint:
        """Active open between two addresses and ports; the SYN is ready for `transmit`. isn: initial sequence
        number."""

    @staticmethod
    def listen(tcp: TcpConfig, local: tuple[str, int], *, isn: int = 0) -> TcpEndpoint:
        """Passive open: takes the first connection that arrives."""

    def send(self, bytes: int) -> None:
        """Queues so many bytes more."""

    def receive(self, packet: bytes, now_s: float) -> None:
        """Takes an IPv4 packet."""

    def transmit(self, now_s: float) -> bytes | None:
        """The next IPv4 packet to send now, if there is one."""

    def timer(self, now_s: float) -> None:
        """Time has passed: does what is due."""
    @property
    def next_timeout_s(self) -> float | None:
        """When `timer` is to be called next."""
    @property
    def cwnd_bytes(self) -> int:
        """Congestion window."""
    @property
    def flight_bytes(self) -> int:
        """Sent and not acknowledged."""
    @property
    def ecn_negotiated(self) -> bool: ...

@final
class Network:
    """Description of a virtual network. Every method raises `NetworkError` on what cannot be."""

    def __new__(cls, seed: int = 1) -> Self:
        """seed: 0 to 2^64 - 1; everything random derives from it."""

    def add_switch(self, name: str, switch: Switch) -> Node:
        """An embedded switch. `switch` is forked now: its program, entries and default actions are kept;
        registers, counters and queues start empty in every run. Later changes of `switch` have no effect
        here. Its port settings are replaced for every port that a link uses."""

    def add_host(
        self, name: str, *, address: str, mac: str | None = None, gateway_mac: str | None = None
    ) -> Node:
        """A host with one interface. mac: default 02:00:00:00 and the host's number in two octets, counted
        from 1.
        gateway_mac: destination of the frames it sends, default 02:00:00:ff:00:00."""

    def add_sink(self, name: str) -> Node:
        """Takes in every frame and answers none."""

    def link(
        self,
        end: Node,
        switch: Node,
        *,
        port: int,
        rate_bps: int,
        delay_s: float,
        limit_packets: int | None = None,
        host_limit_packets: int | None = None,
        overhead_bytes: int = -14,
        reverse_rate_bps: int | None = None,
        reverse_delay_s: float | None = None,
    ) -> None:
        """Full-duplex link of a host or sink and a switch port.

        rate_bps, delay_s: of each direction; delay is propagation only, a frame arrives whole.
        limit_packets: queue of the switch port, packets, the one in service not counted; None: unlimited.
        host_limit_packets: the same for the host's queue.
        overhead_bytes: added to the frame's length wherever time on the wire is computed; -14 leaves out the
            Ethernet header, so that rates count IP bytes, as the papers do.
        reverse_rate_bps, reverse_delay_s: those from the second node to the first, if they differ.
        """

    def link_switches(
        self,
        a: Node,
        a_port: int,
        b: Node,
        b_port: int,
        *,
        rate_bps: int,
        delay_s: float,
        limit_packets: int | None = None,
        overhead_bytes: int = -14,
        reverse_rate_bps: int | None = None,
        reverse_delay_s: float | None = None,
    ) -> None:
        """Full-duplex link of two switch ports; `limit_packets` holds for both queues."""

    def link_hosts(
        self,
        a: Node,
        b: Node,
        *,
        rate_bps: int,
        delay_s: float,
        limit_packets: int | None = None,
        overhead_bytes: int = -14,
        reverse_rate_bps: int | None = None,
        reverse_delay_s: float | None = None,
    ) -> None:
        """Full-duplex link of two hosts, or host and sink, without a switch between."""

    def add_bulk_flow(
        self,
        src: Node,
        dst: Node,
        *,
        start_s: float = 0.0,
        start_jitter_s: float = 0.0,
        limit_bytes: int | None = None,
        stop_s: float | None = None,
        tcp: TcpConfig | None = None,
        trace_cwnd: bool = False,
        trace_limit: int = 1_000_000,
    ) -> Flow:
        """A TCP connection that `src` opens at `start_s` plus a uniform draw from [0, start_jitter_s), and
        over which it sends `limit_bytes` bytes (then closes), or until `stop_s` (what was not sent by then is
        not), or without end. tcp: default `TcpConfig()`.
        trace_cwnd: keep the changes of the congestion window, at most `trace_limit` of them."""

    def add_web_flow(
        self,
        src: Node,
        dst: Node,
        *,
        start_s: float = 0.0,
        start_jitter_s: float = 0.0,
        tcp: TcpConfig | None = None,
        trace_cwnd: bool = False,
        trace_limit: int = 1_000_000,
        page_bytes: int = 30_000,
        think_s: tuple[float, float] = (1.0, 3.0),
        pages: int | None = None,
    ) -> Flow:
        """A web session over one TCP connection: transfers of `page_bytes` bytes; after the last byte of one
        is acknowledged, a time uniform in `think_s` passes before the next. pages: transfers before the end;
        None: without end."""

    def add_telnet_flow(
        self,
        src: Node,
        dst: Node,
        *,
        start_s: float = 0.0,
        start_jitter_s: float = 0.0,
        tcp: TcpConfig | None = None,
        trace_cwnd: bool = False,
        trace_limit: int = 1_000_000,
        write_bytes: int | None = None,
    ) -> Flow:
        """A telnet user: writes of `write_bytes` bytes (None: a full segment) over a TCP connection, at
        intervals of tcplib's distribution."""

    def add_cbr_flow(
        self,
        src: Node,
        dst: Node,
        *,
        rate_bps: int = 24_000,
        packet_bytes: int = 210,
        spacing: Literal["fixed", "random"] = "fixed",
        start_s: float = 0.0,
        start_jitter_s: float = 0.0,
    ) -> Flow:
        """UDP packets of `packet_bytes` bytes (IP length) at a constant rate of IP bytes, one each T, or,
        with random spacing, at times uniform between T/2 and 3T/2 apart."""

    def add_pareto_flow(
        self,
        src: Node,
        dst: Node,
        *,
        rate_bps: int = 24_000,
        packet_bytes: int = 210,
        shape: float = 1.5,
        mean_on_s: float = 1.0,
        mean_off_s: float = 2.0,
        start_s: float = 0.0,
        start_jitter_s: float = 0.0,
    ) -> Flow:
        """UDP packets in bursts at `rate_bps`, with silences between; the lengths of both are Pareto
        distributed."""

    def watch_port(
        self,
        switch: Node,
        port: int,
        *,
        average_register: str | None = None,
        average_index: int | None = None,
        average_fraction_bits: int = 48,
        early_drop_counter: str | None = None,
        sample_interval_s: float | None = None,
        trace: bool = True,
    ) -> int:
        """Measure the queue of a linked switch port; returns the place in `NetworkResult.ports`.

        average_register: register with the average depth, fixed point with `average_fraction_bits` fraction
            bits, as `MecnEgress.marking.average.avg_qdepth`; average_index: default port * 8 (priority 0).
        early_drop_counter: P4 counter, indexed by port, of what ingress dropped before this queue, as
            `MecnIngress.admission.early_drop_stats`.
        sample_interval_s: distance of the trace's points; None: a point at every change of the depth.
        trace: False keeps the statistics and leaves the trace empty.
        """

    def run(self, *, until_s: float, warmup_s: float = 0.0, seed: int | None = None) -> NetworkResult:
        """Simulate the time from 0 to `until_s`. All counts and statistics cover the window from `warmup_s`
        to `until_s` unless they say otherwise; traces cover the whole run. seed: instead of the network's.
        Releases the GIL; can be interrupted from the keyboard."""

    def start(self, *, until_s: float, warmup_s: float = 0.0, seed: int | None = None) -> NetworkSession:
        """The same run in steps, with a control plane between them. Later changes of the description have no
        effect on it."""

@final
class NetworkSession:
    """A run that was begun. Between two steps virtual time stands still: digests are taken, entries are
    written, and hold from the next event on. Steps alone change nothing, so a run is deterministic if what is
    done between them is. Methods raise `NetworkError` on what cannot be, `run_until` and `finish` can be
    interrupted from the keyboard."""

    @property
    def now_s(self) -> float:
        """Up to when everything has been simulated."""

    def run_until(self, time_s: float) -> None:
        """Simulate up to this time, what happens at this very time included."""

    def finish(self) -> NetworkResult:
        """Simulate the rest. The session is over then."""

    def take_digests(self, switch: Node) -> list[tuple[str, list[int]]]:
        """Name and field values of the digests that wait, the oldest first; the switch keeps 1024."""

    def entries(self, switch: Node, table: str) -> list[TableEntry]:
        """All entries of a table."""

    def update_tables(self, switch: Node, updates: Sequence[TableUpdate]) -> tuple[int, ControlError] | None:
        """As `Switch.update_tables`: all or none, and which was refused and why."""

    def counter_read(self, switch: Node, counter: str, index: int) -> tuple[int, int]:
        """Packets and bytes."""

    def register_read(self, switch: Node, register: str, index: int) -> int: ...
    def port_stats(self, switch: Node, port: int) -> PortStats:
        """Counts since the beginning of the run, and the queue's depth now."""

    def sender(self, flow: Flow) -> SenderState:
        """The sender's side of a flow now."""

@final
class SenderState:
    """The sender's side of a flow at an instant; counts since the beginning of the run. All 0, and `nan`,
    before the flow starts and for UDP."""

    @property
    def cwnd_bytes(self) -> int: ...
    @property
    def srtt_s(self) -> float:
        """Smoothed round-trip time; `nan` before the first measurement."""
    @property
    def acked_bytes(self) -> int: ...
    @property
    def retransmitted_packets(self) -> int: ...

@final
class DelayStats:
    """One-way delays of data packets: from the moment TCP hands the packet to its host's queue until it has
    arrived whole at the receiving host. Packets that were sent before the window and arrive inside it
    count. `nan` where there is nothing."""

    @property
    def count(self) -> int: ...
    @property
    def mean_s(self) -> float:
        """Exact mean."""
    @property
    def std_s(self) -> float: ...
    @property
    def min_s(self) -> float: ...
    @property
    def max_s(self) -> float: ...
    @property
    def jitter_s(self) -> float:
        """Mean absolute difference of the delays of consecutively arriving packets of one flow (D of RFC
        3550, section 6.4.1, averaged without its gain of 1/16)."""
    def percentile_s(self, percent: float) -> float:
        """Smallest delay that at least `percent` per cent of the packets do not exceed, at most 1/256 too
        high."""

@final
class PortResult:
    """What happened at one watched switch port. Depth is in packets, the one in service not counted."""

    @property
    def switch(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def depth_mean(self) -> float:
        """Over time, not over packets."""
    @property
    def depth_std(self) -> float: ...
    @property
    def depth_min(self) -> int: ...
    @property
    def depth_max(self) -> int: ...
    @property
    def fraction_empty(self) -> float:
        """Share of the time with depth 0, whether or not a packet was in service."""
    @property
    def fraction_idle(self) -> float:
        """Share of the time in which nothing was transmitted: 1 - utilisation."""
    @property
    def busy_s(self) -> float:
        """Time in which the port was transmitting."""
    @property
    def utilisation(self) -> float: ...
    @property
    def enqueued(self) -> int: ...
    @property
    def tail_drops(self) -> int:
        """Packets that found the queue full."""
    @property
    def early_drops(self) -> int:
        """Growth of `early_drop_counter`; 0 if none was named."""
    @property
    def egress_drops(self) -> int:
        """Packets that the egress pipeline dropped; each used its service slot."""
    @property
    def sent_packets(self) -> int:
        """Packets whose transmission began in the window, egress drops not counted."""
    @property
    def sent_bytes(self) -> int:
        """Their length as the port's rate counts it."""
    @property
    def ecn_counts(self) -> tuple[int, int, int, int]:
        """Sent IPv4 packets by ECN field on leaving: (Not-ECT, ECT(1), ECT(0), CE), the field's numeric
        order."""
    @property
    def marked_incipient(self) -> int:
        """Packets that came into this switch with ECT(0) and left with ECT(1)."""
    @property
    def marked_ce(self) -> int:
        """Packets that came into this switch with ECT(0) or ECT(1) and left with CE."""
    @property
    def trace_time_s(self) -> bytes:
        """Instants of the trace: `numpy.frombuffer(..., "<f8")`."""
    @property
    def trace_depth(self) -> bytes:
        """Depth from each instant on: `numpy.frombuffer(..., "<u4")`."""
    @property
    def trace_average(self) -> bytes:
        """Average depth at each instant: `numpy.frombuffer(..., "<f8")`; empty without `average_register`."""
    @property
    def trace_sent_bytes(self) -> bytes:
        """Bytes sent since the beginning of the run, as the port's rate counts them, a packet from the start
        of its transmission on: `numpy.frombuffer(..., "<u8")`."""

@final
class FlowResult:
    """What happened to one flow."""

    @property
    def src(self) -> str: ...
    @property
    def dst(self) -> str: ...
    @property
    def start_s(self) -> float:
        """When the connection was opened, jitter included."""
    @property
    def established(self) -> bool:
        """The handshake had ended when the run ended or before."""
    @property
    def ecn_negotiated(self) -> bool: ...
    @property
    def finished_s(self) -> float | None:
        """When the last of `limit_bytes` was acknowledged."""
    @property
    def acked_bytes(self) -> int:
        """New data acknowledged at the sender; retransmissions do not count twice."""
    @property
    def acked_packets(self) -> float:
        """`acked_bytes` / MSS."""
    @property
    def goodput_bps(self) -> float:
        """`acked_bytes` in bits over the window's length (from the start of the flow, if that is later)."""
    @property
    def sent_packets(self) -> int:
        """Segments with data, retransmissions included."""
    @property
    def first_arrivals(self) -> int:
        """Segments with data that reached the receiver and had not been sent before: first transmissions that
        were delivered."""
    @property
    def delivered_bytes(self) -> int:
        """In-order data that reached the receiving application."""
    @property
    def retransmitted_packets(self) -> int: ...
    @property
    def retransmitted_bytes(self) -> int: ...
    @property
    def timeouts(self) -> int: ...
    @property
    def fast_retransmits(self) -> int: ...
    @property
    def reductions_incipient(self) -> int: ...
    @property
    def reductions_moderate(self) -> int:
        """Reductions for CE, classic ECN's included."""
    @property
    def reductions_loss(self) -> int:
        """Fast retransmits and timeouts that cut the window."""
    @property
    def holds(self) -> int:
        """Times that sending was held back with a window of one segment (`hold_at_one_segment`)."""
    @property
    def srtt_s(self) -> float:
        """Smoothed round-trip time at the end of the run; `nan` before the first measurement."""
    @property
    def cwnd_bytes(self) -> int:
        """Congestion window at the end of the run."""
    @property
    def delay(self) -> DelayStats: ...
    @property
    def cwnd_time_s(self) -> bytes:
        """Instants of changes of the congestion window, whole run: `numpy.frombuffer(..., "<f8")`; empty
        without `trace_cwnd`."""
    @property
    def cwnd_trace_bytes(self) -> bytes:
        """Congestion window from each instant on, bytes: `"<u4"`."""
    @property
    def ssthresh_trace_bytes(self) -> bytes:
        """Slow start threshold from each instant on, bytes; 2^32 - 1 stands for unlimited: `"<u4"`."""
    @property
    def cwnd_causes(self) -> bytes:
        """Index into `CWND_CAUSES` for each instant: `"u1"`."""
    @property
    def flight_trace_bytes(self) -> bytes:
        """Bytes sent and not acknowledged, at each instant: `"<u4"`."""
    @property
    def srtt_trace_s(self) -> bytes:
        """Smoothed round-trip time at each instant, 0 before the first measurement: `"<f8"`."""
    @property
    def cwnd_trace_lost(self) -> int:
        """Changes of the window beyond `trace_limit`."""
    @property
    def sent_segments(self) -> int:
        """TCP segments of any kind that the sender sent; without those that were received they are lost, or
        in flight at an end of the window."""
    @property
    def received_segments(self) -> int:
        """TCP segments of any kind that arrived at the receiver."""
    @property
    def idle_restarts(self) -> int:
        """Times that the window fell back to the initial window (`restart_after_idle`)."""
    @property
    def web_pages(self) -> int:
        """Transfers of a web session that were completed in the window."""
    @property
    def web_active_s(self) -> float:
        """Time that a web session spent in transfers in the window, think times left out."""
    @property
    def datagrams_sent(self) -> int:
        """UDP packets that the source made; 0 for TCP."""
    @property
    def datagrams_received(self) -> int:
        """UDP packets that arrived."""

CWND_CAUSES: tuple[str, ...]
"""Names of the causes of a change of the congestion window."""

@final
class HostResult:
    """Frames of one host or sink, in the window."""

    @property
    def name(self) -> str: ...
    @property
    def sent_frames(self) -> int: ...
    @property
    def received_frames(self) -> int: ...
    @property
    def queue_drops(self) -> int:
        """Frames that found the host's own queue full."""
    @property
    def queue_max(self) -> int:
        """Deepest that the host's own queue got, packets."""
    @property
    def misdelivered_frames(self) -> int:
        """Frames for another MAC or IP address, or for no connection of this host. More than none points to
        a wrong route."""
    @property
    def damaged_frames(self) -> int:
        """Segments that TCP refused: bad checksum or length."""

@final
class SwitchResult:
    """Totals of one switch over all its ports, in the window."""

    @property
    def name(self) -> str: ...
    @property
    def received_packets(self) -> int: ...
    @property
    def ingress_drops(self) -> int:
        """Dropped by the ingress pipeline: no route, early drop, damaged."""
    @property
    def tail_drops(self) -> int: ...
    @property
    def egress_drops(self) -> int: ...
    @property
    def sent_packets(self) -> int: ...
    @property
    def unlinked_drops(self) -> int:
        """Packets that were sent out of a port that no link uses."""

@final
class NetworkResult:
    """Result of one run. Lists are in the order in which their things were added to the network."""

    @property
    def seed(self) -> int: ...
    @property
    def window_s(self) -> tuple[float, float]: ...
    @property
    def events(self) -> int:
        """Number of simulated events, for speed measurements."""
    @property
    def ports(self) -> list[PortResult]: ...
    @property
    def flows(self) -> list[FlowResult]: ...
    @property
    def hosts(self) -> list[HostResult]: ...
    @property
    def switches(self) -> list[SwitchResult]: ...
    @property
    def delay(self) -> DelayStats:
        """Of the data packets of all flows together."""
    def to_bytes(self) -> bytes:
        """Every number of the result in a fixed order; equal exactly when the results are equal."""
