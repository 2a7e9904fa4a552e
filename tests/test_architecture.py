"""The import picture of docs/architecture.md, the size of everything, and who may."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.commands import PROGRAM as AGENTCTX
from corpus.cli.commands import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ROOT = Path(__file__).parents[1]
MAX_MODULE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_ARGUMENTS = 6

LAYERS: tuple[tuple[str, ...], ...] = (
    ("corpus.values",),
    ("corpus.errors", "corpus.checksum", "corpus.patterns"),
    ("corpus.refusals", "corpus.defect"),
    (
        "corpus.refs",
        "corpus.findings",
        "corpus.published",
        "corpus.lines",
        "corpus.visible",
        "corpus.entrypoints",
    ),
    (
        "corpus.canonical",
        "corpus.tokens",
        "corpus.wordlists",
        "corpus.commonwords",
        "corpus.reading",
    ),
    ("corpus.instructions", "corpus.keyshapes", "corpus.suspicion"),
    ("corpus.scripts", "corpus.stems", "corpus.identifiers"),
    ("corpus.lexical", "corpus.intent"),
    ("corpus.headings", "corpus.blocks", "corpus.frontmatter"),
    ("corpus.scanner", "corpus.passages"),
    ("corpus.markdown",),
    ("corpus.heads", "corpus.turns"),
    ("corpus.sqlite",),
    ("corpus.confined",),
    ("corpus.scopes", "corpus.tomlinput", "corpus.policy", "corpus.userdirs"),
    ("corpus.grant", "corpus.trust", "corpus.authority"),
    ("corpus.protocol",),
    ("corpus.sources",),
    ("corpus.mandate", "corpus.approval"),
    ("corpus.provision",),
    ("corpus.writes",),
    ("corpus.index",),
    (
        "corpus.nearness",
        "corpus.substance",
        "corpus.sameness",
        "corpus.ranking",
        "corpus.duplicates",
    ),
    ("corpus.succession", "corpus.view", "corpus.browse"),
    ("corpus.worth",),
    (
        "corpus.excerpt",
        "corpus.hits",
        "corpus.joined",
        "corpus.ranker",
        "corpus.search",
    ),
    ("corpus.jsoninput", "corpus.summaries", "corpus.selection"),
    ("corpus.bundle", "corpus.prompt", "corpus.quoted"),
    ("corpus.receipt", "corpus.candidate"),
    ("corpus.ledger", "corpus.metrics"),
    ("corpus.origins",),
    ("corpus.inbox",),
    ("corpus.submission", "corpus.acceptance"),
    ("corpus.ladder",),
    ("corpus.evaldata", "corpus.evalreport", "corpus.evaluate"),
    ("corpus.doctor", "corpus.soundness", "corpus.examination", "corpus.watch"),
    ("corpus.workers", "corpus.fleetreport"),
    ("corpus.executors", "corpus.fleet"),
    ("agentctx.errors",),
    (
        "agentctx.clock",
        "agentctx.smallfile",
        "agentctx.privatefile",
        "agentctx.secretwords",
        "agentctx.secretvalues",
        "agentctx.secretplain",
        "agentctx.secretnames",
        "agentctx.secretplaces",
        "agentctx.secretrules",
    ),
    ("agentctx.ids", "agentctx.config", "agentctx.redact", "agentctx.failures"),
    ("agentctx.gitconfig", "agentctx.sshconfig", "agentctx.remotes"),
    ("agentctx.repository",),
    ("agentctx.references",),
    ("agentctx.branches", "agentctx.project"),
    ("agentctx.profile",),
    ("agentctx.memory",),
    ("agentctx.records",),
    (
        "agentctx.llm",
        "agentctx.observing",
        "agentctx.clients",
        "agentctx.drift",
        "agentctx.providers",
    ),
    ("agentctx.team",),
    ("agentctx.briefing", "agentctx.report"),
    ("agentctx.extraction",),
    ("agentctx.chat",),
    ("agentctx.rungs",),
    ("corpus.mcp",),
    ("corpus.cli",),
    ("agentctx.mcp",),
    ("agentctx.hooks",),
    ("agentctx.cli",),
    ("agentctx.start",),
    ("agentctx.__main__",),
)
"""The packages' units, lowest row first."""

UNITS = [unit for row in LAYERS for unit in row]

