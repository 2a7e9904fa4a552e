from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.markdown import parse_markdown
from corpus.protocol.citations import (
    Artifacts,
    citations,
    cited_paths,
    name_forms,
    target_forms,
)
from corpus.protocol.layout import PROJECT_PATH, STATUS_PATH

REPORT = ".project-corpus/reports/r-001.md"
DEEP = ".project-corpus/reports/2024/r-002.md"
WORD = ".project-corpus/reports/release.md"
SPACED = ".project-corpus/reports/two words.md"
TASK = ".project-corpus/tasks/t-001.md"
TWIN_TASK = ".project-corpus/tasks/twin.md"
TWIN_REPORT = ".project-corpus/reports/twin.md"
KNOWN = (PROJECT_PATH, STATUS_PATH, REPORT, DEEP, WORD, SPACED, TASK)
EVIDENCE = "# S\n\n## Evidence References\n\n{}\n\n## Exact Next Action\n\nNONE\n"


def cited(text: str, path: str = STATUS_PATH) -> frozenset[str]:
    return cited_paths(parse_markdown(text), path, KNOWN)


def dangling(text: str, path: str = STATUS_PATH) -> list[tuple[str, int]]:
    artifacts = Artifacts(dict.fromkeys(KNOWN))
    found = artifacts.resolve(citations(parse_markdown(text), path), base=path)
    return [(citation.target, citation.line) for citation in found.dangling]


@pytest.mark.requirement("P7.5")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param(f"See {REPORT}.", REPORT, id="path"),
        pytest.param(f"See `{REPORT}`:", REPORT, id="ticked path"),
        pytest.param(f"**{REPORT}:12-14**", REPORT, id="path with lines"),
        pytest.param("(reports/r-001.md#part)", REPORT, id="path in the corpus"),
        pytest.param("reports/2024/R-002.MD", DEEP, id="case"),
        pytest.param("../reports/r-001.md", REPORT, id="relative path"),
        pytest.param("[a](../reports/r-001.md#x 'title')", REPORT, id="link"),
        pytest.param("[a](</.project-corpus/reports/r-001.md>)", REPORT, id="rooted"),
        pytest.param("[a](../reports/two%20words.md)", SPACED, id="percent"),
        pytest.param("[a](<../reports/two words.md>)", SPACED, id="angle brackets"),
        pytest.param("[a][r]\n\n[r]: ../reports/r-001.md 'x'", REPORT, id="definition"),
        pytest.param("[a](../tasks/../reports/./r-001.md)", REPORT, id="dots"),
        pytest.param("As r-001 shows", REPORT, id="id with a digit"),
        pytest.param("As R-001, it", REPORT, id="id in capitals"),
        pytest.param("the `release` report", WORD, id="ticked id"),
        pytest.param("r-001.md says", REPORT, id="file name"),
        pytest.param("- done: r-002 – fine", DEEP, id="deep id"),
        pytest.param("报告：r-001，通过", REPORT, id="unspaced script"),
    ],
)
def test_a_citation_is_a_path_a_link_or_an_id(text: str, path: str) -> None:
    assert cited(f"# S\n\n{text}\n") == {path}


@pytest.mark.requirement("P7.5")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```\n{REPORT}\n```", id="fence"),
        pytest.param(f"    {REPORT}", id="indented code"),
        pytest.param(f"> {REPORT}", id="quote"),
        pytest.param(f"<!-- {REPORT} -->", id="comment"),
        pytest.param(f"text <!-- {REPORT} --> more", id="comment in a line"),
        pytest.param("a release today", id="a word that is also an id"),
        pytest.param("https://host/reports/r-001.md", id="URL"),
        pytest.param("[a](https://host/.project-corpus/reports/r-9.md)", id="link out"),
        pytest.param("see src/main.md and docs/r.md", id="paths outside the corpus"),
        pytest.param("[a](../../docs/x.md) [b](#frag) [c]()", id="links outside"),
        pytest.param(".project-corpus/reports/*.md", id="pattern"),
        pytest.param(".project-corpus/reports/<id>.md", id="placeholder"),
        pytest.param("[a](../../../../../x.md)", id="above the root"),
        pytest.param("on 2024-05-01 with utf-8", id="words with digits"),
    ],
)
def test_what_is_not_said_or_names_no_artifact_is_no_citation(text: str) -> None:
    assert cited(f"# S\n\n{text}\n") == frozenset()
    assert dangling(f"# S\n\n{text}\n") == []


@pytest.mark.requirement("P7.5")
def test_any_id_counts_in_the_evidence_references_of_status() -> None:
    text = EVIDENCE.format("- release\n- notes of r-001")
    assert cited(text) == {WORD, REPORT}
    assert cited(text, TASK) == {REPORT}


