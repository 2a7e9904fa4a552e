"""What holds for every bundle of every corpus: size, hash, budget, places."""

from __future__ import annotations

import tempfile
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.bundle import MAX_ENVELOPE, NOT_HASHED, compile_bundle
from corpus.canonical import canonical_json, digest
from corpus.excerpt import excerpt, shorten
from corpus.jsoninput import parse_json
from corpus.lexical import terms
from corpus.prompt import clean, render_prompt
from corpus.receipt import check_bundle, make_receipt
from corpus.tokens import bundle_tokens
from tests.corpora import live_view_of_corpus, project_page, report_page, write_corpus

if TYPE_CHECKING:
    from corpus.view import View

NOW = datetime(2026, 2, 1, tzinfo=UTC)
WORDS = [
    *("gauge", "rain", "station", "frost", "valley", "the", "of", "12", "v1.4"),
    *("雨量计", "結冰", "уровень", "наводнение", "é\u0301toile"),
    *('"quoted"', "a\\b", "snake_case", "`code`"),
]
ENDS = (
    " ",
    " ",
    " ",
    ". ",
    "! ",
    "\n",
    "\n\n",
    "。",
    "\n- ",
    "\n\n### Part\n\n",
    " … ",
)

texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDS)), min_size=1, max_size=300
).map(lambda pairs: "".join(word + end for word, end in pairs))
budgets = st.one_of(st.integers(80, 600), st.integers(80, 20_000))
anything = st.text(
    st.characters(codec="utf-8") | st.sampled_from("`[]\n\x1b\u202e. 雨"), max_size=400
)
SLOW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def view_of(objective: str, reports: list[str]) -> View:
    with tempfile.TemporaryDirectory() as folder:
        pages = {f"report-{n}": report_page(f"r-{n}") for n in range(0)}
        for number, text in enumerate(reports):
            pages[f"report-{number}"] = report_page(f"report-{number}", summary=text)
        project = project_page(objective=objective)
        root = write_corpus(Path(folder) / "one", reports=pages, project=project)
        return live_view_of_corpus(root)


@pytest.mark.requirement("P8.3", "P8.4", "P8.5")
@SLOW
@given(objective=texts, reports=st.lists(texts, max_size=6), tokens=budgets)
def test_size_hash_and_budget_are_exact(
    objective: str, reports: list[str], tokens: int
) -> None:
    view = view_of(objective, reports)
    value: Any = compile_bundle(view, "gauge 雨量计 frost", max_tokens=tokens, now=NOW)
    assert value["serialized_bytes"] == len(canonical_json(value)) <= MAX_ENVELOPE
    hashed = {key: value[key] for key in value if key not in NOT_HASHED}
    assert value["bundle_sha256"] == digest(hashed)
    estimates = [bundle_tokens(item["text"]) for item in value["items"]]
    assert value["budget"]["estimated_tokens"] == sum(estimates) <= tokens
    assert sum(estimates[:3]) <= tokens // 2
    assert all(item["text"].strip() for item in value["items"])
    assert check_bundle(parse_json(canonical_json(value), name="x")).item_ids
    assert make_receipt(value, "agent", now=NOW)["project_id"] == "demo-one"


@pytest.mark.requirement("P8.5")
@SLOW
@given(reports=st.lists(texts, min_size=1, max_size=6), tokens=budgets)
def test_nine_tenths_are_used_while_relevant_passages_remain(
    reports: list[str], tokens: int
) -> None:
    view = view_of("Measure.", reports)
    ample: Any = compile_bundle(view, "gauge frost", max_tokens=20_000, now=NOW)
    value: Any = compile_bundle(view, "gauge frost", max_tokens=tokens, now=NOW)
    whole = {item["item_id"]: item["text"] for item in ample["items"][3:]}
    kept = {item["item_id"]: item["text"] for item in value["items"][3:]}
    remain = [name for name, text in whole.items() if kept.get(name) != text]
    if remain:
        assert value["budget"]["estimated_tokens"] >= 0.9 * tokens


@pytest.mark.requirement("P8.5")
@SLOW
@given(reports=st.lists(texts, min_size=1, max_size=4), tokens=budgets)
def test_every_passage_stands_on_the_lines_it_names(
    reports: list[str], tokens: int
) -> None:
    view = view_of("Measure.", reports)
    value: Any = compile_bundle(view, "gauge frost", max_tokens=tokens, now=NOW)
    for item in value["items"][3:]:
        lines = view.lines(item["source_path"])
        span = lines[item["line_start"] - 1 : item["line_end"]]
        rows = item["text"].split("\n")
        assert len(rows) == len(span)
        if "cut_to_fit" not in item["selection_reasons"]:
            assert rows == span
        for row, line in zip(rows, span, strict=True):
            assert row.removeprefix("… ").removesuffix(" …") in line


@pytest.mark.requirement("P8.7")
@SLOW
@given(
    objective=texts | anything.map(lambda text: text.replace("\r", "")),
    reports=st.lists(texts | anything, max_size=4),
    tokens=budgets,
)
def test_a_prompt_keeps_to_its_budget_and_its_frame(
    objective: str, reports: list[str], tokens: int
) -> None:
    view = view_of(objective, reports)
    text = render_prompt(view, "gauge 雨", max_tokens=tokens, now=NOW)
    assert bundle_tokens(text + "\n") <= tokens
    hidden = {"Cc", "Cf", "Zl", "Zp", "Cs"}
    shown = set(text) - {"\n", "\t"}
    assert not {c for c in shown if unicodedata.category(c) in hidden - {"Cf"}}
    assert text.split("\n")[-1].startswith("bundle ")


@pytest.mark.requirement("P8.7")
@given(anything)
def test_cleaning_keeps_lines_and_is_done_once(text: str) -> None:
    once = clean(text)
    assert once.count("\n") == text.count("\n")
    again = clean(once)
    assert again.replace("\\", "") == once.replace("\\", "")


@pytest.mark.requirement("P8.4", "P8.5")
@given(text=texts | anything, room=st.integers(-5, 500))
def test_cuts_fit_and_keep_whole_words(text: str, room: int) -> None:
    short = shorten(text, room)
    assert len(short.encode()) <= max(0, room)
    body = short.removesuffix(" …")
    assert text.startswith(body) or text == short
    found = excerpt(text, dict.fromkeys(terms("gauge"), 1.0), room=room)
    if found is not None:
        assert len(found.text.encode()) <= max(room, 0)
        lines = text.split("\n")[found.first : found.last + 1]
        assert len(lines) == found.text.count("\n") + 1


@pytest.mark.requirement("P10.4")
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: repr(t).encode()))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        value = parse_json(content, name="x")
    except Exception as error:  # noqa: BLE001 - the point is which one it is
        assert type(error).__name__ == "InputJsonError"  # noqa: PT017
    else:
        assert parse_json(canonical_json(value), name="x") == value
