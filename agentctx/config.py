"""The user's settings, and where everything of the user's lies.

Settings are one JSON object in `config.json`; a key that is not ours stays when we
write. Whoever only reads gets the defaults for what cannot be used, and is told why;
nothing is written over a file that cannot be read. No other module of this package
reads the environment.
"""

from __future__ import annotations

import json
import os

from agentctx.errors import (
    ConfigFileError,
    ConfigKeyError,
    ConfigValueError,
    HomeError,
)
from agentctx.privatefile import folder_lock, make_private_folder, write_private
from agentctx.smallfile import small_text
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from corpus.errors import CodedError

    Value = bool | int | float | str
    Kind = type[bool | int | float | str]

HOME_VARIABLE = "AGENTCTX_HOME"
USUAL_HOME = ".agentctx"
FILE = "config.json"
MOST_BYTES = 64 * 1024
MOST_CHARACTERS = 200

_WORDS = {"true": True, "on": True, "yes": True}
_WORDS |= {"false": False, "off": False, "no": False}
_LONGEST_NUMBER = 20


class Setting(NamedTuple):
    """One setting: its type, its default and the values it may have.

    `least` and `most` bound a number; `choices`, where there are any, are the only
    texts. `idle` says that nothing looks at it yet: it is checked and kept.
    """

    key: str
    kind: Kind
    default: Value
    about: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    idle: bool = True

    @property
    def takes(self) -> str:
        """What a value has to be, in words that follow `is not`."""
        if self.kind is bool:
            return "true or false"
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is str:
            return f"a text of 1 to {MOST_CHARACTERS} printable characters"
        number = "a whole number" if self.kind is int else "a number"
        return f"{number} from {self.least:g} to {self.most:g}"


SETTINGS = (
    Setting(
        "llm",
        bool,
        default=True,
        about="let a model extract, where a key is set",
        idle=False,
    ),
    Setting(
        "embeddings", bool, default=True, about="search by meaning too, where installed"
    ),
    Setting(
        "modelTier",
        str,
        default="default",
        about="which model search by meaning uses",
        choices=("default", "quality"),
    ),
    Setting(
        "reinforceThreshold",
        int,
        default=3,
        about="distinct sessions that make an inferred record a reinforced one",
        least=1,
        most=100,
        idle=False,
    ),
    Setting(
        "model",
        str,
        default="claude-haiku-5-5",
        about="the model that extracts and that `agentctx chat` talks with",
        idle=False,
    ),
    Setting(
        "inputPrice",
        float,
        default=0.0,
        about="US dollars for a million tokens read, in place of the price table's",
        most=1000,
        idle=False,
    ),
    Setting(
        "outputPrice",
        float,
        default=0.0,
        about="US dollars for a million tokens written, in place of the price table's",
        most=1000,
        idle=False,
    ),
    Setting(
        "spendPerSession",
        float,
        default=0.25,
        about="US dollars that a session may cost",
        most=100,
        idle=False,
    ),
    Setting(
        "spendPerDay",
        float,
        default=2.0,
        about="US dollars that a day may cost",
        most=1000,
        idle=False,
    ),
    Setting(
        "memory",
        bool,
        default=True,
        about="remember conversations in projects that have a memory",
        idle=False,
    ),
    Setting(
        "turnLeaseMinutes",
        int,
        default=30,
        about="minutes without a sign after which an open turn counts as interrupted",
        least=1,
        most=1440,
        idle=False,
    ),
    Setting(
        "branchStaging",
        bool,
        default=True,
        about="stage what is learned on a branch until the branch joins the main line",
        idle=False,
    ),
    Setting(
        "mainBranch",
        str,
        default="auto",
        about="the branch that is the main line where there is one of that name;"
        " `auto` asks git's own files",
        idle=False,
    ),
    Setting("redact", bool, default=True, about="redact secrets in remembered turns"),
)
"""Every setting there is."""

BY_KEY = {setting.key: setting for setting in SETTINGS}


class Problem(NamedTuple):
    """Why something of the configuration is not used, as its error says it."""

    code: str
    detail: str
    hint: str


class Config(NamedTuple):
    """The settings in force; `problems` says which of them are only defaults, and why.

    `set_keys` are the keys that the file sets to a value that can be used.
    """

    values: Mapping[str, Value]
    set_keys: frozenset[str]
    problems: tuple[Problem, ...]

    def flag(self, key: str) -> bool:
        """Give a setting that is true or false."""
        return bool(self.values[key])

    def number(self, key: str) -> float:
        """Give a setting that is a number."""
        return float(self.values[key])

    def text(self, key: str) -> str:
        """Give a setting that is a text."""
        return str(self.values[key])


def environment() -> Mapping[str, str]:
    """Give the environment this process was started in."""
    return os.environ


def home(environ: Mapping[str, str] | None = None) -> str:
    """Say where the user's store and settings lie; the folder need not exist.

    That is `AGENTCTX_HOME` where it is set, else `~/.agentctx`. What is not fit to be
    used is given as it is: `require_place` says so.
    """
    known = environment() if environ is None else environ
    given = known.get(HOME_VARIABLE, "")
    if given:
        return os.path.normpath(given)
    user = known.get("HOME")
    if user is None:
        user = os.path.expanduser("~")  # noqa: PTH111 - text
    return os.path.join(user, USUAL_HOME)  # noqa: PTH118 - text


