"""What a command line runs, and how far its output can be believed."""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from agentctx.observing.programs import Reads, reads_of
from agentctx.observing.shellwords import Command, Pipeline, pipelines
from agentctx.observing.wrapping import program_name, unwrapped
from corpus.values import NamedTuple

_READERS = {
    "cat", "bat", "batcat", "head", "tail", "less", "more", "sed", "awk", "gawk",
    "grep",
    "egrep", "fgrep", "rg", "ag", "ack", "type", "get-content", "gc", "select-string",
    "sls", "jq", "diff", "strings", "nl", "tac", "zcat", "zgrep", "curl", "wget",
    "journalctl", "glow", "xmllint", "yq", "select-object", "out-string", "sort",
    "uniq", "cut", "tr", "column", "fold", "tee", "tee-object", "perl", "ssh",
}  # fmt: skip
"""Programs that show a text they did not write, or pass one on."""

_SHOWING = {
    "git": {"show", "log", "diff", "blame", "grep", "format-patch"},
    "gh": {"run", "pr", "issue", "api", "search", "release", "gist"},
    "glab": {"ci", "mr", "issue", "api"},
    "docker": {"logs"},
    "docker-compose": {"logs"},
    "kubectl": {"logs", "describe"},
}


class Run(NamedTuple):
    """A program that is run, and what the end of the command says of it."""

    reads: Reads
    words: tuple[str, ...]
    masked: bool
    """Its exit status is not the command's."""
    last: bool
    """Nothing after it prints a text of another origin."""


class Plan(NamedTuple):
    """What a command runs."""

    runs: tuple[Run, ...]
    git: tuple[tuple[str, ...], ...]
    foreign: bool
    """Something in it shows a text that may quote the outcome of another day."""


_EMPTY = Plan((), (), foreign=False)


def plan_of(command: str, *, powershell: bool = False) -> Plan:
    """Find the programs a command line runs whose output is its own."""
    found = pipelines(command, powershell=powershell)
    if not found:
        return _EMPTY
    runs: list[Run] = []
    hidden: list[tuple[str, Run]] = []
    git: list[tuple[str, ...]] = []
    foreign = False
    for number, pipeline in enumerate(found):
        masked = pipeline.then in {"||", ";", "\n", "&"} and number + 1 < len(found)
        strange, read = _strange(pipeline)
        own = [run for to, run in hidden if to in read]
        runs += own
        if strange and not own:
            foreign = True
            runs = [run._replace(last=False) for run in runs]
        for at, one in enumerate(pipeline.commands):
            for words in unwrapped(one.words):
                if not words:
                    continue
                if program_name(words[0]) in {"git", "gh", "glab", "hub"}:
                    git.append(words)
                reads = reads_of(words)
                if reads is None:
                    continue
                piped = at + 1 < len(pipeline.commands)
                run = Run(reads, words, masked=masked or piped, last=True)
                if one.to is None:
                    runs.append(run)
                hidden += [(to, run) for to in _kept(pipeline, one)]
    return Plan(tuple(runs), tuple(git), foreign=foreign)


def _kept(pipeline: Pipeline, one: Command) -> list[str]:
    """Give the files a command's output is kept in."""
    kept = [one.to] if one.to else []
    for later in pipeline.commands:
        if later.words and program_name(later.words[0]).lower() in {
            "tee",
            "tee-object",
        }:
            kept += [word for word in later.words[1:] if not word.startswith("-")]
    return kept


def _strange(pipeline: Pipeline) -> tuple[bool, tuple[str, ...]]:
    """Say whether a pipeline shows a text that it did not make, and which files."""
    first = pipeline.commands[0]
    bare = next(iter(unwrapped(first.words)), ())
    if not bare or not _shows(bare):
        beyond = any(
            "xargs" in later.words[:1] and _shows(later.words[1:])
            for later in pipeline.commands[1:]
        )
        return beyond, ()
    passed_on = all(_shows(later.words) for later in pipeline.commands[1:])
    return passed_on and pipeline.commands[-1].to is None, bare[1:]


def _shows(words: tuple[str, ...]) -> bool:
    if not words:
        return False
    name = program_name(words[0]).lower()
    if name in _SHOWING:
        rest = [word for word in words[1:] if compiled(r"[a-z]").match(word)]
        return bool(set(rest[:2]) & _SHOWING[name]) and "create" not in rest[:3]
    return name in _READERS
