"""What was done with git, where a command does it and its output says it worked."""

from __future__ import annotations

from agentctx.observing.model import LONGEST_NAME, LONGEST_SUMMARY, GitAct
from agentctx.observing.patterns import compiled
from agentctx.observing.terminal import one_line
from agentctx.observing.wrapping import program_name
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MOST = 10
_VALUED = {"-C", "-c", "--git-dir", "--work-tree", "-R", "--repo", "--namespace"}
_ASKED = r"https?://[^\s'\"<>()\[\]]{1,250}"


def git_acts(commands: Sequence[tuple[str, ...]], text: str) -> tuple[GitAct, ...]:
    """Give what these git commands did, each act once."""
    acts: dict[GitAct, None] = {}
    for words in commands:
        verb, rest = _verb(words)
        if verb in _ACTS and "--dry-run" not in rest and "--help" not in rest:
            for act in _ACTS[verb](text, rest):
                acts[act] = None
    return tuple(acts)[:_MOST]


def may_act(words: tuple[str, ...]) -> bool:
    """Say whether a command is one whose outcome we know."""
    return _verb(words)[0] in _ACTS


def _verb(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    name = program_name(words[0])
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    size = 1 if name == "git" else 2
    verb = " ".join(("git" if name == "git" else "gh", *words[at : at + size]))
    return verb, words[at + size :]


def _act(kind: str, name: str, title: str = "") -> GitAct:
    return GitAct(
        kind,  # type: ignore[arg-type] # each caller writes one of the kinds
        one_line(name, LONGEST_NAME),
        one_line(title, LONGEST_SUMMARY),
    )


def _commits(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    del rest
    for match in compiled(
        r"^\[(?:detached HEAD|[^\]\s]{1,200}) (?:\(root-commit\) )?"
        r"(?P<sha>[0-9a-f]{7,64})\] (?P<subject>[^\n]*)$"
    ).finditer(text):
        yield _act("commit", match["sha"], match["subject"])


def _branches(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    del rest
    for match in compiled(
        r"^Switched to (?:a new )?branch '(?P<name>[^'\n]{1,250})'$"
    ).finditer(text):
        yield _act("branch", match["name"])


def _merges(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    named = [word for word in rest if not word.startswith("-")]
    done = compiled(
        r"^(?:Merge made by the '[\w-]+' strategy|Fast-forward|Squash commit --)"
    ).search(text)
    if named and done and not compiled(r"^CONFLICT |^Automatic merge fa").search(text):
        yield _act("merge", named[-1] if "-m" not in rest else _unsaid(rest))


def _unsaid(rest: tuple[str, ...]) -> str:
    """Give what is merged, where a message is given too."""
    at = rest.index("-m")
    others = [*rest[:at], *rest[at + 2 :]]
    return next((word for word in others if not word.startswith("-")), "")


def _requests(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    found = list(
        compiled(
            r"https?://[^\s'\"<>()\[\]]{1,200}/(?:pull|merge_requests|pull-requests)/\d+"
        ).finditer(text)
    )
    if found and "already exists" not in text:
        title = _option(rest, "--title", "-t")
        yield _act("pr", found[-1][0], "" if title.startswith("$") else title)


def _merged_requests(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    del rest
    for match in compiled(
        r"^\S? ?(?:Merged|Squashed and merged|Rebased and merged) pull request "
        r"(?P<name>[^\s(]*#\d+)(?: \((?P<title>[^\n]*)\))?"
    ).finditer(text):
        yield _act("merge", match["name"], match["title"] or "")


def _pushes(text: str, rest: tuple[str, ...]) -> Iterator[GitAct]:
    del rest
    refused = compiled(r"^ ! \[|^error: failed to push|^fatal: ").search(text)
    moved = compiled(
        r"^ (?:[ +*] )?(?:\[new branch\]| ?[0-9a-f]{6,40}\.{2,3}[0-9a-f]{6,40})"
        r" +\S{1,200} +-> (?P<name>\S{1,200})(?: \(forced update\))?$"
    ).search(text)
    if refused or not moved:
        return
    for match in compiled(rf"^remote: .{{0,40}}?(?P<url>{_ASKED})").finditer(text):
        if compiled(r"/pull/|merge_requests|pull-requests").search(match["url"]):
            yield _act("push", match["url"], moved["name"])
            return
    yield _act("push", moved["name"])


def _option(rest: tuple[str, ...], *names: str) -> str:
    for at, word in enumerate(rest):
        if word in names and at + 1 < len(rest):
            return rest[at + 1]
        for name in names:
            if name.startswith("--") and word.startswith(f"{name}="):
                return word.partition("=")[2]
    return ""


_ACTS: dict[str, Callable[[str, tuple[str, ...]], Iterator[GitAct]]] = {
    "git commit": _commits,
    "git cherry-pick": _commits,
    "git revert": _commits,
    "git checkout": _branches,
    "git switch": _branches,
    "git merge": _merges,
    "git push": _pushes,
    "gh pr create": _requests,
    "gh mr create": _requests,
    "gh pr merge": _merged_requests,
}
