"""The table of `agentctx`: every command, the module it lives in, one line."""

from __future__ import annotations

from agentctx import __version__
from agentctx.cli.memory_commands import MEMORY_COMMANDS
from corpus.cli.program import Command, Program

COMMANDS = (
    Command(
        ("init",),
        "agentctx.cli.init",
        "Make the store, read the project, and register with the AI client here.",
    ),
    Command(
        ("uninstall",),
        "agentctx.cli.uninstall",
        "Take our entries out of the AI client's settings; keep what is known.",
    ),
    Command(
        ("status",),
        "agentctx.cli.status",
        "Show what is known here, what it costs and what is degraded.",
    ),
    Command(
        ("add",),
        "agentctx.cli.add",
        "Record one fact of this project, or of yours for every project.",
    ),
    Command(
        ("search",),
        "agentctx.cli.search",
        "Find records by their words, or list them, now or as of a date.",
    ),
    Command(
        ("show",),
        "agentctx.cli.show",
        "Show one record whole, with where it came from.",
    ),
    Command(
        ("why",),
        "agentctx.cli.why",
        "Show what a record, an item or a turn stands on, and what it became.",
    ),
    Command(
        ("history",),
        "agentctx.cli.history",
        "Show every version of a fact, with both of its times.",
    ),
    Command(
        ("edit",),
        "agentctx.cli.edit",
        "Correct a record: a new version supersedes it.",
    ),
    Command(
        ("supersede",),
        "agentctx.cli.supersede",
        "Replace a record that is no longer true, and say why.",
    ),
    Command(
        ("pin",),
        "agentctx.cli.pin",
        "Let a record come first, or no longer.",
    ),
    Command(
        ("reinforce",),
        "agentctx.cli.reinforce",
        "Confirm a record that was inferred.",
    ),
    Command(
        ("delete",),
        "agentctx.cli.delete",
        "Delete a record for good, so that it is not learned again.",
    ),
    Command(
        ("undo",),
        "agentctx.cli.undo",
        "Bring back what this project deleted last.",
    ),
    Command(
        ("export",),
        "agentctx.cli.export",
        "Write this project's records, with their history, as JSON.",
    ),
    Command(
        ("import",),
        "agentctx.cli.import_records",
        "Add records that `agentctx export` wrote, here or elsewhere.",
    ),
    Command(
        ("backup",),
        "agentctx.cli.backup",
        "Copy the whole store to a new file, and check the copy.",
    ),
    Command(
        ("restore",),
        "agentctx.cli.restore",
        "Put a backup in place of the whole store.",
    ),
    Command(
        ("reset",),
        "agentctx.cli.reset",
        "Delete every record of this project, after a backup.",
    ),
    Command(
        ("doctor",),
        "agentctx.cli.doctor",
        "Say what is wrong with the store, rebuild it, or repair it.",
    ),
    Command(
        ("profile", "show"),
        "agentctx.cli.profile_show",
        "Show what this project is made of, and your preferences.",
    ),
    Command(
        ("profile", "refresh"),
        "agentctx.cli.profile_refresh",
        "Read the project's own files and renew its profile.",
    ),
    Command(
        ("profile", "edit"),
        "agentctx.cli.profile_edit",
        "Correct one entry of the profile or one preference.",
    ),
    Command(
        ("profile", "clear"),
        "agentctx.cli.profile_clear",
        "End one entry of the profile or one preference.",
    ),
    Command(
        ("project", "adopt"),
        "agentctx.cli.project_adopt",
        "Take over the records of another namespace.",
    ),
    Command(
        ("project",),
        "agentctx.cli.project",
        "Show the project's namespace and where it comes from.",
    ),
    Command(
        ("sync",),
        "agentctx.cli.sync",
        "Compare CLAUDE.md with the records, and apply what you confirm.",
    ),
    Command(
        ("review-session",),
        "agentctx.cli.review_session",
        "Show what a session yielded, with the words it came from; correct it.",
    ),
    Command(
        ("report",),
        "agentctx.cli.report",
        "Write what is known as one page that a team can look at.",
    ),
    Command(
        ("chat",),
        "agentctx.cli.chat",
        "Talk with a model that remembers this project, in a terminal.",
    ),
    Command(
        ("extract",),
        "agentctx.cli.extract",
        "Read one session's transcript now and keep what matters of it.",
    ),
    Command(
        ("consolidate",),
        "agentctx.cli.consolidate",
        "Put the records in order: scores, digests, drift, proposals.",
    ),
    Command(
        ("work",),
        "agentctx.cli.work",
        "Read what sessions said, keep what matters, put records in order.",
    ),
    Command(
        ("hook",),
        "agentctx.cli.hook",
        "Answer one hook of an agent's client: JSON on stdin, JSON on stdout.",
    ),
    Command(
        ("config",),
        "agentctx.cli.config",
        "Show a setting, change one, or list them all.",
    ),
    *MEMORY_COMMANDS,
    Command(
        ("mcp",),
        "agentctx.cli.mcp",
        "Give an AI agent this project's records over MCP, on stdin and stdout.",
    ),
    Command(
        ("memory", "review", "start"),
        "agentctx.cli.memory_review_start",
        "Let a session's next turns be a review of some items.",
    ),
    Command(
        ("memory", "review", "stop"),
        "agentctx.cli.memory_review_stop",
        "End a session's review: its next turns are ordinary again.",
    ),
    Command(
        ("memory", "mcp"),
        "agentctx.cli.memory_mcp",
        "Give an AI agent this project's memory over MCP, on stdin and stdout.",
    ),
    Command(
        ("promote",),
        "agentctx.cli.promote",
        "Share a record with the team, or take it back.",
    ),
    Command(
        ("branch", "status"),
        "agentctx.cli.branch_status",
        "Ask git about branches: what merged joins; show what waits.",
    ),
    Command(
        ("branch", "join"),
        "agentctx.cli.branch_join",
        "Let what waits on a branch be of the main line, whatever git says.",
    ),
    Command(
        ("branch", "drop"),
        "agentctx.cli.branch_drop",
        "End what waits on a branch that will not be merged; nothing is deleted.",
    ),
    Command(
        ("branch", "restore"),
        "agentctx.cli.branch_restore",
        "Let what was dropped of a branch wait there again.",
    ),
    Command(
        ("team", "export"),
        "agentctx.cli.team_export",
        "Write what is shared to .agentctx/context.md, for git to carry.",
    ),
    Command(
        ("team", "import"),
        "agentctx.cli.team_import",
        "Take in what teammates wrote in .agentctx/context.md.",
    ),
    Command(
        ("team", "status"),
        "agentctx.cli.team_status",
        "Show what is shared, what is new in the file, and what waits.",
    ),
    Command(
        ("team", "install-merge-driver"),
        "agentctx.cli.team_driver",
        "Let git merge the team's file block by block, or no longer.",
    ),
    Command(
        ("team", "merge"),
        "agentctx.cli.team_merge",
        "Merge two sides of the team's file block by block; git runs this.",
    ),
)
"""Every command, in the order the help shows them."""

