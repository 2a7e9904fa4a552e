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
        ("fleet", "build"),
        "corpus.cli.fleet_build",
        "Bring the indexes of many corpora up to date, several at once.",
    ),
    Command(
        ("fleet", "doctor"),
        "corpus.cli.fleet_doctor",
        "Diagnose many corpora and their indexes, several at once.",
    ),
    Command(
        ("fleet", "eval"),
        "corpus.cli.fleet_eval",
        "Measure retrieval in many corpora, each with a dataset of its own.",
    ),
    Command(
        ("trust", "create"),
        "corpus.cli.trust_create",
        "Grant agents what the owner allows at most, outside the project.",
    ),
    Command(
        ("trust", "show"),
        "corpus.cli.trust_show",
        "Show a grant, its four layers, and why a capability is missing.",
    ),
    Command(
        ("trust", "list"),
        "corpus.cli.trust_list",
        "List every grant of this user, usable or not.",
    ),
    Command(
        ("trust", "approve-policy"),
        "corpus.cli.trust_approve",
        "Accept the project's policy as it is now.",
    ),
    Command(
        ("trust", "renew"),
        "corpus.cli.trust_renew",
        "Accept the folder that a moved or cloned project lies in now.",
    ),
    Command(
        ("trust", "revoke"),
        "corpus.cli.trust_revoke",
        "Remove a grant.",
    ),
    Command(
        ("mcp", "config"),
        "corpus.cli.mcp_config",
        "Print what to paste into an AI client, so that it starts `mcp`.",
    ),
    Command(
        ("mcp",),
        "corpus.cli.mcp",
        "Serve the corpus to an AI agent over MCP, on stdin and stdout.",
    ),
    Command(
        ("state", "update"),
        "corpus.cli.state_update",
        "Replace STATUS.md, if it still is what you read.",
    ),
    Command(
        ("task", "create"),
        "corpus.cli.task_create",
        "Write a new task, from a file or from its parts.",
    ),
    Command(
        ("task", "activate"),
        "corpus.cli.task_activate",
        "Make one task the active one, in the task and in STATUS.md.",
    ),
    Command(
        ("task", "close"),
        "corpus.cli.task_close",
        "End a task, and let STATUS.md name it no longer.",
    ),
    Command(
        ("report", "create"),
        "corpus.cli.report_create",
        "Write a new report, from a file or from its parts.",
    ),
    Command(
        ("candidate", "submit"),
        "corpus.cli.candidate_submit",
        "Let a candidate wait for a person, from a file, a record or an item.",
    ),
    Command(
        ("candidate", "list"),
        "corpus.cli.candidate_list",
        "List the candidates that wait for a person.",
    ),
    Command(
        ("candidate", "show"),
        "corpus.cli.candidate_show",
        "Show one candidate whole, and whether its evidence still holds.",
    ),
    Command(
        ("candidate", "accept"),
        "corpus.cli.candidate_accept",
        "Make a report of a candidate, under the owner's grant.",
    ),
    Command(
        ("candidate", "reject"),
        "corpus.cli.candidate_reject",
        "Reject a candidate and keep the reason.",
    ),
    Command(
        ("why",),
        "corpus.cli.why",
        "Show what a report, candidate, record or item stands on, and became.",
    ),
    Command(
        ("recover",),
        "corpus.cli.recover",
        "End an interrupted write, by its owner's word where it takes one.",
    ),
    Command(
        ("audit-read",),
        "corpus.cli.audit_read",
        "Show the receipt of one controlled write, or list them.",
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
    ("all", "fleet build"),
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
    ("grant", "trust create"),
    ("permissions", "trust show"),
    ("approve", "trust approve-policy"),
    ("inbox", "candidate list"),
    ("promote", "candidate submit"),
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
