"""Python: pyproject, setup, requirements, and the tools that run them."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING

from agentctx.profile.manifests import table, under, word, words
from agentctx.profile.model import Command, Found
from agentctx.profile.names import is_runnable, kind_of, known

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentctx.profile.manifests import Place

_SIGNS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "tox.ini",
    "noxfile.py",
    "manage.py",
    "environment.yml",
)

LIBRARIES = {
    "django": "Django",
    "fastapi": "FastAPI",
    "flask": "Flask",
    "starlette": "Starlette",
    "pydantic": "Pydantic",
    "sqlalchemy": "SQLAlchemy",
    "celery": "Celery",
    "click": "Click",
    "typer": "Typer",
    "numpy": "NumPy",
    "pandas": "pandas",
    "polars": "Polars",
    "scikit-learn": "scikit-learn",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "pytest": "pytest",
    "hypothesis": "Hypothesis",
    "ruff": "Ruff",
    "black": "Black",
    "flake8": "Flake8",
    "pylint": "Pylint",
    "mypy": "mypy",
    "pyright": "Pyright",
    "basedpyright": "basedpyright",
    "tox": "tox",
    "nox": "nox",
    "pre-commit": "pre-commit",
    "mkdocs": "MkDocs",
    "sphinx": "Sphinx",
}

_TOOLS = ("pytest", "ruff", "black", "flake8", "pylint", "mypy", "pyright", "tox")
_FILES = {
    "pytest.ini": "pytest",
    "ruff.toml": "ruff",
    ".ruff.toml": "ruff",
    "mypy.ini": "mypy",
    ".flake8": "flake8",
    ".pylintrc": "pylint",
    "pyrightconfig.json": "pyright",
    "tox.ini": "tox",
    "noxfile.py": "nox",
}

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_POINT = re.compile(r"\s*([\w.-]+)\s*=\s*([\w.]+(?::[\w.]+)?)")
_AT_LEAST = re.compile(r">=\s*(\d+(?:\.\d+)?)(?:\.0)?")
_CONSOLE = re.compile(r"['\"]console_scripts['\"]\s*:\s*\[([^\[\]]*)\]")
_QUOTED = re.compile(r"['\"]([^'\"\n]+)['\"]")

_COMMANDS = (
    ("test", "pytest", "pytest"),
    ("test", "tox", "tox"),
    ("test", "nox", "nox"),
    ("lint", "ruff", "ruff check"),
    ("lint", "flake8", "flake8"),
    ("lint", "pylint", "pylint"),
    ("format", "black", "black ."),
    ("format", "ruff", "ruff format"),
    ("typecheck", "mypy", "mypy"),
    ("typecheck", "pyright", "pyright"),
    ("typecheck", "basedpyright", "basedpyright"),
)
"""What to run where a tool is in use; the first of a kind counts."""

_MANAGERS = {
    "uv": ("uv sync", "uv run ", "uv build"),
    "Poetry": ("poetry install", "poetry run ", "poetry build"),
    "PDM": ("pdm install", "pdm run ", "pdm build"),
    "Hatch": ("hatch env create", "hatch run ", "hatch build"),
    "Pipenv": ("pipenv install --dev", "pipenv run ", ""),
}
"""How each manager installs, runs and builds."""


def read(place: Place) -> Found | None:
    """Read one folder's Python manifests."""
    if not place.has(*_SIGNS) and not place.has("uv.lock", "poetry.lock"):
        return None
    project = place.toml("pyproject.toml")
    setup = _ini(place.text("setup.cfg"))
    tools = table(project.get("tool"))
    needs = set(_requirements(place, project, setup))
    used = {tool for tool in _TOOLS if tool in needs or tool in tools}
    used |= {tool for name, tool in _FILES.items() if place.has(name)}
    if "tool:pytest" in setup:
        used.add("pytest")
    manager = _manager(place, tools)
    library = known(needs | used, LIBRARIES)
    return Found(
        "Python",
        name=_name(project, setup),
        stack=tuple(filter(None, [_version(place, project, setup), manager, *library])),
        commands=(*_scripts(manager, tools), *_commands(place, project, manager, used)),
        entry_points=tuple(_entry_points(place, project, setup)),
        patterns=tuple(words(under(tools, "uv", "workspace", "members"))),
        left_out=tuple(words(under(tools, "uv", "workspace", "exclude"))),
    )


def _name(project: Mapping[str, object], setup: Mapping[str, Mapping[str, str]]) -> str:
    return (
        word(under(project, "project", "name"))
        or word(under(project, "tool", "poetry", "name"))
        or setup.get("metadata", {}).get("name", "")
    )


def _version(
    place: Place,
    project: Mapping[str, object],
    setup: Mapping[str, Mapping[str, str]],
) -> str:
    asked = (
        word(under(project, "project", "requires-python"))
        or word(under(project, "tool", "poetry", "dependencies", "python"))
        or setup.get("options", {}).get("python_requires", "")
        or place.text(".python-version").strip().partition("\n")[0]
    )
    simple = _AT_LEAST.fullmatch(asked)
    if simple is not None:
        return f"Python {simple[1]}+"
    return f"Python {asked}".strip()