WITHIN: dict[str, set[str]] = {
    "corpus.findings": {"corpus.refs"},
    "corpus.suspicion": {"corpus.instructions", "corpus.keyshapes"},
    "corpus.identifiers": {"corpus.scripts", "corpus.stems"},
    "corpus.intent": {"corpus.lexical"},
    "corpus.passages": {"corpus.scanner"},
    "corpus.tomlinput": {"corpus.scopes"},
    "corpus.policy": {"corpus.scopes", "corpus.tomlinput"},
    "corpus.trust": {"corpus.grant"},
    "corpus.authority": {"corpus.grant"},
    "corpus.approval": {"corpus.mandate"},
    "corpus.view": {"corpus.succession"},
    "corpus.joined": {"corpus.hits"},
    "corpus.ranker": {"corpus.hits", "corpus.joined"},
    "corpus.search": {"corpus.hits", "corpus.ranker"},
    "corpus.selection": {"corpus.summaries"},
    "corpus.prompt": {"corpus.bundle"},
    "corpus.evaluate": {"corpus.evaldata", "corpus.evalreport"},
    "agentctx.secretplain": {"agentctx.secretvalues", "agentctx.secretwords"},
    "agentctx.secretnames": {
        "agentctx.secretplain",
        "agentctx.secretvalues",
        "agentctx.secretwords",
    },
    "agentctx.secretplaces": {
        "agentctx.secretnames",
        "agentctx.secretvalues",
        "agentctx.secretwords",
    },
    "corpus.examination": {"corpus.doctor", "corpus.soundness"},
}
"""Who may import whom inside a row; nobody else may."""

PACKAGES = ("corpus", "agentctx")
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

COMMANDS = {
    command.module for program in (PROGRAM, AGENTCTX) for command in program.commands
}
"""Modules whose `run` takes a keyword for each option a person may give."""

BROAD = {
    "agentctx.extraction.worker",
    "agentctx.hooks.app",
    "agentctx.hooks.here",
    "agentctx.hooks.recalling",
    "corpus.cli.app",
    "corpus.fleet",
    "corpus.mcp.host",
    "corpus.sources.providers",
    "corpus.markdown",
    "corpus.blocks",
}
"""Where `except Exception` stands: below a command, tool, provider, corpus, parser."""

OPENERS = {
    "corpus.confined": "the project's sources",
    "corpus.sqlite": "databases",
    "corpus.userdirs": "the user's own key and state files",
    "corpus.trust": "the owners' grants",
    "corpus.writes": "journals and backups in the user's state directory",
    "corpus.entrypoints": "what installed packages register",
    "corpus.heads": "the first bytes of a store",
    "corpus.turns": "the queue of a store's writers, an empty file beside it",
    "agentctx.records": "backups, exports and stores set aside, in the user's home",
    "agentctx.privatefile": "the user's own small files",
    "agentctx.briefing.state": "what sessions were given, in the user's home",
    "agentctx.extraction.consolidation": "sweeps such states when they are old",
    "agentctx.extraction.waking": "the null device, for a process of its own",
    "agentctx.hooks.here": "the same",
    "agentctx.hooks.line": "places in the line of a session's writers",
    "agentctx.memory.opening": "a project's memory: copied, or begun anew",
    "agentctx.memory.switch": "the mark that memory is off in a project",
    "agentctx.memory.exporting": "exports of a memory, new and private",
    "agentctx.memory.verdict": "a private copy of a memory that may be refused",
    "agentctx.memory.logpages": "the log beside a memory, for reading",
    "agentctx.smallfile": "git's own files, read alone",
    "agentctx.drift": "the instructions that clients read, and what was confirmed",
    "agentctx.clients.clientfile": "the settings of AI clients, after consent",
    "agentctx.cli.uninstall": "the user's home, to delete it after consent",
    "agentctx.clients.claude_lines": "the transcripts of a client's sessions",
    "agentctx.team.place": "the team's file, which a person shares by git",
    "agentctx.failures": "the log of what failed, in the user's home",
    "corpus.ledger": "the ledger of receipts in the user's state directory",
    "corpus.inbox": "the inbox of candidates in the user's state directory",
    "corpus.jsoninput": "JSON files that a person names",
    "corpus.index": "the derived index in the cache folder",
    "corpus.protocol.scaffold": "the files of a corpus that did not exist before",
    "corpus.published": "the files that ship with the program",
}
"""Who opens files by name, and which; sources only inside `confined` (P4.1)."""

LOOKED_AT = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef),
    *(ast.ExceptHandler, ast.Call),
)

OPENING = {
    "open",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "fdopen",
    "unlink",
    "rename",
    "replace",
}


