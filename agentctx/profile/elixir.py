"""Elixir: Mix projects, searched as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from agentctx.profile.manifests import Place

LIBRARIES = {
    "phoenix": "Phoenix",
    "phoenix_live_view": "LiveView",
    "ecto": "Ecto",
    "ecto_sql": "Ecto",
    "credo": "Credo",
    "dialyxir": "Dialyxir",
    "ex_doc": "ExDoc",
}

_COMMENT = re.compile(r"#[^\n]*")
_APP = re.compile(r"\bapp:\s*:(\w{1,80})")
_VERSION = re.compile(r"\belixir:\s*\"([^\"\n]{1,40})\"")
_NEED = re.compile(r"\{\s*:(\w{1,80}),")
_UMBRELLA = re.compile(r"\bapps_path:\s*\"([\w./-]{1,80})\"")
_MODULE = re.compile(r"\bmod:\s*\{\s*([\w.]{1,120})")


def read(place: Place) -> Found | None:
    """Read one folder's `mix.exs`."""
    if not place.has("mix.exs"):
        return None
    text = _COMMENT.sub("", place.text("mix.exs"))
    app, version = _APP.search(text), _VERSION.search(text)
    umbrella, module = _UMBRELLA.search(text), _MODULE.search(text)
    needs = set(_NEED.findall(text))
    commands = [
        Command("install", "mix deps.get"),
        Command("build", "mix compile"),
        Command("test", "mix test"),
        Command("format", "mix format"),
    ]
    if "credo" in needs:
        commands.append(Command("lint", "mix credo"))
    if "dialyxir" in needs:
        commands.append(Command("typecheck", "mix dialyzer"))
    if "phoenix" in needs:
        commands.append(Command("run", "mix phx.server"))
    stack = [
        f"Elixir {version[1]}" if version else "Elixir",
        "Mix umbrella" if umbrella else "Mix",
        *known(needs, LIBRARIES),
    ]
    return Found(
        "Elixir",
        name=app[1] if app else "",
        stack=tuple(stack),
        commands=tuple(commands),
        entry_points=(f"application = {module[1]}",) if module else (),
        patterns=(f"{umbrella[1]}/*",) if umbrella else (),
    )