def require_place(folder: str) -> None:
    """Refuse a home that would be made somewhere odd; HomeError says why.

    It has to be an absolute path, in a folder that exists: only the home itself is ever
    made.
    """
    if not os.path.isabs(folder):  # noqa: PTH117 - text
        reason = (
            f"`{folder[:MOST_CHARACTERS]}` is not an absolute path; `{HOME_VARIABLE}`,"
            " or `HOME` without it, has to be one"
        )
        raise HomeError(reason=reason)
    above = os.path.dirname(folder)  # noqa: PTH120 - text
    if not os.path.isdir(above):  # noqa: PTH112 - text
        reason = f"it would lie in {above[:MOST_CHARACTERS]}, which is no folder"
        raise HomeError(reason=reason)


def config_path(folder: str) -> str:
    """Say where the settings of a home lie."""
    return f"{folder}/{FILE}"


def read_config(folder: str) -> Config:
    """Give the settings in force; never fails."""
    values: dict[str, Value] = {one.key: one.default for one in SETTINGS}
    try:
        stored = stored_settings(folder)
    except (ConfigFileError, HomeError) as error:
        return Config(values, frozenset(), (_problem(error),))
    problems = []
    used = set()
    for setting in SETTINGS:
        if setting.key not in stored:
            continue
        try:
            values[setting.key] = _checked(setting, stored[setting.key])
            used.add(setting.key)
        except ConfigValueError as error:
            problems.append(_problem(error))
    return Config(values, frozenset(used), tuple(problems))


def stored_settings(folder: str) -> dict[str, object]:
    """Give what the file holds, all keys; ConfigFileError when it cannot be used.

    HomeError where there is no place for it.
    """
    require_place(folder)
    path = config_path(folder)
    if not os.path.lexists(path):
        return {}
    text = small_text(path, limit=MOST_BYTES)
    if text is None:
        raise ConfigFileError(
            reason=f"it is no file of at most {MOST_BYTES} bytes that we can read"
        )
    try:
        text.encode("utf-8")  # ValueError: bytes that are no text
        value = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_constant
        )
    except json.JSONDecodeError as problem:
        raise ConfigFileError(
            reason=f"it is not JSON at line {problem.lineno} column {problem.colno}"
        ) from None
    except (ValueError, RecursionError):
        raise ConfigFileError(reason="it is not JSON that can be kept") from None
    if not isinstance(value, dict):
        raise ConfigFileError(reason="it is not one JSON object")
    return value


def parse_setting(key: str, text: str) -> Value:
    """Read a value as a person types it; ConfigKeyError, ConfigValueError."""
    setting = setting_of(key)
    if setting.kind is bool:
        return _checked(setting, _WORDS.get(text.strip().lower(), text))
    if setting.kind is str:
        return _checked(setting, text.strip())
    return _checked(setting, _number(text))


def setting_of(key: str) -> Setting:
    """Give the setting with a key; ConfigKeyError when there is none."""
    if key not in BY_KEY:
        raise ConfigKeyError(key=key[:MOST_CHARACTERS])
    return BY_KEY[key]


def write_setting(folder: str, key: str, value: Value) -> None:
    """Set one key in the file and keep all others, whosever they are.

    ConfigFileError leaves the file as it is; HomeError when nothing can be written.
    """
    checked = _checked(setting_of(key), value)
    require_place(folder)
    try:
        make_private_folder(folder)
        with folder_lock(folder):
            stored = stored_settings(folder)
            stored[key] = checked
            text = json.dumps(stored, ensure_ascii=True, indent=2)
            write_private(config_path(folder), f"{text}\n".encode())
    except OSError:
        raise HomeError(reason="config.json cannot be written") from None


def _checked(setting: Setting, value: object) -> Value:
    """Give the value as its type; ConfigValueError says what it has to be."""
    if setting.kind is bool and isinstance(value, bool):
        return value
    if setting.kind is str and isinstance(value, str) and _is_text(setting, value):
        return value
    if setting.kind in {int, float} and _is_number(setting, value):
        assert isinstance(value, int | float)
        return value if setting.kind is int else float(value)
    raise ConfigValueError(
        key=setting.key, reason=f"is not {setting.takes}: {_shown(value)}"
    )


def _is_text(setting: Setting, value: str) -> bool:
    if setting.choices:
        return value in setting.choices
    return 0 < len(value) <= MOST_CHARACTERS and value.isprintable()


def _is_number(setting: Setting, value: object) -> bool:
    wanted = int if setting.kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted):
        return False
    assert isinstance(value, int | float)
    return setting.least <= value <= setting.most  # never true of NaN


def _number(text: str) -> object:
    """Read a number; what is none stays text, to be told as it was typed."""
    wanted = text.strip()
    if len(wanted) > _LONGEST_NUMBER or not wanted.isascii():
        return text
    for kind in (int, float):
        try:
            return kind(wanted)
        except ValueError:
            continue
    return text


def _shown(value: object) -> str:
    """Name a value that was refused, by its size where it is long."""
    if isinstance(value, dict | list):
        return f"a {type(value).__name__} of {len(value)}"
    text = f"`{value}`" if isinstance(value, str) else str(value)
    if len(text) <= MOST_CHARACTERS and text.isprintable():
        return text
    return f"{len(text)} characters"


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError  # one of two equal keys would be lost when written
    return found


def _no_constant(_: str) -> NoReturn:
    raise ValueError


def _problem(error: CodedError) -> Problem:
    return Problem(error.code, str(error), error.hint)
