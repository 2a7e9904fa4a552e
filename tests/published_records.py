"""The worked example of exported records: a store with a fixed clock, written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import NewRecord, Replacement
from agentctx.records.transfer import export_records
from agentctx.records.write import add_record, supersede_record
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = "5" * 64


def records_example(folder: Path) -> str:
    """Give what `agentctx export` writes of three facts, one of them replaced."""
    with store_at(folder / "agentctx") as store:
        first = add_record(
            store,
            PROJECT,
            NewRecord(
                type="decision",
                title="Cabinets poll the server",
                body="Cabinets fetch their commands over MQTT, since modems sleep.",
                source="cli",
                files=("firmware/link.c",),
            ),
        ).record
        supersede_record(
            store,
            PROJECT,
            first.id,
            Replacement(
                body="Cabinets fetch their commands by long polling over HTTPS.",
                source="cli",
                trust="developer",
                rationale="Two carriers block the port of MQTT.",
            ),
        )
        add_record(
            store,
            PROJECT,
            NewRecord(
                type="discovery",
                title="При −30 °C модем молчит",
                body="Модем не регистрируется в сети, пока не прогреется до −20 °C.",
                source="llm_extraction",
                confidence="inferred",
                trust="model",
                session_id="session-7",
                quote="модем молчал, пока не прогрелся",
            ),
        )
        return export_records(store, PROJECT, name="parcel-lockers").content.decode()
