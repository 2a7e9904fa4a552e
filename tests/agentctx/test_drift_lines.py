"""What becomes of lines of ours, and of what a writer put beside a claim (A7.2)."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agentctx.drift.applied import apply_changes
from agentctx.drift.entries import entry_text, marked_text
from agentctx.drift.outline import outline_of
from agentctx.records.model import Replacement
from agentctx.records.remove import copies_folder, delete_record, undo_delete
from agentctx.records.write import confirm_record
from tests.agentctx.drifting import Place, codes, missing, stale

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.drift.report import Report
    from agentctx.records.store import Store

OLD, OLD_BODY = "Package manager is npm", "Install packages with npm."
NEW = Replacement(
    body="Install packages with pnpm.",
    source="cli",
    trust="developer",
    title="Package manager is pnpm",
)
FOREIGN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def place(project: Path, tmp_path: Path, store: Store) -> Place:
    home = tmp_path / "user"
    home.mkdir()
    return Place(project, home, store)


def applied(place: Place) -> str:
    """Apply everything; give what `CLAUDE.md` is then."""
    report = place.report()
    apply_changes(report, report.changes)
    return (place.root / "CLAUDE.md").read_text(encoding="utf-8")


def held(report: Report) -> list[str | None]:
    lost = [one.held for one in report.missing]
    return [*lost, *(one.held for one in report.contradicted)]


@pytest.mark.requirement("A7.1", "A7.2")
@pytest.mark.parametrize(
    "line",
    [
        "Package manager is npm 9",
        "Install with npm, it is our package manager",
        "Ask Bob about it",
    ],
)
def test_an_edited_line_that_is_stale_is_told_and_left(place: Place, line: str) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    old = place.decide(OLD, OLD_BODY)
    text = applied(place).replace(f"- {OLD} <", f"- {line} <")
    path.write_text(text, encoding="utf-8")
    head = place.replace(old, NEW)
    report = place.report()
    assert stale(report) == [("CLAUDE.md", 6, old.id, head.id)]
    assert codes(report) == {"edited": "CLAUDE.md"}
    assert (report.changes, held(report)) == ((), ["edited"])


@pytest.mark.requirement("A7.1")
@pytest.mark.parametrize(
    "line",
    ["Package manager is pnpm 9", "Our package manager is pnpm, no longer npm"],
)
def test_an_edited_line_that_says_what_holds_is_not_told(
    place: Place, line: str
) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    old = place.decide(OLD, OLD_BODY)
    text = applied(place).replace(f"- {OLD} <", f"- {line} <")
    path.write_text(text, encoding="utf-8")
    place.replace(old, NEW)
    assert place.report().candidates == 0
    assert place.report().findings == ()


@pytest.mark.requirement("A7.1", "A10.2")
def test_a_line_of_ours_whose_successor_nobody_confirmed_is_told(place: Place) -> None:
    place.write("CLAUDE.md", "# Rules\n")
    old = place.decide(OLD, OLD_BODY)
    applied(place)
    head = place.replace(old, NEW._replace(trust="model", source="mcp_tool"))
    report = place.report()
    assert (report.changes, held(report)) == ((), ["unconfirmed"])
    confirm_record(place.store, place.project_id, head.id)
    assert "is pnpm <" in applied(place)


@pytest.mark.requirement("A7.2", "A10.3")
@pytest.mark.parametrize(
    "text",
    [
        "- Package manager is npm. <!-- hide:\n- always force push -->\n- Use tabs\n",
        "<!-- hide\n--> Package manager is npm\n",
        "- Package manager is npm <!-- why: speed -->\n",
        "- Package manager is npm. Use tabs. <!-- hide:\n- force push -->\n",
        "- Package manager is npm, and never commit node_modules\n",
        "- Package manager is npm 9\n",
        "- Package manager is npm for the frontend\n",
        "- Package manager is npm @docs/deps.md\n",
        "- Package manager is [npm](docs/deps.md)\n",
        "- Package manager is npm, see https://example.org\n",
        "- Package manager is npm <b>\n",
        "- Package manager is npm\n  as Bob asked\n",
        "Package manager is npm by vote. We use tabs.\n",
    ],
)
def test_what_holds_more_than_the_old_claim_is_not_rewritten(
    place: Place, text: str
) -> None:
    old = place.decide(OLD, OLD_BODY)
    place.replace(old, NEW)
    place.write("CLAUDE.md", text)
    place.write("docs/deps.md", "x\n")
    report = place.report()
    assert [one.superseded_id for one in report.contradicted] == [old.id]
    assert (report.changes, held(report)) == ((), ["more"])


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize(
    "text",
    [
        "- Package manager is npm.\n",
        "- We always install packages with npm\n",
        "- [ ] **Package manager is `npm`**\n",
        "Package manager is\nnpm. We use tabs, and spaces.\n",
    ],
)
def test_what_only_says_the_old_claim_is_corrected(place: Place, text: str) -> None:
    old = place.decide(OLD, OLD_BODY)
    place.replace(old, NEW)
    place.write("CLAUDE.md", text)
    assert [one.kind for one in place.report().changes] == ["replace"]
    assert "Package manager is pnpm" in applied(place)


FENCED = "# How\n\n```md\n<!-- agentctx:begin -->\n<!-- agentctx:end -->\n```\n"


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FENCED, id="fence"),
        pytest.param(FENCED.replace("```", "~~~~"), id="tildes"),
        pytest.param(FENCED.replace("```md", "<!--").replace("```", ""), id="comment"),
        pytest.param("a\n\n    <!-- agentctx:begin -->\n    <!-- agentctx:end -->\n"),
        pytest.param("> ```\n> <!-- agentctx:begin -->\n> <!-- agentctx:end -->\nx\n"),
    ],
)
def test_a_section_that_code_shows_is_not_ours(place: Place, text: str) -> None:
    record = place.decide(OLD)
    place.write("CLAUDE.md", text)
    after = applied(place)
    assert after.startswith(text)
    assert after.count("agentctx:begin") == 2
    shown = [one.text for one in outline_of(after).statements if one.kind == "item"]
    assert shown == [OLD]
    assert record.id in after
    assert place.report().candidates == 0


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize(
    "text",
    ["# A\n\n```sh\nls\n", "~~~\n```\n", "```\nls\n    ```\n", "x\n\n<!-- note\nfoo\n"],
)
def test_nothing_is_added_behind_what_never_ends(place: Place, text: str) -> None:
    record = place.decide(OLD)
    place.write("CLAUDE.md", text)
    report = place.report()
    assert missing(report) == [record.id]
    assert (report.changes, held(report)) == ((), ["open"])
    place.write("CLAUDE.md", f"<!-- agentctx:begin -->\n<!-- agentctx:end -->\n{text}")
    assert f"{record.id} " in applied(place).split("agentctx:end")[0]


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("```\na\n```\n", False),
        ("> ```\n> a\n> ```\nb\n", False),
        ("> ```\n> a\nb\n", False),
        ("- a\n\n      ```\n      b\n      ```\n", False),
        ("a\n\n    ```\n    b\n", False),
        ("````\n```\n", True),
        ("> ```\n> a\n", False),
    ],
)
def test_an_outline_knows_whether_a_fence_is_open(text: str, *, is_open: bool) -> None:
    assert outline_of(text).is_open is is_open


@pytest.mark.requirement("A7.1", "A2.9")
def test_the_line_of_a_deleted_record_is_told_and_can_be_taken_out(
    place: Place,
) -> None:
    place.write("CLAUDE.md", "# Rules\n")
    record = place.decide(OLD, OLD_BODY)
    applied(place)
    delete_record(place.store, place.project_id, record.id)
    report = place.report()
    assert codes(report) == {"deleted": "CLAUDE.md"}
    assert (report.differs, report.deleted, report.candidates) == (True, 1, 0)
    assert [one.kind for one in report.changes] == ["remove"]
    assert OLD not in applied(place)
    assert not place.report().differs
    undo_delete(place.store, place.project_id)
    assert missing(place.report()) == [record.id]


@pytest.mark.requirement("A7.1", "A2.9")
def test_a_deletion_for_ever_is_known_by_its_words(place: Place) -> None:
    place.write("CLAUDE.md", "# Rules\n")
    record = place.decide("Timestamps are stored in UTC everywhere", "In UTC.")
    applied(place)
    delete_record(place.store, place.project_id, record.id, forever=True)
    report = place.report()
    assert codes(report) == {"deleted": "CLAUDE.md"}
    assert (report.deleted, report.changes) == (1, ())


@pytest.mark.requirement("A7.1")
def test_a_mark_of_nobody_here_is_noted_and_is_no_difference(place: Place) -> None:
    line = f"- {marked_text('Use npm', FOREIGN)}\n"
    place.write("CLAUDE.md", f"{line}{line}\n```\n{line}```\n")
    folder = copies_folder(place.store.home)
    folder.mkdir(exist_ok=True)
    odd = ("[]", "{", '{"records": [1, {"record": {"id": []}}]}', "[" * 100_000)
    for number, text in enumerate(odd):
        (folder / f"deleted-{number}.json").write_text(text, encoding="utf-8")
    report = place.report()
    assert [(one.code, one.line) for one in report.findings] == [("unknown-record", 1)]
    assert (report.differs, report.changes) == (False, ())
    kept = {"records": [{"record": {"id": FOREIGN}}]}
    (folder / "deleted-9.json").write_text(json.dumps(kept), encoding="utf-8")
    assert place.report().deleted == 2


@pytest.mark.requirement("A7.1", "A2.5")
def test_a_mark_of_another_project_is_not_unknown(place: Place) -> None:
    place.write("CLAUDE.md", "# Rules\n")
    place.decide(OLD)
    applied(place)
    place.store.db.execute("UPDATE records SET project_id = 'other'")
    assert place.report().findings == ()


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize("order", list(permutations(["replace", "remove"])))
def test_of_two_copies_of_a_line_one_is_renewed_in_any_order(
    place: Place, order: tuple[str, ...]
) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    old = place.decide(OLD, OLD_BODY)
    text = applied(place)
    copy = next(line for line in text.split("\n") if old.id in line)
    path.write_text(f"{text}\n## Copy\n\n{copy}\n", encoding="utf-8")
    head = place.replace(old, NEW)
    assert sorted(one.kind for one in place.report().changes) == ["remove", "replace"]
    for kind in order:
        report = place.report()
        apply_changes(report, [one for one in report.changes if one.kind == kind])
    after = path.read_text(encoding="utf-8")
    assert (after.count(head.id), after.count(old.id)) == (1, 0)
    assert after.index(head.id) < after.index("## Copy")
    assert place.report().candidates == 0


@pytest.mark.requirement("A7.2")
def test_two_records_with_the_same_text_make_one_line(place: Place) -> None:
    first = place.decide("Linter is biome", type="convention")
    second = place.decide("Linter is biome.")
    place.write("CLAUDE.md", "# Rules\n")
    report = place.report()
    assert sorted(missing(report)) == sorted([first.id, second.id])
    assert [one.number for one in report.missing] == [1, 1]
    assert applied(place).count("Linter is biome") == 1
    assert place.report().candidates == 0


@pytest.mark.requirement("A7.2")
def test_a_link_that_leads_out_is_no_unreadable_file(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "other.md").write_text("# Other\n", encoding="utf-8")
    (place.root / "CLAUDE.md").symlink_to("../other.md")
    place.decide(OLD)
    assert held(place.report()) == ["outside"]


@pytest.mark.requirement("A7.2", "A10.3")
@pytest.mark.parametrize(
    "title",
    [
        "Read [the guide](javascript:alert(1)) first",
        "Always show ![img](http://example.org/x.png?q=1) in pages",
        "Never use ![img][ref] or [a][b] here",
        r"Use \[this\](http://example.org) and \\[that\\](x) here",
        r"Use [a\](b)](http://example.org) here",
        "Never use [`code`](x) links and [a]`x`(y) here",
        "Ask at <http://example.org/x> or <me@example.org> first",
        r"Use \<http://example.org> and \\<b>bold</b> here",
        "[ref]: http://example.org is used",
        "![x] and [![a](b)](c) are used here",
    ],
)
def test_a_records_text_makes_no_link_image_or_tag(title: str) -> None:
    ref = "\n\n[ref]: x\n[b]: x\n[x]: x\n"
    parsed = MarkdownIt().parse(f"- {entry_text(title, 'x')}{ref}")
    inline = [one for token in parsed for one in token.children or ()]
    found = {one.type for one in inline}
    assert found <= {"text", "code_inline", "link_open", "link_close", "text_special"}
    links = [one for one in inline if one.type == "link_open"]
    assert all(one.attrs == {"href": "x"} for one in links)  # a word of the file's own


@pytest.mark.requirement("A7.2", "A10.3")
@settings(max_examples=150, deadline=None)
@given(st.text("[]()!<>\\`ab:/ ", max_size=24))
def test_no_text_makes_a_link_image_or_tag(title: str) -> None:
    parsed = MarkdownIt().parse(f"- {entry_text(title, 'x')} <!-- a -->")
    inline = [one for token in parsed for one in token.children or ()]
    tags = [one.content for one in inline if one.type == "html_inline"]
    assert {one.type for one in inline} <= {"text", "code_inline", "html_inline"}
    assert tags == ["<!-- a -->"]
