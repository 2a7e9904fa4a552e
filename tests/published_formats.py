"""The published formats as they are kept, and what a value breaks of one."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

EXPORTS = Path(__file__).resolve().parents[1] / "exports"

Json: TypeAlias = Any
"""Whatever JSON holds."""


def schema_of(name: str) -> dict[str, Any]:
    text = (EXPORTS / name / f"{name}.schema.json").read_text(encoding="utf-8")
    value: dict[str, Any] = json.loads(text)
    return value


def example_of(name: str) -> Json:
    folder = EXPORTS / name
    (path,) = folder.glob(f"{name}.example.*")
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def problems(name: str, value: object) -> list[str]:
    found = Draft202012Validator(schema_of(name)).iter_errors(value)
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in found]