@pytest.mark.requirement("P7.5", "P1.6")
@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param("- r-404", ["r-404"], id="id alone"),
        pytest.param("- `r-404`.", ["r-404"], id="ticked id"),
        pytest.param("- reports/r-404.md", ["reports/r-404.md"], id="path"),
        pytest.param("- [x](../reports/r-404.md)", ["../reports/r-404.md"], id="link"),
        pytest.param("- [x](README.md) [y](docs/x.md)", [], id="the project's files"),
        pytest.param("- r-001", [], id="exists"),
        pytest.param("- t-001", [], id="a task exists"),
        pytest.param("- r-404: not yet", [], id="id in a phrase"),
        pytest.param("- 2024-05-01", [], id="date"),
        pytest.param("- utf8", [], id="no hyphen"),
        pytest.param("- self-review", [], id="no digit"),
        pytest.param("- ISO-8601", [], id="capitals"),
        pytest.param("NONE", [], id="none"),
        pytest.param("- a1b2c3d4", [], id="commit"),
    ],
)
def test_only_what_can_mean_nothing_else_is_dangling(
    item: str, expected: list[str]
) -> None:
    found = dangling(EVIDENCE.format(item))
    assert found == [(target, 5) for target in expected]


@pytest.mark.requirement("P7.5", "P1.6")
def test_a_link_to_a_missing_neighbour_of_a_task_is_dangling() -> None:
    assert dangling("# T\n\n[x](t-404.md) [y](t-001.md)\n", TASK) == [("t-404.md", 3)]


@pytest.mark.requirement("P7.5")
def test_one_target_counts_once_a_line_and_keeps_its_line() -> None:
    text = f"# S\n\n[{REPORT}](../reports/r-001.md) r-001 r-001\n\nr-001\n"
    found = citations(parse_markdown(text), STATUS_PATH)
    assert [(c.target, c.line) for c in found] == [
        ("../reports/r-001.md", 3),
        (REPORT, 3),
        ("r-001", 3),
        ("r-001", 5),
    ]


@pytest.mark.requirement("P7.5")
def test_a_section_can_be_read_alone() -> None:
    text = f"# S\n\n{TASK}\n\n## Scope\n\n{REPORT}\n\n### More\n\nr-002\n\n## End\n"
    found = citations(parse_markdown(text), TASK, section="scope")
    assert [c.target for c in found] == [REPORT, "r-002"]


@pytest.mark.requirement("P7.4")
@pytest.mark.parametrize(
    ("target", "path"),
    [
        pytest.param(REPORT, REPORT, id="path"),
        pytest.param("reports/r-001.md", REPORT, id="path in the corpus"),
        pytest.param("../reports/R-001.md", REPORT, id="relative, other case"),
        pytest.param("r-001", REPORT, id="id"),
        pytest.param("R-001", REPORT, id="id in capitals"),
        pytest.param("r-001.md", REPORT, id="file name"),
        pytest.param("declared-id", DEEP, id="declared id"),
        pytest.param("twin", TWIN_TASK, id="shared id: the same kind"),
        pytest.param("history/r-001.md", None, id="another folder"),
        pytest.param("r-404", None, id="no such id"),
        pytest.param("", None, id="empty"),
        pytest.param("../../../r-001.md", None, id="outside"),
    ],
)
def test_a_superseded_target_is_a_path_or_an_id(target: str, path: str | None) -> None:
    ids = dict.fromkeys((*KNOWN, TWIN_TASK, TWIN_REPORT))
    artifacts = Artifacts({**ids, DEEP: "declared-id"})
    assert artifacts.superseded(target, base=TASK) == path


@pytest.mark.requirement("P7.4", "P7.5")
def test_an_id_two_artifacts_of_a_kind_share_names_neither() -> None:
    both = (".project-corpus/reports/a/x-1.md", ".project-corpus/reports/b/x-1.md")
    artifacts = Artifacts(dict.fromkeys(both))
    assert artifacts.superseded("x-1", base=REPORT) is None
    assert artifacts.superseded("reports/a/x-1.md", base=REPORT) == both[0]


@pytest.mark.requirement("P7.4")
def test_a_reference_and_its_artifact_share_a_form() -> None:
    names = set(name_forms(REPORT))
    assert names == {REPORT, "report:r-001", "r-001"}
    assert names & set(target_forms("../reports/R-001.md", TASK)) == {REPORT}
    assert names & set(target_forms("r-001", TASK)) == {"r-001"}
    assert not names & set(target_forms("history/r-001.md", TASK))


@pytest.mark.requirement("P7.5")
@given(st.text())
def test_any_text_can_be_searched_for_citations(text: str) -> None:
    for body in (text, EVIDENCE.format(text), f"[x](<{text}>)", f"[{text}]: {text}.md"):
        assert cited(body) <= set(KNOWN)
    assert len(set(target_forms(text, STATUS_PATH))) == len(
        target_forms(text, STATUS_PATH)
    )


@pytest.mark.requirement("P7.5")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["[", "](", "](<", "<!--", "a/", "%41", ":1", "`", "*"]
)
def test_a_long_line_of_halves_cites_nothing_and_hides_nothing(piece: str) -> None:
    text = "x " + piece * (200_000 // len(piece)) + ".md"
    assert cited(text) == frozenset()
    assert cited(f"{text}\n\nSee {REPORT}.\n") == {REPORT}
