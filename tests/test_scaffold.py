"""`init` writes a corpus that validates, whole or not at all, overwriting nothing."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.confined.reader import open_root
from corpus.errors import InitTargetError, InitValueError, OutputError
from corpus.markdown import parse_markdown
from corpus.policy import parse_policy
from corpus.protocol.citations import cited_paths
from corpus.protocol.conformance import validate
from corpus.protocol.layout import FOLDERS, STATUS_PATH
from corpus.protocol.scaffold import (
    LANGUAGES,
    PUBLISHED_CAPABILITIES,
    TEMPLATES,
    add,
    create,
    id_from_name,
    make_order,
    render,
)
from corpus.protocol.sections import section_text
from corpus.published import published_names
from corpus.refs import RelPath, is_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus.protocol.scaffold import Created, Language, Template

    Cli = Callable[..., tuple[int, str, str]]

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
POLICY = ".project-corpus/policy.toml"
REPOSITORY = Path(__file__).resolve().parents[1]
PEER = REPOSITORY / ".venv-peer/bin/project-corpus"

SCAFFOLDS = [
    pytest.param(template, language, id=f"{template}-{language}")
    for template in TEMPLATES
    for language in LANGUAGES
]


def scaffold(
    root: Path,
    *,
    template: Template = "minimal",
    language: Language = "en",
    name: str | None = None,
    **more: object,
) -> Created:
    """Write a scaffold; `more` are further fields of the order."""
    order = make_order(
        root,
        project_id=None,
        name=name,
        template=template,
        language=language,
    )
    order = replace(order, **more)  # type: ignore[arg-type]
    return create(root, order, now=NOW)


def issues(root: Path) -> tuple[object, ...]:
    with open_root(root) as opened:
        return validate(opened).issues


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize("with_records", [False, True])
@pytest.mark.parametrize(("template", "language"), SCAFFOLDS)
def test_every_scaffold_validates_without_a_finding(
    tmp_path: Path, template: Template, language: Language, *, with_records: bool
) -> None:
    root = tmp_path / "weather"
    scaffold(root, template=template, language=language, with_records=with_records)
    assert issues(root) == ()


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize(("template", "language"), SCAFFOLDS)
def test_another_implementation_accepts_every_scaffold(
    tmp_path: Path, template: Template, language: Language
) -> None:
    if not PEER.exists():
        pytest.skip("the published implementation is not installed in .venv-peer")
    root = tmp_path / "weather"
    scaffold(root, template=template, language=language)
    done = subprocess.run(
        [PEER, "validate", root], capture_output=True, check=False, timeout=60
    )
    assert json.loads(done.stdout)["issues"] == []
    assert done.returncode == 0


@pytest.mark.requirement("P1.7", "P2.2", "P2.3")
def test_the_default_policy_stays_inside_the_published_vocabulary(
    tmp_path: Path,
) -> None:
    scaffold(tmp_path / "weather")
    text = (tmp_path / "weather" / POLICY).read_text(encoding="utf-8")
    policy = parse_policy(text.encode())
    assert policy.capabilities == set(PUBLISHED_CAPABILITIES)
    assert (policy.profile, policy.write) == ("READ_ONLY", ())
    assert "\ndeny" not in text
    for folder in ("state", "tasks", "reports", "history"):
        assert policy.may_read(f".project-corpus/{folder}/deep/a.md")


@pytest.mark.requirement("P1.7", "P2.2")
def test_with_records_allows_the_rest_of_read_only(tmp_path: Path) -> None:
    scaffold(tmp_path / "weather", with_records=True)
    text = (tmp_path / "weather" / POLICY).read_text(encoding="utf-8")
    policy = parse_policy(text.encode())
    assert {"corpus.records", "mcp.stdio"} < policy.capabilities
    assert "\ndeny = []\n" in text


@pytest.mark.requirement("P1.7", "P2.2", "P13.1")
@pytest.mark.parametrize("with_records", [False, True])
def test_the_profile_for_editing_offers_writes_and_where(
    tmp_path: Path, *, with_records: bool
) -> None:
    scaffold(tmp_path / "weather", profile="SAFE_EDIT", with_records=with_records)
    policy = parse_policy((tmp_path / "weather" / POLICY).read_bytes())
    assert {"state.update", "task.update", "mcp.stdio"} < policy.capabilities
    assert ("corpus.records" in policy.capabilities) == with_records
    for path in ("state/STATUS.md", "tasks/a.md", "reports/deep/b.md"):
        assert policy.may_write(f".project-corpus/{path}")
    for path in ("state/PROJECT.md", "history/a.md", "policy.toml", "audit/a.json"):
        assert not policy.may_write(f".project-corpus/{path}")
    assert policy.may_read(".project-corpus/audit/a.json")


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize("template", ["software", "research"])
def test_the_larger_templates_carry_a_task_and_a_report(
    tmp_path: Path, template: Template
) -> None:
    created = scaffold(tmp_path / "weather", template=template)
    folders = [path.rpartition("/")[0] for path in created.paths]
    assert ".project-corpus/tasks" in folders
    assert ".project-corpus/reports" in folders
    assert ".project-corpus/history/.gitkeep" in created.paths
    report = tree(tmp_path / "weather")[
        ".project-corpus/reports/report-0001-corpus-created.md"
    ]
    assert b"\nCreated-At: 2026-03-01T09:00:00Z\n" in report


@pytest.mark.requirement("P1.7")
def test_the_prose_is_in_the_language_and_the_vocabulary_is_not(
    tmp_path: Path,
) -> None:
    pages = {}
    for language in LANGUAGES:
        root = tmp_path / language
        scaffold(root, language=language, name="Weather")
        pages[language] = tree(root)[".project-corpus/state/PROJECT.md"].decode()
    assert len(set(pages.values())) == len(LANGUAGES)
    assert "проект" in pages["ru"]
    assert "项目" in pages["zh"]
    for page in pages.values():
        assert "\n## Durable Scope Boundaries\n" in page
        assert "\nLogical-Name: Weather\n" in page


@pytest.mark.requirement("P1.7")
def test_every_template_file_is_used(tmp_path: Path) -> None:
    expected = {
        f"corpus/{language}/{name}"
        for language in LANGUAGES
        for name in ("AGENTS.md", "policy.toml", "writing.md")
    } | {
        f"corpus/{language}/{template}/{name}.md"
        for language in LANGUAGES
        for template in TEMPLATES
        for name in ("PROJECT", "STATUS", "task", "report")
        if template != "minimal" or name.isupper()
    }
    shipped = {n for n in published_names("templates") if n.startswith("corpus/")}
    assert shipped == expected
    order = make_order(
        tmp_path, project_id=None, name=None, template="research", language="zh"
    )
    assert not any("{{" in text for text in render(order, now=NOW).values())


@pytest.mark.requirement("P1.1", "P1.7")
@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("weather", "weather"),
        ("My App!", "my-app"),
        ("Café Übersicht", "cafe-ubersicht"),
        ("Straße_42", "strasse_42"),
        ("go", "project-go"),
        ("проект", "project"),
        ("项目", "project"),
        ("", "project"),
        ("...hidden", "hidden"),
        ("x" * 100, "x" * 64),
        ("a" * 63 + "--b", "a" * 63),
    ],
)
def test_an_id_is_made_of_the_folders_name(folder: str, expected: str) -> None:
    assert id_from_name(folder) == expected


@pytest.mark.requirement("P1.1", "P1.7")
@given(st.text(max_size=90))
def test_any_folder_name_gives_an_id(folder: str) -> None:
    assert is_id(id_from_name(folder))


@pytest.mark.requirement("P1.7")
@settings(max_examples=25, deadline=None)
@given(name=st.text(min_size=1, max_size=60))
def test_any_accepted_name_gives_a_corpus_that_validates(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    root = tmp_path_factory.mktemp("named") / "weather"
    try:
        scaffold(root, template="software", name=name)
    except InitValueError:
        assert not root.exists()
    else:
        assert issues(root) == ()


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize(
    ("project_id", "name", "field"),
    [
        ("No", "Weather", "--project-id"),
        ("UPPER", "Weather", "--project-id"),
        ("weather", "", "--name"),
        ("weather", " \t", "--name"),
        ("weather", "two\nlines", "--name"),
        ("weather", "x" * 201, "--name"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(
    tmp_path: Path, project_id: str, name: str, field: str
) -> None:
    with pytest.raises(InitValueError) as caught:
        make_order(
            tmp_path,
            project_id=project_id,
            name=name,
            template="minimal",
            language="en",
        )
    assert caught.value.facts["field"] == field


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize("kind", ["corpus", "link inside", "file", "dangling link"])
def test_an_existing_corpus_is_refused_before_anything_is_written(
    tmp_path: Path, kind: str
) -> None:
    home = tmp_path / ".project-corpus"
    if kind == "dangling link":
        home.symlink_to(tmp_path / "nowhere")
    elif kind == "file":
        home.write_text("mine", encoding="utf-8")
    else:
        home.mkdir()
        if kind == "corpus":
            (home / "policy.toml").write_text("mine", encoding="utf-8")
        else:
            (home / "reports").symlink_to(tmp_path)
    before = sorted(tmp_path.rglob("*")), tree(tmp_path)
    with pytest.raises(InitTargetError):
        scaffold(tmp_path, gitignore=True)
    assert (sorted(tmp_path.rglob("*")), tree(tmp_path)) == before


@pytest.mark.requirement("P1.7")
def test_a_corpus_folder_without_a_file_is_filled(tmp_path: Path) -> None:
    (tmp_path / ".project-corpus/state").mkdir(parents=True)
    scaffold(tmp_path)
    assert issues(tmp_path) == ()


@pytest.mark.requirement("P1.7")
def test_an_empty_corpus_folder_stays_when_the_scaffold_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / ".project-corpus/state").mkdir(parents=True)
    (tmp_path / "AGENTS.md").mkdir()
    before = sorted(tmp_path.rglob("*"))
    order = make_order(
        tmp_path, project_id=None, name="W", template="minimal", language="en"
    )
    bad = {RelPath(".project-corpus/reports/bad.md"): "no metadata"}
    with pytest.raises(InitValueError):
        create(tmp_path, order, now=NOW, imports=bad)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.requirement("P1.7", "P7.3")
@pytest.mark.parametrize(("template", "language"), SCAFFOLDS)
def test_no_new_status_cites_the_report_of_the_scaffold(
    tmp_path: Path, template: Template, language: Language
) -> None:
    created = scaffold(tmp_path, template=template, language=language)
    status = tree(tmp_path)[".project-corpus/state/STATUS.md"].decode()
    document = parse_markdown(status)
    assert section_text(document, "Evidence References") == "NONE"
    known = [path for path in created.paths if path.startswith(FOLDERS["report"])]
    assert cited_paths(document, STATUS_PATH, known) == frozenset()


@pytest.mark.requirement("P1.7")
def test_adding_replaces_nothing_and_leaves_nothing_when_it_cannot(
    tmp_path: Path,
) -> None:
    scaffold(tmp_path)
    there = RelPath(".project-corpus/history/there.md")
    assert add(tmp_path, {there: "# Mine\n"}) == (there,)
    before = tree(tmp_path)
    new = RelPath(".project-corpus/history/new.md")
    with pytest.raises(InitTargetError):
        add(tmp_path, {new: "# New\n", there: "# Other\n"})
    assert tree(tmp_path) == before


@pytest.mark.requirement("P1.7")
def test_adding_where_no_folder_is_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        add(tmp_path, {RelPath(".project-corpus/history/new.md"): "# New\n"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("P1.7")
def test_an_existing_agents_file_is_left_alone_and_the_lines_are_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    created = scaffold(tmp_path)
    assert tree(tmp_path)["AGENTS.md"] == b"# Mine\n"
    assert "AGENTS.md" not in created.paths
    assert created.agents_lines[0] == "## Project corpus"
    assert any("STATUS.md" in line for line in created.agents_lines)
    assert issues(tmp_path) == ()


@pytest.mark.requirement("P1.7")
def test_the_paths_reported_are_the_paths_written(tmp_path: Path) -> None:
    root = tmp_path / "deep/er/weather"
    created = scaffold(root, template="research", gitignore=True)
    assert sorted(tree(root)) == sorted(created.paths)
    assert created.agents_lines == ()


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b".project-corpus/cache/\n"),
        (b"*.pyc\n", b"*.pyc\n.project-corpus/cache/\n"),
        (b"*.pyc", b"*.pyc\n.project-corpus/cache/\n"),
        (b"*.pyc\r\n", b"*.pyc\r\n.project-corpus/cache/\r\n"),
        (b"# \xff\n.project-corpus/cache/\n", b"# \xff\n.project-corpus/cache/\n"),
    ],
)
def test_gitignore_gets_the_cache_only_when_asked(
    tmp_path: Path, before: bytes | None, after: bytes
) -> None:
    for asked in (False, True):
        root = tmp_path / f"weather-{asked}"
        root.mkdir()
        ignore = root / ".gitignore"
        if before is not None:
            ignore.write_bytes(before)
        scaffold(root, gitignore=asked)
        found = ignore.read_bytes() if ignore.exists() else None
        assert found == (after if asked else before)


@pytest.mark.requirement("P1.7")
def test_a_gitignore_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"*.o\n")
    root = tmp_path / "weather"
    root.mkdir()
    (root / ".gitignore").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InitValueError):
        scaffold(root, gitignore=True)
    assert sorted(path.name for path in root.iterdir()) == [".gitignore"]


@pytest.mark.requirement("P1.7")
def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    order = make_order(
        tmp_path, project_id=None, name="Weather", template="minimal", language="en"
    )
    bad = {RelPath(".project-corpus/reports/bad.md"): "no metadata"}
    with pytest.raises(InitValueError):
        create(tmp_path / "a/b", order, now=NOW, imports=bad)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("P1.7")
def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(InitValueError):
        scaffold(tmp_path / "file")


@pytest.mark.requirement("P1.7")
def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError) as caught:
        scaffold(tmp_path / "file/weather")
    assert caught.value.facts == {"reason": "not a directory"}
    assert tree(tmp_path) == {"file": b"mine"}


@pytest.mark.requirement("P1.7", "P18.2")
def test_the_command_tells_what_it_wrote(tmp_path: Path, cli: Cli) -> None:
    root = tmp_path / "My Station"
    status, out, _ = cli("init", str(root), "--template", "software")
    answer = json.loads(out)
    assert status == 0
    assert (answer["project_id"], answer["name"]) == ("my-station", "My Station")
    assert answer["applied"] is True
    assert sorted(answer["created"]) == sorted(tree(root))
    status, _, err = cli("init", str(root))
    assert (status, json.loads(err)["error"]) == (2, "INIT_TARGET_EXISTS")


@pytest.mark.requirement("P1.7")
def test_the_command_makes_a_corpus_of_the_folder_it_runs_in(
    tmp_path: Path, cli: Cli
) -> None:
    outer = tmp_path / "outer"
    scaffold(outer)
    inner = outer / "inner"
    inner.mkdir()
    (inner / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    status, out, _ = cli("init", cwd=inner, terminal=True)
    assert status == 0
    assert "## Project corpus" in out
    assert issues(inner) == ()
