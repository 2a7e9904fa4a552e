"""The table of `project-corpus`: every command, the module it lives in, one line."""

from __future__ import annotations

from corpus import __version__
from corpus.cli.program import Command, Program

COMMANDS = (
    Command(
        ("init",),
        "corpus.cli.init",
        "Write a new corpus that validates, overwriting nothing.",
    ),
    Command(
        ("validate",),
        "corpus.cli.validate",
        "Check every artifact in scope and report what is wrong.",
    ),
    Command(
        ("status",),
        "corpus.cli.status",
        "Show where the project stands, on one card.",
    ),
    Command(
        ("search",),
        "corpus.cli.search",
        "Find the lines in scope that hold a text.",
    ),
    Command(
        ("timeline",),
        "corpus.cli.timeline",
        "List the sources in scope by time.",
    ),
    Command(
        ("show",),
        "corpus.cli.show",
        "Print one source, or some of its lines.",
    ),
    Command(
        ("context", "build"),
        "corpus.cli.context_build",
        "Bring the index up to date with the sources.",
    ),
    Command(
        ("context", "query"),
        "corpus.cli.context_query",
        "Rank the passages that answer a query.",
    ),
    Command(
        ("context", "bundle"),
        "corpus.cli.context_bundle",
        "Compile the context for a query within a token budget.",
    ),
    Command(
        ("context", "receipt"),
        "corpus.cli.context_receipt",
        "State what was handed to a consumer of a bundle.",
    ),
    Command(
        ("context", "receipts"),
        "corpus.cli.context_receipts",
        "List the recorded receipts and verify their chain.",
    ),
    Command(
        ("context", "verify"),
        "corpus.cli.context_verify",
        "Say whether a bundle is intact and its sources current.",
    ),
    Command(
        ("context", "candidate-validate"),
        "corpus.cli.context_candidate",
        "Check a proposed statement and its evidence.",
    ),
    Command(
        ("context", "doctor"),
        "corpus.cli.context_doctor",
        "Diagnose the sources, the index, a bundle or a candidate.",
    ),
    Command(
        ("context", "eval"),
        "corpus.cli.context_eval",
        "Measure retrieval against a dataset of judged queries.",
    ),
    Command(
        ("context", "watch"),
        "corpus.cli.context_watch",
        "Rebuild the index whenever a source changes, until Ctrl-C.",
    ),
    Command(
        ("completion",),
        "corpus.cli.completion",
        "Print a completion script for a shell.",
    ),
)
"""Every command, in the order the help shows them."""

OTHER_NAMES = (
    ("ask", "context query"),
    ("question", "context query"),
    ("prompt", "context bundle"),
    ("pack", "context bundle"),
    ("index", "context build"),
    ("rebuild", "context build"),
    ("update", "context build"),
    ("check", "validate"),
    ("lint", "validate"),
    ("create", "init"),
    ("new", "init"),
    ("find", "search"),
    ("grep", "search"),
    ("list", "timeline"),
    ("log", "timeline"),
    ("cat", "show"),
    ("read", "show"),
    ("info", "status"),
)
"""Words that people try, each with the command that does what they mean."""

PROGRAM = Program(
    name="project-corpus",
    version=__version__,
    about="Give every AI agent on a project the same current, provable context.",
    example="project-corpus init . --name 'Weather Station'",
    commands=COMMANDS,
    other_names=OTHER_NAMES,
)
