"""The place in a source file that an output names: the project's before a library's."""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from agentctx.observing.terminal import one_line
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

LONGEST_PATH = 300
_MOST = 200
_MOST_DIGITS = 7

_ENDINGS = (
    "py|pyi|pyx|ipynb|ts|tsx|mts|cts|js|jsx|mjs|cjs|vue|svelte|astro|css|scss|less|html"
    "|rs|go|c|h|cc|cpp|cxx|hpp|hh|m|mm|java|kt|kts|scala|groovy|gradle|cs|fs|vb|razor"
    "|rb|rake|erb|php|ex|exs|eex|heex|swift|dart|bats|sh|bash|zig|lua|jl|hs|ml|sql"
    "|proto|graphql|toml|json|ya?ml|cu|s|S"
)
_PATH = r"(?:file:///?|webpack:/{2,3}[\w@-]{0,60}/)?(?:[A-Za-z]:[\\/])?[\w.@~/\\+$\[-][\w.@~/\\+$\[\]-]{0,250}"

_FORMS = (
    r"\bFile \"(?P<a>[^\"\n]{1,300})\", line (?P<b>\d+)"
    r"|\bat (?:[\w.@-]{1,80}/)?(?P<owner>[\w.$]{1,200})\.[\w$<>]{1,100}"
    r"\((?P<c>\w{1,100}\.(?:java|kt|scala|groovy)):(?P<d>\d+)\)"
    r"| in (?P<e>[^\s:][^\n:]{0,250}(?::\\[^\n:]{1,250})?\.\w{1,5}):line (?P<f>\d+)"
    r"| in (?P<g>/[^\s:]{1,250}\.php) on line (?P<h>\d+)"
    r"|(?<![\w.@~/\\+$\[\]:-])(?P<i>" + _PATH + r"\.(?:" + _ENDINGS + r"))"
    r"(?::(?P<j>\d+)|\((?P<k>\d+)(?:,\d+)?\)(?=:)"
    r"|(?<=\.dart) (?P<l>\d+):\d+|(?<=\.bats), line (?P<n>\d+))"
)
_SCHEME = r"\A(?:file:///(?=[A-Za-z]:)|file://|webpack:/{2,3}[\w@-]{0,60}/)"
_LIBRARY = (
    r"(?:^|[\\/])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|\.rustup"
    r"|rustc|\.venv|venv|\.tox|\.nox|gems|\.pub-cache|\.m2|\.gradle|\.nuget|\.yarn"
    r"|deps|Cellar|bower_components|rustlib|lib[\\/]python\d[\w.]*"
    r"|go[\\/]pkg[\\/]mod|go[\\/]src|\.pnpm|\.npm|\.bun|Python\d*[\\/]Lib)[\\/]"
    r"|^/usr/(?!src/)|^/opt/(?:homebrew|hostedtoolcache|\w*conda\d?|py)|^/rustc/|^/Library/|^<|^node:|^internal/"
    r"|^webpack[:/]|^ext:|^jar:|^native:|^data:|^eval\b"
)
_LIBRARY_OWNER = (
    r"^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.junit|junit"
    r"|org\.gradle|org\.apache|org\.opentest4j|org\.mockito|org\.springframework"
    r"|org\.hamcrest|org\.assertj|org\.testng|org\.codehaus|worker\.org)\."
)


class Place(NamedTuple):
    """A line of a file; `own` where the file is no library's."""

    file: str
    line: int | None
    own: bool


def place(file: str, line: str | None = None) -> Place:
    """Make a place of what an output says."""
    path = one_line(compiled(_SCHEME).sub("", file), LONGEST_PATH)
    number = int(line) if line and len(line) <= _MOST_DIGITS else None
    return Place(path, number, own=is_own(path))


def is_own(path: str) -> bool:
    """Say whether a path may be one of the project's files."""
    return not compiled(_LIBRARY).search(path)


def places(text: str) -> Iterator[Place]:
    """Give the places a text names, in its order."""
    for number, match in enumerate(compiled(_FORMS).finditer(text)):
        if number == _MOST:
            return
        file, line = _of(match)
        found = place(file, line)
        owner = match["owner"]
        if owner and compiled(_LIBRARY_OWNER).search(owner + "."):
            found = found._replace(own=False)
        if not found.file.startswith("<"):
            yield found


def first_place(text: str) -> Place | None:
    """Give the first place of the project, else the first one there is."""
    return _chosen(list(places(text)))


def last_place(text: str) -> Place | None:
    """Give the last place of the project, else the last one there is."""
    return _chosen(list(places(text))[::-1])


def _chosen(found: list[Place]) -> Place | None:
    own = [one for one in found if one.own]
    return next(iter(own or found), None)


def _of(match: re.Match[str]) -> tuple[str, str]:
    groups = match.groupdict()
    for file, lines in (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"), ("i", "jkln")):
        if groups[file]:
            return groups[file], next(groups[x] for x in lines if groups[x])
    raise AssertionError
