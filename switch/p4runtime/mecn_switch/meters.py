# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Indexed meters (section 9.4), and what direct meters share with them."""

from collections.abc import Iterator

import mecn_native
from finsy.proto import p4r, rpc_code

from .cells import cells
from .pipeline import Pipeline
from .schema import Meter
from .status import StatusError, from_engine, invalid_argument


def config_from_wire(meter: Meter, config: p4r.MeterConfig) -> mecn_native.MeterConfig:
    """Raises INVALID_ARGUMENT for rates that the meter's type does not have, UNIMPLEMENTED for excess
    bursts."""
    what = f"meter {meter.name}"
    if min(config.cir, config.cburst, config.pir, config.pburst, config.eburst) < 0:
        raise invalid_argument(f"{what}: rates and burst sizes cannot be negative")
    if meter.type != "srtcm" and config.eburst:
        raise invalid_argument(f"{what}: only meters with one rate and three colours have an eburst")
    if meter.type != "trtcm" and (config.pir, config.pburst) != (config.cir, config.cburst):
        raise invalid_argument(f"{what}: it has one rate, so pir and pburst must be cir and cburst")
    if config.pir < config.cir:
        raise invalid_argument(f"{what}: pir {config.pir} is less than cir {config.cir}")
    if config.eburst:
        raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: excess bursts are not supported")
    return mecn_native.MeterConfig(config.cir, config.cburst, config.pir, config.pburst)


def config_to_wire(config: mecn_native.MeterConfig) -> p4r.MeterConfig:
    """Rates and burst sizes as they were written."""
    return p4r.MeterConfig(cir=config.cir, cburst=config.cburst, pir=config.pir, pburst=config.pburst)


def write_meter_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.MeterEntry) -> None:
    """Configures one cell or, without an index, all cells of a meter; without a config everything is
    green."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a meter entry can only be modified")
    meter = pipeline.schema.meter(entry.meter_id)
    if entry.HasField("counter_data"):
        raise no_counters(meter)
    indexes = cells(f"meter {meter.name}", meter.size, entry)
    config = config_from_wire(meter, entry.config) if entry.HasField("config") else None
    try:
        for index in indexes:
            pipeline.switch.meter_write(meter.name, index, config)
    except mecn_native.ControlError as error:
        raise from_engine(f"meter {meter.name}", error) from error


def read_meter_entries(pipeline: Pipeline, query: p4r.MeterEntry) -> Iterator[p4r.MeterEntry]:
    """One cell, all cells of a meter, or (id 0) all cells of all meters."""
    if query.meter_id:
        meters = [pipeline.schema.meter(query.meter_id)]
    elif query.HasField("index"):
        raise invalid_argument("a query without a meter id cannot have an index")
    else:
        meters = list(pipeline.schema.meters.values())
    for meter in meters:
        if query.HasField("counter_data"):
            raise no_counters(meter)
        for index in cells(f"meter {meter.name}", meter.size, query):
            config = pipeline.switch.meter_read(meter.name, index)
            yield p4r.MeterEntry(
                meter_id=meter.id,
                index=p4r.Index(index=index),
                config=None if config is None else config_to_wire(config),
            )


def no_counters(meter: Meter) -> StatusError:
    """The refusal of counters by colour, which the specification leaves to targets."""
    return StatusError(rpc_code.UNIMPLEMENTED, f"meter {meter.name}: counters by colour are not supported")
