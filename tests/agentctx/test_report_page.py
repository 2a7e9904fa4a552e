"""A report's page: whole, escaped, readable for all, the same for the same store."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.config import Problem
from agentctx.project import resolve_project
from agentctx.records.model import Replacement
from agentctx.records.write import add_record, retire_record, supersede_record
from agentctx.report.markup import clean, element, told
from agentctx.report.markup import stored as stored_text
from agentctx.report.page import MARK, POLICY, page
from agentctx.report.stored import stored
from agentctx.report.values import Remembered
from tests.agentctx.facts import fact
from tests.agentctx.furnished import (
    DELETED,
    LONG,
    NEW,
    OLD,
    SECRET,
    SEEN,
    SESSION,
)
from tests.agentctx.pages import HEADINGS, Node, read_page
from tests.agentctx.reported import IDLE, Place, reported
from tests.recorded import START, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A12")

HIDDEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800]"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def text(place: Place) -> str:
    return page(place.report())


@pytest.fixture(scope="module")
def drawn(text: str) -> Node:
    return read_page(text)


def section(drawn: Node, name: str) -> Node:
    return drawn.one("section", id=name)


def test_a_page_asks_for_nothing_outside_and_runs_nothing(
    text: str, drawn: Node
) -> None:
    assert text.startswith(MARK)
    assert text.index("Content-Security-Policy") < text.index("<style>")
    policy = drawn.one("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy.attributes["content"] == POLICY
    names = {one.name for one in drawn.all()}
    assert (
        names & {"script", "link", "img", "iframe", "form", "object", "base"} == set()
    )
    for one in drawn.all():
        assert [key for key in one.attributes if key.startswith("on")] == []
        assert {"src", "srcset", "style", "action"} & one.attributes.keys() == set()
        assert (one.attributes.get("href") or "#").startswith("#")
    style = drawn.one("style").text
    assert re.search(r"url\(|@import|https?:|</", style) is None


def test_hostile_texts_are_texts(text: str, drawn: Node) -> None:
    assert SEEN not in text
    assert drawn.text.count(SEEN) > 15
    assert re.search(HIDDEN, text) is None
    assert "\ufffd" in drawn.text
    assert drawn.one("title").text.startswith(f"What is known about weather {SEEN}")
    assert len(list(drawn.all("main"))) == 1


def test_secrets_do_not_come_out(text: str) -> None:
    assert SECRET not in text
    assert "[redacted:" in text


def test_ids_are_unique_and_every_reference_leads_somewhere(drawn: Node) -> None:
    ids = [one.attributes["id"] for one in drawn.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    for one in drawn.all():
        for key in ("href", "aria-labelledby"):
            if (value := one.attributes.get(key)) is not None:
                assert value.lstrip("#") in ids


def test_landmarks_headings_and_tables_are_for_everybody(drawn: Node) -> None:
    html = drawn.one("html")
    assert html.attributes["lang"] == "en"
    body = next(
        one for one in html.inside if isinstance(one, Node) and one.name == "body"
    )
    names = [one.name for one in body.inside if isinstance(one, Node)]
    assert names == ["a", "header", "nav", "main", "footer"]
    levels = [int(one.name[1]) for one in drawn.all(*HEADINGS)]
    assert levels.count(1) == 1
    steps = pairwise(levels)
    assert [pair for pair in steps if pair[1] > pair[0] + 1] == []
    tables = list(drawn.all("table"))
    assert len(tables) >= 8
    for table in tables:
        assert table.one("caption").text
        heads = list(table.one("thead").all("th"))
        assert all(one.attributes["scope"] == "col" for one in heads)
        for row in table.one("tbody").all("tr"):
            cells = [one for one in row.inside if isinstance(one, Node)]
            assert len(cells) == len(heads)
            assert (cells[0].name, cells[0].attributes["scope"]) == ("th", "row")


def test_stored_texts_have_their_own_direction_and_no_language(drawn: Node) -> None:
    holders = [one for one in drawn.all() if "lang" in one.attributes]
    texts = [one for one in holders if one.name != "html"]
    assert all(one.attributes["lang"] == "" for one in texts)
    assert all(one.attributes["dir"] == "auto" for one in texts)
    inside = "".join(one.text for one in texts)
    for said in (NEW, SESSION, "UTC everywhere, please", "leap seconds"):
        assert said in inside
    outside = drawn.one("body").text.count(SEEN)
    assert sum(one.text.count(SEEN) for one in texts) == outside


def test_what_is_known_is_shown_by_type_pinned_first(place: Place, drawn: Node) -> None:
    known = section(drawn, "known")
    heads = [one.text for one in known.all("h3")]
    assert heads == ["Decisions (2)", "Conventions (1)", "Bug fixes (2)"]
    entry = drawn.one("article", id=f"r-{place.made.pinned.id}")
    marks = [one.text for one in entry.one("ul", **{"class": "marks"}).all("li")]
    assert marks == ["pinned", "explicit", "from the developer"]
    folded = next(iter(entry.all("details")))
    assert folded.one("div", **{"class": "told"}).text == LONG.strip()
    head = drawn.one("article", id=f"r-{place.made.head.id}").text
    assert "confirmed by a person" in head
    assert "in 1 session" in head
    glance = section(drawn, "glance").one("tbody")
    rows = [[cell.text for cell in row.all("th", "td")] for row in glance.all("tr")]
    assert rows[-1] == ["all types", "5", "4", "1", "0", "1"]
    origins = section(drawn, "origins").text
    assert f"src/{SEEN}.py" in origins


def test_changes_are_shown_with_both_times(place: Place, drawn: Node) -> None:
    changes = section(drawn, "changes")
    (article,) = changes.all("article")
    newest, oldest = article.one("ol").all("li")
    assert NEW in newest.text
    assert "leap seconds" in newest.text
    assert OLD in oldest.text
    assert len(list(oldest.all("time"))) == 4
    assert [one.attributes["href"] for one in newest.all("a")] == [
        f"#r-{place.made.head.id}"
    ]
    assert OLD not in section(drawn, "known").text


def test_tokens_hits_and_dollars_are_added_up(drawn: Node) -> None:
    given = section(drawn, "given")
    totals = given.one("dl").text
    assert "150 in 2 sessions" in totals
    assert "50%: 1 of 2 records" in totals
    assert "$1.75" in totals
    tables = {one.one("caption").text: one.one("tbody") for one in given.all("table")}
    for name, first in (
        ("Dollars by day", ["2026-01-10", "3", "3,030", "$1.75"]),
        ("Dollars by model", ["claude-two", "2", "2,020", "$1.50"]),
        ("Tokens injected by event", ["UserPromptSubmit", "1", "120"]),
    ):
        row = next(tables[name].all("tr"))
        assert [cell.text for cell in row.all("th", "td")] == first
    assert len(list(tables["Dollars by purpose"].all("tr"))) == 2
    assert SESSION in tables["Sessions, the newest first"].text


def test_what_contradicts_is_shown(drawn: Node) -> None:
    found = section(drawn, "differences")
    assert f"{OLD}, with a suffix." in found.text
    assert f"now it holds that: {NEW}" in found.text
    assert "CLAUDE.md, line 3" in found.text
    tables = {one.one("caption").text: one.one("tbody") for one in found.all("table")}
    (row,) = tables["Proposals, for a person to decide"].all("tr")
    cells = [cell.text for cell in row.all("th", "td")]
    assert cells[:3] == ["merge", "The pump stalls", "The pump halts"]
    assert "gone/" in tables["Notes about these files"].text
    missing = tables["Current records that no file states"].text
    assert "Names are nouns" in missing


def test_what_was_forgotten_is_a_number_alone(text: str, drawn: Node) -> None:
    told = section(drawn, "forgotten").text
    assert "1 record and 1 item of memory were forgotten" in told
    assert DELETED not in text
    assert "anzibar" not in text
    assert "fuchsia" not in text


def test_memory_is_shown_with_the_words_it_stands_on(drawn: Node) -> None:
    memory = section(drawn, "memory")
    assert [one.text for one in memory.all("h3")] == ["Items (2)"]
    tabs, ends = memory.all("article")
    assert f"Indentation {SEEN}" in tabs.text
    assert "From now on indent with tabs." in tabs.one("blockquote").text
    assert "in session s1" in tabs.text
    marks = [one.text for one in tabs.one("ul", **{"class": "marks"}).all("li")]
    assert (marks[0], marks[-1]) == ("pinned", "told with every prompt")
    assert "src/app.py" in tabs.text
    assert "Indent with real tabs." in tabs.text
    assert "Indent with tabs." in next(tabs.all("ol")).text
    assert list(ends.all("ol")) == []


def test_how_it_is_going_is_shown(place: Place, drawn: Node) -> None:
    going = section(drawn, "state")
    assert "2 sessions and memories" in going.text
    assert "SPEND_DAY" in going.text
    tables = {one.one("caption").text: one.one("tbody") for one in going.all("table")}
    assert f"hook {SEEN}" in tables["The last failures"].text
    assert "no-llm" in tables["What is degraded, and what to do"].text
    well = place.report()._replace(health=IDLE._replace(failures=(), degraded=()))
    text = section(read_page(page(well)), "state").text
    assert "Nothing is degraded." in text
    assert "Nothing failed out of sight." in text


def test_what_is_mine_alone_is_shown_only_when_asked_for(
    place: Place, text: str
) -> None:
    assert "violet" not in text
    assert "1 record holds for every project" in read_page(text).text
    whole = page(place.report(everywhere=True))
    assert "violet" in whole
    assert "for every project" in whole


def test_a_section_is_bounded_and_counts_the_rest(place: Place) -> None:
    drawn = read_page(page(place.report(most=1)))
    known = section(drawn, "known")
    assert len(list(known.all("article"))) == 3
    assert known.text.count("and 1 record not shown here") == 2
    assert "and 1 session not shown here" in section(drawn, "given").text


def test_the_same_store_and_clock_give_the_same_bytes(place: Place, text: str) -> None:
    assert page(place.report()) == text


@pytest.mark.parametrize("most", [1, 100])
def test_an_empty_store_says_so(tmp_path: Path, most: int) -> None:
    root = tmp_path / "weather"
    (root / ".agentctx").mkdir(parents=True)
    with store_at(tmp_path / "home") as store:
        project = resolve_project(root, environ={})
        kept = stored(store, project, {}, everywhere=False, most=most, now=START)
    drawn = read_page(page(reported(kept, Remembered(told="off"), most)))
    assert "Nothing is recorded yet." in section(drawn, "known").text
    assert "Nothing was superseded" in section(drawn, "changes").text
    assert "off" in section(drawn, "memory").text
    assert list(drawn.all("article")) == []


def test_a_store_that_cannot_be_read_is_told_first() -> None:
    why = Problem("STORE_CORRUPT", f"the store is damaged {SEEN}", "repair it")
    drawn = read_page(page(reported(None, Remembered(told="off"), why=why)))
    alarm = drawn.one("header").one("p", **{"class": "alarm"})
    assert "STORE_CORRUPT" in alarm.text
    assert SEEN in alarm.text
    assert section(drawn, "known").text.startswith("What is knownNot known")


def test_a_fact_with_many_versions_shows_the_newest_and_counts_the_rest(
    store: Store, project: Path
) -> None:
    here = resolve_project(project, environ={})
    one = add_record(store, here.project_id, fact("The tide turns", "Version 0")).record
    for number in range(1, 25):
        new = Replacement(body=f"Version {number}", source="cli", trust="developer")
        one = supersede_record(store, here.project_id, one.id, new).record
    kept = stored(store, here, {}, everywhere=False, most=100, now=START)
    changes = section(read_page(page(reported(kept, Remembered()))), "changes")
    (article,) = changes.all("article")
    versions = list(article.one("ol").all("li"))
    assert ("Version 24" in versions[0].text, len(versions)) == (True, 20)
    assert "and 5 older versions not shown here" in article.text


def test_a_fact_that_ended_is_said_to_hold_no_longer(
    store: Store, project: Path
) -> None:
    here = resolve_project(project, environ={})
    one, other = (
        add_record(store, here.project_id, fact(title)).record
        for title in ("The tide turns", "The moon is full")
    )
    retire_record(store, here.project_id, one.id)
    with store.writing() as tx:  # a ring, as only plain SQL makes one
        tx.execute(
            "UPDATE records SET superseded_at = recorded_at, superseded_by = id"
            " WHERE id = ?",
            (other.id,),
        )
    kept = stored(store, here, {}, everywhere=False, most=100, now=START)
    changes = section(read_page(page(reported(kept, Remembered()))), "changes")
    assert changes.text.count("It holds no longer.") == 2
    assert list(changes.all("a")) == []


@given(st.text())
def test_any_text_stays_one_text(text: str) -> None:
    drawn = [stored_text("p", text), told(text, id=text), element("p", clean(text))]
    for markup in drawn:
        page_of_it = read_page(f"{MARK}{markup.html}")
        last = [one for one in page_of_it.all() if one.name in {"p", "div"}][-1]
        assert last.inside in ([], [last.text])
        assert " ".join(last.text.split()) == " ".join(clean(text).split())
