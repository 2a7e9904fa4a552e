"""Whatever an artifact looks like, a change touches what it names and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.lines import decode, split_lines
from corpus.markdown import parse_markdown
from corpus.protocol.amend import with_section, with_value
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import sections
from corpus.refs import RelPath
from corpus.refusals import AmendmentError

PATH = RelPath(".project-corpus/tasks/any-one.md")
LINES = (
    *("# T", "## S", "## U", "### deep", "S", "---", "===", "", "", "  ", "text"),
    *("K: a", "k: 'a'", 'K: "a"', "K : a # x", "K: a <!-- x -->", "K:", "Other: b"),
    *("```", "~~~", "<!-- c -->", "<!--", "-->", "> quote", "- item", "    code"),
    *("<div>", "</div>", "<pre>", "K: a\\", "text <!-- c", "c -->", "- Supersedes: x"),
    *("_K: a", "K_: a", "K: &a b", "\ufeff", "K: |", "  a", "a: {b: c}", "* * *"),
)
ends = st.sampled_from(("\n", "\r\n", "\r"))
lines = st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=6)), max_size=14)
values = st.one_of(st.sampled_from(("DONE", "task-0001", "NONE")), st.text(max_size=8))
bodies = st.one_of(lines.map("\n".join), st.text(max_size=20))


@st.composite
def artifacts(draw: st.DrawFn) -> bytes:
    end = draw(ends)
    text = end.join([*draw(lines), *draw(st.sampled_from(([], ["## S", ""]))), ""])
    if draw(st.booleans()):
        matter = draw(lines)
        text = end.join(["---", *matter, "---", text])
    mark = draw(st.sampled_from(("", "\ufeff")))
    return (mark + text.rstrip(draw(st.sampled_from(("", "\r\n"))))).encode("utf-8")


def with_ends(content: bytes) -> list[bytes]:
    return re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", content)


@pytest.mark.requirement("P13.1")
@given(content=artifacts(), value=values)
@settings(max_examples=400, deadline=None)
def test_a_new_value_reads_back_and_all_other_lines_stay(
    content: bytes, value: str
) -> None:
    before = read_metadata(parse_markdown(decode(content)))
    try:
        changed = with_value(content, PATH, "K", value)
    except AmendmentError:
        return
    after = read_metadata(parse_markdown(decode(changed)))
    places = {entry.line for entry in before.all("K")}
    assert {entry.value for entry in after.all("K")} == {value}
    assert [e for e in after.entries if e.key != "k"] == [
        e for e in before.entries if e.key != "k"
    ]
    old, new = with_ends(content), with_ends(changed)
    assert len(old) == len(new)
    for number, (was, now) in enumerate(zip(old, new, strict=True), start=1):
        if number not in places:
            assert was == now
        else:
            assert was.split(b":")[0] == now.split(b":")[0]
            assert re.findall(rb"[\r\n]+$", was) == re.findall(rb"[\r\n]+$", now)
    if before.get("K"):
        assert with_value(changed, PATH, "K", before.get("K") or "") == content


@pytest.mark.requirement("P13.1")
@given(content=artifacts(), body=bodies)
@settings(max_examples=400, deadline=None)
def test_a_new_section_reads_back_and_all_other_bytes_stay(
    content: bytes, body: str
) -> None:
    try:
        changed = with_section(content, PATH, "S", body)
    except AmendmentError:
        return
    before, after = (parse_markdown(decode(each)) for each in (content, changed))
    assert read_metadata(after) == read_metadata(before)
    assert [s.title for s in sections(after)] == [s.title for s in sections(before)]
    (old,) = (s for s in sections(before) if s.title == "S")
    (new,) = (s for s in sections(after) if s.title == "S")
    was, now = with_ends(content), with_ends(changed)
    assert b"".join(was[: old.line - 1]) == b"".join(now[: new.line - 1])
    assert was[old.last :] == now[new.last :]
    given_lines = [line for line in split_lines(body) if line.strip(" \t")] or ["NONE"]
    found = [
        line for line in after.lines[new.first - 1 : new.last] if line.strip(" \t")
    ]
    assert any(
        found[at : at + len(given_lines)] == given_lines for at in range(len(found))
    )
    assert with_section(changed, PATH, "S", body) is not None
