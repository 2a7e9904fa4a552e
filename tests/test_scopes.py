"""Scopes mean what the policy's author reads in them, at a linear price."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import BadScopeError
from corpus.scopes import MAX_SCOPE_LENGTH, MAX_SCOPE_PARTS, Scope

MEANT = [
    ("reports/a.md", "reports/a.md", True),
    ("reports/a.md", "reports/A.md", False),
    ("reports/**", "reports/a.md", True),
    ("reports/**", "reports/deep/er/a.md", True),
    ("reports/**", "reports", False),
    ("reports/**", "reports2/a.md", False),
    ("reports/*", "reports/a.md", True),
    ("reports/*", "reports/deep/a.md", False),
    ("reports/?.md", "reports/a.md", True),
    ("reports/?.md", "reports/ab.md", False),
    ("a?b", "a/b", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/xb", False),
    ("a/**/b", "ab", False),
    ("a/**/**/b", "a/b", True),
    ("**/b", "b", True),
    ("**/b", "x/y/b", True),
    ("**/b", "x/yb", False),
    ("**", "x/y", True),
    ("**/*.md", "a.md", True),
    ("**/*.md", "x/y/a.md", True),
    ("**/*.md", "x/y/a.txt", False),
    ("a/**/*", "a/b/c", True),
    ("a**z", "a/b/z", True),
    ("a*z", "a/b/z", False),
    ("*", "a", True),
    ("*", "a/b", False),
    ("[abc].md", "b.md", True),
    ("[abc].md", "d.md", False),
    ("[a-c].md", "b.md", True),
    ("[a-c].md", "d.md", False),
    ("[a-c0-9_].md", "7.md", True),
    ("[!abc].md", "d.md", True),
    ("[!abc].md", "a.md", False),
    ("x[!a]y", "x/y", False),
    ("x[.-0]y", "x/y", False),
    ("[[]a].md", "[a].md", True),
    ("[a.md", "[a.md", True),
    ("a].md", "a].md", True),
    ("[].md", "[].md", True),
    ("[z-a].md", "[z-a].md", True),
    ("[z-a].md", "z.md", False),
    ("[a-].md", "-.md", True),
    ("отчёты/*.md", "отчёты/я.md", True),
]


@pytest.mark.requirement("P2.3")
@pytest.mark.parametrize(("pattern", "path", "meant"), MEANT)
def test_a_scope_means_the_paths_it_should(
    pattern: str, path: str, *, meant: bool
) -> None:
    assert Scope.parse(pattern).matches(path) is meant


@pytest.mark.requirement("P2.3")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " a",
        "a ",
        "a\\b",
        "C:/a",
        "/a",
        "a//b",
        "a/",
        "../a",
        "a/../b",
        "./a",
        "a/.",
        "a\nb",
        "a\x7fb",
        "a|b",
        "a<b",
        'a"b',
        "a./b",
        "a /b",
        "cafe\u0301/**",
        "\ud800",
        "a" * (MAX_SCOPE_LENGTH + 1),
        "/".join(["a"] * (MAX_SCOPE_PARTS + 1)),
    ],
    ids=ascii,
)
def test_a_scope_that_is_not_portable_is_refused(text: str) -> None:
    with pytest.raises(BadScopeError) as caught:
        Scope.parse(text)
    assert caught.value.facts.keys() == {"scope", "reason"}
    str(caught.value.facts["scope"]).encode()


def test_the_longest_scopes_are_accepted() -> None:
    assert Scope.parse("a" * MAX_SCOPE_LENGTH).matches("a" * MAX_SCOPE_LENGTH)
    deep = "/".join(["a"] * MAX_SCOPE_PARTS)
    assert Scope.parse(deep).matches(deep)


def test_a_scope_is_written_as_it_was_read() -> None:
    assert str(Scope.parse("a/**/[!b]?.md")) == "a/**/[!b]?.md"
    assert Scope.parse("a/**") == Scope.parse("a/**")


@pytest.mark.requirement("P2.3")
@pytest.mark.parametrize(
    ("pattern", "directory", "reached"),
    [
        ("reports/**", "", True),
        ("reports/**", "reports", True),
        ("reports/**", "reports/deep", True),
        ("reports/**", "tasks", False),
        ("reports/**", "report", False),
        ("reports/*.md", "reports", True),
        ("reports/*.md", "reports/deep", False),
        ("reports/a.md", "reports", True),
        ("reports/a.md", "reports/a.md", False),
        ("*/b/*.md", "x", True),
        ("*/b/*.md", "x/b", True),
        ("*/b/*.md", "x/c", False),
        ("a/**/b", "a/x/y", True),
    ],
)
def test_a_scope_reaches_only_folders_that_may_hold_what_it_means(
    pattern: str, directory: str, *, reached: bool
) -> None:
    assert Scope.parse(pattern).may_reach(directory) is reached


@pytest.mark.parametrize(
    ("pattern", "directory", "covered"),
    [
        ("a/**", "a", True),
        ("a/**", "a/b", True),
        ("a/**", "", False),
        ("a/**/*", "a", True),
        ("a/*", "a", False),
        ("**", "", True),
        ("a/**/x", "a", False),
        ("a/b", "a/b", False),
    ],
)
def test_a_scope_covers_a_folder_when_it_means_everything_below(
    pattern: str, directory: str, *, covered: bool
) -> None:
    assert Scope.parse(pattern).covers(directory) is covered


PARTS = st.sampled_from(["a", "b", "ab", "*", "?", "**", "a*", "*b", "[ab]", "[!a]"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
PATHS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5)


def by_definition(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Match part by part as the contract words it, at any price."""
    if not pattern:
        return not path
    first, *rest = pattern
    if first == "**":
        if not rest:
            return bool(path)
        return any(by_definition(tuple(rest), path[n:]) for n in range(len(path)))
    return (
        bool(path)
        and part_by_definition(first, path[0])
        and by_definition(tuple(rest), path[1:])
    )


