"""`agentctx config`: show a setting, change one, or list them all."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.config import (
    BY_KEY,
    SETTINGS,
    config_path,
    home,
    parse_setting,
    read_config,
    setting_of,
    stored_settings,
    write_setting,
)
from agentctx.errors import HomeError
from corpus.cli.render import visible
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.config import Config
    from corpus.cli.call import Call

SUMMARY = "Show a setting, change one, or list them all."
EXAMPLE = "agentctx config set spendPerDay 1.5"

GET, SET, LIST = "get", "set", "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Some settings as they are now, and where they are kept."""

    keys: tuple[str, ...]
    config: Config
    path: str

    def as_json(self) -> dict[str, object]:
        """Give the settings as one JSON object; one that was named, alone."""
        told = [self._told(key) for key in self.keys]
        if len(told) == 1:
            return told[0]
        problems = [one._asdict() for one in self.config.problems]
        return {"path": self.path, "settings": told, "problems": problems}

    def _told(self, key: str) -> dict[str, object]:
        setting = BY_KEY[key]
        return {
            "key": key,
            "value": self.config.values[key],
            "default": setting.default,
            "set": key in self.config.set_keys,
            "takes": setting.takes,
            "about": setting.about,
            "in_effect": not setting.idle,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "action",
        metavar="get|set|list",
        nargs="?",
        choices=(GET, SET, LIST),
        help="what to do (default: list)",
    )
    parser.add_argument("key", metavar="KEY", nargs="?", help="the setting")
    parser.add_argument("value", metavar="VALUE", nargs="?", help="what to set it to")
    parser.add_argument(
        "--llm", action="store_true", help="let a model extract: `set llm true`"
    )
    parser.add_argument(
        "--no-llm", action="store_true", help="let no model extract: `set llm false`"
    )


def run(
    call: Call,
    *,
    action: str | None,
    key: str | None,
    value: str | None,
    llm: bool,
    no_llm: bool,
) -> Settings:
    """Do what was asked; a file that cannot be used is ConfigFileError, untouched."""
    del call
    if llm or no_llm:
        if (llm and no_llm) or action is not None:
            raise UsageError(problem="`--llm` and `--no-llm` go with nothing else")
        action, key, value = SET, "llm", str(llm).lower()
    _require_shape(action or LIST, key, value)
    folder = home()
    if key is not None:
        setting_of(key)
    if key is not None and value is not None:
        write_setting(folder, key, parse_setting(key, value))
    with suppress(HomeError):  # told with the defaults that hold then
        stored_settings(folder)
    return Settings(
        keys=tuple(one.key for one in SETTINGS) if key is None else (key,),
        config=read_config(folder),
        path=config_path(folder),
    )


def lines(value: Settings) -> Iterator[str]:
    """Show one setting a line; `*` marks what the file sets."""
    width = max(map(len, value.keys))
    for key in value.keys:
        setting = BY_KEY[key]
        mark = "*" if key in value.config.set_keys else " "
        now = visible(_written(value.config.values[key]))
        yield f"{mark} {key:<{width}}  {now}"
        idle = "; no effect yet" if setting.idle else ""
        yield f"  {'':<{width}}  {setting.about}; {setting.takes}{idle}"
    for problem in value.config.problems:
        yield f"not used: {visible(problem.detail)}"
    if len(value.keys) > 1:
        yield f"* is set in {visible(value.path)}"


def _require_shape(action: str, key: str | None, value: str | None) -> None:
    """Demand the arguments that an action takes, no more and no fewer."""
    if action == LIST and key is not None:
        raise UsageError(problem="`config list` takes nothing more")
    if action != LIST and key is None:
        raise UsageError(problem=f"`config {action}` needs a KEY")
    if action == GET and value is not None:
        raise UsageError(problem="`config get` takes a KEY alone")
    if action == SET and value is None:
        raise UsageError(problem="`config set` needs a VALUE")


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