OTHER_NAMES = (
    ("setup", "init"),
    ("install", "init"),
    ("remember", "add"),
    ("record", "add"),
    ("note", "add"),
    ("new", "add"),
    ("find", "search"),
    ("query", "search"),
    ("get", "show"),
    ("cat", "show"),
    ("log", "history"),
    ("replace", "supersede"),
    ("correct", "edit"),
    ("confirm", "reinforce"),
    ("settings", "config"),
    ("preferences", "profile show"),
    ("info", "status"),
    ("forget", "delete"),
    ("remove", "delete"),
    ("rm", "delete"),
    ("check", "doctor"),
    ("repair", "doctor"),
    ("dump", "export"),
    ("serve", "mcp"),
    ("drift", "sync"),
    ("review", "review-session"),
    ("talk", "chat"),
    ("share", "promote"),
    ("unshare", "promote"),
    ("page", "report"),
    ("html", "report"),
    ("dashboard", "report"),
)
"""Words that people try, each with the command that does what they mean."""

PROGRAM = Program(
    name="agentctx",
    version=__version__,
    about=(
        "Keep what is decided, agreed and learned on a project as dated records, and\n"
        "find it again. The records of every project lie in one store of yours."
    ),
    example="agentctx add decision 'Readings are stored in UTC'",
    commands=COMMANDS,
    other_names=OTHER_NAMES,
)