@cache
def part_by_definition(pattern: str, part: str) -> bool:
    if not pattern:
        return not part
    if pattern[0] == "*":
        return any(
            part_by_definition(pattern[1:], part[n:]) for n in range(len(part) + 1)
        )
    for text, chars in (("[ab]", "ab"), ("[!a]", "b"), ("?", "ab")):
        if pattern.startswith(text):
            rest = pattern.removeprefix(text)
            return (
                part[:1] != ""
                and part[0] in chars
                and part_by_definition(rest, part[1:])
            )
    return part[:1] == pattern[0] and part_by_definition(pattern[1:], part[1:])


@pytest.mark.requirement("P2.3")
@given(PATTERNS, PATHS)
def test_matching_agrees_with_the_definition(pattern: str, path: list[str]) -> None:
    scope = Scope.parse(pattern)
    expected = by_definition(tuple(pattern.split("/")), tuple(path))
    assert scope.matches("/".join(path)) is expected


@pytest.mark.requirement("P2.3")
@given(PATTERNS, PATHS)
def test_a_folder_on_the_way_to_a_match_is_always_reached(
    pattern: str, path: list[str]
) -> None:
    scope = Scope.parse(pattern)
    if scope.matches("/".join(path)):
        assert all(scope.may_reach("/".join(path[:n])) for n in range(len(path)))


@pytest.mark.requirement("P2.3")
@given(PATTERNS, PATHS, PATHS)
def test_a_covered_folder_holds_nothing_that_is_not_meant(
    pattern: str, folder: list[str], below: list[str]
) -> None:
    scope = Scope.parse(pattern)
    if scope.covers("/".join(folder)):
        assert scope.matches("/".join(folder + below))


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_a_scope_or_is_refused(pattern: str, path: str) -> None:
    try:
        scope = Scope.parse(pattern)
    except BadScopeError:
        return
    assert Scope.parse(str(scope)) == scope
    assert not scope.matches(path) or scope.may_reach("")


@pytest.mark.requirement("P2.3")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern",
    [
        "**/" * 60 + "b",
        "*a" * 250 + "b",
        "a*" * 250 + "b",
        "**a" * 160 + "b",
        "*" + "a" * 500 + "b",
        "[\x21-\U0010fffd]" * 80,
    ],
    ids=["globstars", "stars", "tails", "crossing", "one long", "wide classes"],
)
def test_a_long_path_that_lacks_the_end_of_a_pattern_never_matches(
    pattern: str,
) -> None:
    scope = Scope.parse(pattern)
    paths = ["a" * 4000, "a/" * 1999 + "a", "ab" * 2000 + "a"]
    assert not any(scope.matches(path) for path in paths)