def may_import(unit: str) -> set[str]:
    """Give every unit that `unit` may import: its own, lower rows, its own row's."""
    row = next(number for number, units in enumerate(LAYERS) if unit in units)
    below = {lower for units in LAYERS[:row] for lower in units}
    allowed = {unit} | below | WITHIN.get(unit, set())
    package = unit.partition(".")[0]  # `corpus` never imports `agentctx`
    return {one for one in allowed if package != "corpus" or one.startswith(package)}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def unit_of(module: str) -> str | None:
    for unit in UNITS:
        if f"{module}.".startswith(f"{unit}."):
            return unit
    return None


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Give what the rules look at in a module, which is read once for all of them."""
    walked = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(node for node in walked if isinstance(node, LOOKED_AT))


@cache
def first_party_imports(path: Path) -> tuple[str, ...]:
    return tuple(_first_party_imports(path))


def _first_party_imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module in PACKAGES:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (
            name
            for name in names
            if name.split(".")[0] in PACKAGES and not name.endswith(".__version__")
        )


def test_a_row_lets_in_only_its_own_units() -> None:
    for unit, neighbours in WITHIN.items():
        row = next(units for units in LAYERS if unit in units)
        assert neighbours <= set(row), unit
        assert all(row.index(other) < row.index(unit) for other in neighbours), unit


def offenders(
    rule: Callable[[Path], Iterable[object]], paths: Sequence[Path] = MODULES
) -> dict[str, list[object]]:
    """Give what a rule finds wrong, by module."""
    found = {module_name(path): [*rule(path)] for path in paths}
    return {module: wrong for module, wrong in found.items() if wrong}


def test_a_module_imports_only_what_its_unit_may() -> None:
    def rule(path: Path) -> Iterator[str]:
        module = module_name(path)
        if module in PACKAGES:
            return  # the two public surfaces re-export from anywhere inside
        unit = unit_of(module)
        if unit is None:
            if module != "agentctx.cli":
                yield "belongs to no unit; add it"
            return
        allowed = may_import(unit)
        yield from (x for x in first_party_imports(path) if unit_of(x) not in allowed)

    assert offenders(rule) == {}


def test_corpus_never_imports_agentctx() -> None:
    for path in MODULES:
        if module_name(path).split(".")[0] == "corpus":
            assert all(x.split(".")[0] == "corpus" for x in first_party_imports(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_modules_and_functions_fit_on_a_few_screens() -> None:
    def rule(path: Path) -> Iterator[str]:
        if path.read_bytes().count(b"\n") > MAX_MODULE_LINES:
            yield "the module"
        for node in functions(path):
            assert node.end_lineno is not None
            if node.end_lineno - node.lineno >= MAX_FUNCTION_LINES:
                yield node.name

    assert offenders(rule, MODULES + TESTS) == {}


def test_a_function_takes_six_arguments_at_most() -> None:
    def rule(path: Path) -> Iterator[str]:
        for node in functions(path):
            taken = [*node.args.posonlyargs, *node.args.args]
            if not (node.name == "run" and module_name(path) in COMMANDS):
                taken += node.args.kwonlyargs
            named = [one for one in taken if one.arg not in {"self", "cls"}]
            if len(named) > MAX_ARGUMENTS:
                yield node.name

    assert offenders(rule) == {}


def test_broad_excepts_stand_only_where_they_are_listed() -> None:
    def rule(path: Path) -> Iterator[str]:
        for node in nodes(path):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = "everything" if node.type is None else ast.unparse(node.type)
            last = node.body[-1]
            passes_on = isinstance(last, ast.Raise) and last.exc is None
            listed = caught == "Exception" and module_name(path) in BROAD
            broad = caught in {"everything", "BaseException", "Exception"}
            if broad and not passes_on and not listed:
                yield f"line {node.lineno} keeps {caught}"

    assert offenders(rule) == {}


@pytest.mark.requirement("P4.1")
def test_files_are_opened_by_name_only_where_it_is_listed() -> None:
    def rule(path: Path) -> Iterator[int]:
        module = module_name(path)
        if any(f"{module}.".startswith(f"{unit}.") for unit in OPENERS):
            return
        for node in nodes(path):
            if isinstance(node, ast.Call) and _opens(node):
                yield node.lineno

    assert offenders(rule) == {}


def _opens(call: ast.Call) -> bool:
    called = call.func
    if isinstance(called, ast.Name):
        return called.id == "open"
    return isinstance(called, ast.Attribute) and _may_open(call, called)


def _may_open(call: ast.Call, called: ast.Attribute) -> bool:
    """Tell a path's `replace(target)` from a text's `replace(old, new)`.

    A `Memory` is opened by other modules of ours, which are listed.
    """
    if ast.unparse(called) == "Memory.open":
        return False
    if called.attr == "replace":
        return len(call.args) == 1 and not call.keywords
    return called.attr in OPENING