def _manager(place: Place, tools: Mapping[str, object]) -> str:
    """Name what manages the environment; a lock file says more than a section."""
    locks = {
        "uv.lock": "uv",
        "poetry.lock": "Poetry",
        "pdm.lock": "PDM",
        "Pipfile.lock": "Pipenv",
    }
    for lock, manager in locks.items():
        if place.has(lock):
            return manager
    sections = {"uv": "uv", "poetry": "Poetry", "pdm": "PDM"}
    for section, manager in sections.items():
        if section in tools:
            return manager
    if table(under(tools, "hatch", "envs")):
        return "Hatch"
    return "Pipenv" if place.has("Pipfile") else ""


def _requirements(
    place: Place,
    project: Mapping[str, object],
    setup: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    """Give the names of everything the project asks for, for any purpose."""
    listed: list[str] = [*words(under(project, "project", "dependencies"))]
    listed += setup.get("options", {}).get("install_requires", "").split("\n")
    for extra in setup.get("options.extras_require", {}).values():
        listed += extra.split("\n")
    tables: list[object] = [
        under(project, "project", "optional-dependencies"),
        project.get("dependency-groups"),
        under(project, "tool", "pdm", "dev-dependencies"),
    ]
    for groups in tables:
        for group in table(groups).values():
            listed += words(group)
    listed += words(under(project, "tool", "uv", "dev-dependencies"))
    for environment in table(under(project, "tool", "hatch", "envs")).values():
        listed += words(under(environment, "dependencies"))
    for name in place.ending(".txt"):
        if "requirements" in name:
            listed += place.text(name).split("\n")
    yield from _names(listed)
    poetry = under(project, "tool", "poetry")
    yield from table(under(poetry, "dependencies"))
    yield from table(under(poetry, "dev-dependencies"))
    for group in table(under(poetry, "group")).values():
        yield from table(under(group, "dependencies"))
    for section in ("packages", "dev-packages"):
        yield from table(place.toml("Pipfile").get(section))


def _names(requirements: Iterable[str]) -> Iterator[str]:
    for requirement in requirements:
        match = _NAME.match(requirement)
        if match is not None:
            yield match[1].lower().replace("_", "-")


def _scripts(manager: str, tools: Mapping[str, object]) -> Iterator[Command]:
    """Give the tasks that runners inside pyproject define."""
    prefix = _MANAGERS[manager][1] if manager else ""
    sources = (
        ("pdm run ", under(tools, "pdm", "scripts")),
        ("hatch run ", under(tools, "hatch", "envs", "default", "scripts")),
        (f"{prefix}poe ", under(tools, "poe", "tasks")),
        (f"{prefix}task ", under(tools, "taskipy", "tasks")),
    )
    for start, scripts in sources:
        for name, body in table(scripts).items():
            if is_runnable(name):
                does = word(body) or word(table(body).get("cmd"))
                yield Command(kind_of(name), f"{start}{name}", does)


def _commands(
    place: Place, project: Mapping[str, object], manager: str, used: set[str]
) -> Iterator[Command]:
    install, prefix, build = _MANAGERS.get(manager, ("", "", ""))
    packaged = "build-system" in project or place.has("setup.py")
    if not install and packaged:
        install = "pip install -e ."
    elif not install and place.has("requirements.txt"):
        install = "pip install -r requirements.txt"
    elif not install and place.has("environment.yml"):
        install = "conda env create -f environment.yml"
    if install:
        yield Command("install", install)
    if packaged:
        yield Command("build", build or "python -m build")
    given: set[str] = set()
    for kind, tool, run in _COMMANDS:
        if tool in used and kind not in given:
            given.add(kind)
            yield Command(kind, prefix + run)
    if place.has("manage.py"):
        yield Command("run", f"{prefix}python manage.py runserver")
        if "test" not in given:
            yield Command("test", f"{prefix}python manage.py test")


def _entry_points(
    place: Place,
    project: Mapping[str, object],
    setup: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    for scripts in (
        under(project, "project", "scripts"),
        under(project, "project", "gui-scripts"),
        under(project, "tool", "poetry", "scripts"),
    ):
        for name, target in table(scripts).items():
            called = word(target) or word(under(target, "callable"))
            if called:
                yield f"{name} = {called}"
    written = setup.get("options.entry_points", {}).get("console_scripts", "")
    lines = written.split("\n")
    for block in _CONSOLE.findall(place.text("setup.py")):
        lines += _QUOTED.findall(block)
    for line in lines:
        match = _POINT.match(line)
        if match is not None:
            yield f"{match[1]} = {match[2]}"
    if place.has("manage.py"):
        yield "manage.py"


def _ini(text: str) -> Mapping[str, Mapping[str, str]]:
    """Read a `.cfg` file as far as it is one."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError, AttributeError):
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}
