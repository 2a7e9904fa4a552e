"""The lines of the contract of conversation memory, each with the words that recall it.

A line with parts is one requirement for each of them.
"""

from __future__ import annotations

_LINES: tuple[tuple[str, str, str], ...] = (
    ("M1.0", "the project file holds the facts", "abc"),
    ("M1.1", "first initialisation", "ab"),
    ("M1.2", "refuse an existing non-v4 database", "abc"),
    ("M1.3", "refuse an unversioned database with unknown objects", "ab"),
    ("M1.4", "legacy memory JSON", "ab"),
    ("M1.5", "concurrent turn writes", "ab"),
    ("M1.6", "bounded scope projection", "abcd"),
    ("M2.0", "what was said is kept before anything else", "abcd"),
    ("M2.1", "restart resumes the thread", "ab"),
    ("M2.2", "active thread missing at run time", "ab"),
    ("M2.3", "main call interrupted", "ab"),
    ("M2.4", "no execution trace is persisted", ""),
    ("M2.5", "audit saves the true outcome", "abc"),
    ("M2.6", "audit scan failure", "ab"),
    ("M2.7", "patch revise saves the true outcome", "abcd"),
    ("M3.0", "/new draws a boundary", "abcd"),
    ("M3.1", "watermark finished", "abc"),
    ("M3.2", "watermark times out", "ab"),
    ("M3.3", "watermark job not claimable yet", "ab"),
    ("M3.4", "closing a manager with background watermark work", "ab"),
    ("M3.5", "A new turn exists during background watermark work", "ab"),
    ("M3.6", "/new with a pending patch", "ab"),
    ("M3.7", "visibility in the new thread", "ab"),
    ("M3.8", "A started request keeps its thread", "abc"),
    ("M4.0", "every ended turn is handled, durably, in two stages", "abcde"),
    ("M4.1", "normal scheduling", "abc"),
    ("M4.2", "no long-term candidate", "ab"),
    ("M4.3", "extraction payload exceeds the model", "abc"),
    ("M4.4", "consolidation payload exceeds the model", "ab"),
    ("M4.5", "A bare apply makes no memory", "ab"),
    ("M4.6", "one contract repair", "abc"),
    ("M4.7", "transient worker failure", "ab"),
    ("M4.8", "heartbeat during provider calls", "ab"),
    ("M4.9", "heartbeat sees fencing", ""),
    ("M4.10", "run-time schema damage makes the summary stale", "ab"),
    ("M4.11", "stale worker write-back", ""),
    ("M5.0", "three kinds, and their combinations", ""),
    ("M5.1", "explicit preference or decision", "ab"),
    ("M5.2", "chinese decision gets stable English recall phrases", "abcd"),
    ("M5.3", "user confirms the previous turn's decision", "ab"),
    ("M5.4", "local correction", "abc"),
    ("M5.5", "repeated correction becomes a soft preference", "abcd"),
    ("M5.6", "non-repetition candidates must cite the current batch", "ab"),
    ("M5.7", "provenance is limited by the projection actually sent", "ab"),
    ("M5.8", "undecided project discussion", "abc"),
    ("M5.9", "illegal long-term content", "ab"),
    ("M5.10", "consolidation identity and revision", "abc"),
    ("M5.11", "same-batch duplicate create", "ab"),
    ("M5.12", "revise must not create a duplicate active identity", "abc"),
    ("M5.13", "bounded related targets do not narrow identity checking", "ab"),
    ("M6.0", "retrieval is typed, lexical and deterministic", ""),
    ("M6.1", "standing lane", "ab"),
    ("M6.2", "relevant lane", "ab"),
    ("M6.3", "unspaced Chinese query", "ab"),
    ("M6.4", "search", "abcd"),
    ("M6.5", "read", "ab"),
    ("M6.6", "no hit", ""),
    ("M7.0", "one store, two profiles, apart by policy", ""),
    ("M7.1", "ordinary profile", "ab"),
    ("M7.2", "review profile", "abc"),
    ("M7.3", "memory against patch evidence", "ab"),
    ("M8.0", "people see and manage what is remembered", ""),
    ("M8.1", "job errors", "ab"),
    ("M8.2", "forget one", "ab"),
    ("M8.3", "clear", "abc"),
    ("M8.4", "clear after bootstrap damage", "ab"),
    ("M8.5", "JSON export", "abc"),
    ("M8.6", "concurrent export, same timestamp", "ab"),
    ("M9.0", "/reset keeps memory", ""),
    ("M9.1", "/reset clears the workbench alone", "abc"),
    ("M10.0", "one pass before exit, bounded", ""),
    ("M10.1", "success", ""),
    ("M10.2", "goes to retry", "ab"),
    ("M10.3", "terminal", "ab"),
    ("M11.1", "abstention in every language", ""),
    ("M11.2", "recall in any script", ""),
    ("M11.3", "the final statement is evidence-checked", ""),
    ("M11.4", "clause-level speech acts", ""),
    ("M11.5", "forget reaches everything", ""),
    ("M11.6", "identity is enforced by SQLite", ""),
    ("M11.7", "secrets", ""),
    ("M11.8", "people can steer", ""),
    ("M11.9", "housekeeping", ""),
    ("H1", "adjacency belongs to a session", ""),
    ("H2", "the state of a request is a row, fenced, gone with its turn", ""),
    ("H3", "an MCP call is bound to a session", ""),
    ("H4", "leases of external turns, and late completions", ""),
    ("H5", "the worker is one detached process", ""),
    ("H6", "the path of hooks: two transactions, one connection", ""),
    ("H7", "fencing by generation and uuid", ""),
    ("C1", "typed values inside, typed failures", ""),
    ("C2", "empty and healthy is no failure", ""),
    ("C3", "a degraded admission lets the work go on", ""),
    ("C4", "no half-built request", ""),
    ("C5", "memory never masks or undoes the main work", ""),
    ("C6", "one notice for each cause", ""),
    ("C7", "status, show, export and clear work when degraded", ""),
    ("C8", "a refused read tells nothing", ""),
    ("C9", "Map and checkpoint are synthetic and never kept", ""),
    ("C10", "the pools of durable recall", ""),
    ("C11", "the summary is a projection", ""),
    ("C12", "`.agentctx/` is never a scope or a source", ""),
)
"""The number, what it is about, and the letters of its parts."""


def memory_requirements() -> dict[str, str]:
    """Give every requirement by its id, such as `M1.2(a)` or `H3`."""
    found = {}
    for number, about, parts in _LINES:
        if not parts:
            found[number] = about
        for part in parts:
            found[f"{number}({part})"] = about
    return found


MEMORY_PENDING: tuple[str, ...] = ()
"""What waits for the pipeline, the hosts and the commands of memory."""
