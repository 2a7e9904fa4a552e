"""The rows of `agentctx memory`: what people do with conversation memory."""

from __future__ import annotations

from corpus.cli.program import Command

_ROWS = (
    ("on", "Remember this project's conversations from now on."),
    ("off", "Remember nothing from now on; what is kept stays."),
    ("status", "Show how memory is, what it holds, and what became of its jobs."),
    ("list", "List what is remembered, the newest first."),
    ("show", "Show one item whole, any revision, with the words it stands on."),
    ("search", "Find items by their words, best match first."),
    ("read", "Read one item as an agent may: what it says and its newest words."),
    ("why", "Show the turns, quotes and jobs that an item stands on."),
    ("history", "Show every revision of an item, the oldest first."),
    ("edit", "Put your words in place of an item's, as its next revision."),
    ("confirm", "Stand for an item: it is explicit and hard from now on."),
    ("pin", "Show an item with every prompt where it applies, or no longer."),
    ("forget", "Forget an item, everywhere it reaches."),
    ("undo", "Take back the last forget or edit."),
    ("new", "Begin an empty thread, once the old one's jobs had their time."),
    ("reset", "End what is under way; memory itself is kept."),
    ("flush", "Give every job that waits one chance now, within a deadline."),
    ("summary", "Write `memory_summary.md` anew."),
    ("export", "Write a snapshot of memory as JSON, to a new file."),
    ("import", "Take an export into an empty memory."),
    ("retain", "Let the words of old turns go."),
    ("vacuum", "Give back room that nothing uses."),
    ("promote", "Make an item a record that every session sees, with its words."),
    ("clear", "Delete all that is remembered, after a backup, and begin anew."),
)

MEMORY_COMMANDS = tuple(
    Command(("memory", name), f"agentctx.cli.memory_{name}", summary)
    for name, summary in _ROWS
)
"""Every command of memory, in the order the help shows them."""
