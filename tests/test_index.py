"""The index holds no text, is built in steps, and is believed only when proved."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from corpus.errors import (
    ContextLimitError,
    IndexMissingError,
    IndexPathError,
    IndexStaleError,
    PolicyDeniedError,
    ProjectIdError,
    RequiredFileError,
)
from corpus.index.schema import content_digest, read_meta, read_tables
from corpus.search import search
from corpus.sqlite import open_image
from corpus.view import build_index, open_view
from tests.corpora import (
    HOME,
    NOW,
    dirs_of,
    fixed_bytes,
    policy_page,
    project_page,
    report_page,
    status_page,
    write_corpus,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.index.build import BuildReport

INDEX = f"{HOME}/cache/context.sqlite3"


def build(root: Path, index: str | None = None) -> BuildReport:
    return build_index(root, index, dirs=dirs_of(root), random=fixed_bytes, now=NOW)


def digest_of(root: Path) -> str:
    with closing(open_image((root / INDEX).read_bytes())) as db:
        return read_meta(db)["digest"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "one")


@pytest.mark.requirement("P5.2")
def test_the_file_holds_no_word_of_any_source(tmp_path: Path) -> None:
    word = "zanzibar-quokka"
    root = write_corpus(
        tmp_path / "one",
        reports={
            "report-one": report_page(
                "report-one",
                summary=f"The {word} heading\n\n### Quokka chapter\n\n{word} text",
                metadata={"Supersedes": "an-unknown-quokka"},
            )
        },
    )
    build(root)
    content = (root / INDEX).read_bytes().lower()
    for found in (b"quokka", b"zanzibar", b"chapter", b"rainfall", b"gauge"):
        assert found not in content
    assert b"reports/report-one.md" in content


@pytest.mark.requirement("P5.2")
def test_terms_cannot_be_guessed_without_the_key(root: Path, tmp_path: Path) -> None:
    other = write_corpus(tmp_path / "two")
    build(root)
    dirs = dirs_of(other)
    build_index(other, dirs=dirs, random=lambda n: b"\x07" * n, now=NOW)
    one, two = (root / INDEX).read_bytes(), (other / INDEX).read_bytes()
    with closing(open_image(one)) as first, closing(open_image(two)) as second:
        query = "SELECT terms FROM shard ORDER BY id"
        assert first.execute(query).fetchall() != second.execute(query).fetchall()


@pytest.mark.requirement("P5.2")
def test_the_file_is_the_users_alone(root: Path) -> None:
    build(root)
    assert (root / INDEX).stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("P5.3")
def test_a_query_is_answered_from_the_postings(root: Path) -> None:
    build(root)
    view = open_view(root, dirs=dirs_of(root))
    found = search(view, "frozen gauge in winter").hits
    assert found[0].facts.path == f"{HOME}/history/year-one.md"
    assert found[0].text == "The first gauge froze in winter."


@pytest.mark.requirement("P5.4")
def test_two_builds_from_scratch_are_byte_identical(root: Path) -> None:
    build(root)
    first = (root / INDEX).read_bytes()
    (root / INDEX).unlink()
    build(root)
    assert (root / INDEX).read_bytes() == first


@pytest.mark.requirement("P5.4")
def test_a_build_after_nothing_changed_writes_nothing(root: Path) -> None:
    assert build(root).written
    before = (root / INDEX).stat()
    report = build(root)
    after = (root / INDEX).stat()
    assert (report.parsed, report.written) == (0, False)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.requirement("P5.4")
def test_only_the_edited_source_is_parsed_again(root: Path) -> None:
    build(root)
    page = root / HOME / "history/year-one.md"
    page.write_text("# Year one\n\nThe second gauge froze too.\n", "utf-8")
    report = build(root)
    assert (report.parsed, report.written) == (1, True)


@pytest.mark.requirement("P5.4")
def test_an_orphan_relation_is_resolved_when_its_target_appears(root: Path) -> None:
    reports = root / HOME / "reports"
    page = report_page("report-six", metadata={"Supersedes": "report-seven"})
    (reports / "report-six.md").write_text(page, "utf-8")
    build(root)
    (reports / "report-seven.md").write_text(report_page("report-seven"), "utf-8")
    assert build(root).parsed == 1
    view = open_view(root, dirs=dirs_of(root))
    at = view.positions[f"{HOME}/reports/report-seven.md"]
    assert view.rows.standings[at].temporal == "superseded"


@pytest.mark.requirement("P5.1")
def test_an_index_may_have_another_name(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / HOME)
    build(root, "cache/mine.sqlite3")
    assert (root / HOME / "cache/mine.sqlite3").is_file()
    open_view(root, root / HOME / "cache/mine.sqlite3", dirs=dirs_of(root))


@pytest.mark.requirement("P5.1")
def test_the_parents_of_the_project_may_be_links(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    build(root, str(tmp_path / "link" / "one" / INDEX))
    assert (root / INDEX).is_file()


@pytest.mark.requirement("P5.1", "P5.5")
@pytest.mark.parametrize(
    "index",
    [
        pytest.param(f"{HOME}/cache/context.db", id="other suffix"),
        pytest.param(f"{HOME}/cache/.sqlite3", id="no name"),
        pytest.param(f"{HOME}/context.sqlite3", id="outside the cache"),
        pytest.param(f"{HOME}/cache/deep/context.sqlite3", id="below the cache"),
        pytest.param(f"{HOME}/cache/../x.sqlite3", id="climbing out"),
        pytest.param(f"{HOME}/cache/a\x00.sqlite3", id="NUL"),
        pytest.param(f"{HOME}/cache/con.sqlite3", id="device name"),
    ],
)
def test_an_index_may_lie_nowhere_else(root: Path, index: str) -> None:
    with pytest.raises(IndexPathError):
        build(root, str(root / index))


@pytest.mark.requirement("P5.1")
def test_an_index_of_another_project_is_refused(root: Path, tmp_path: Path) -> None:
    other = write_corpus(tmp_path / "two")
    with pytest.raises(IndexPathError):
        build(root, str(other / INDEX))


@pytest.mark.requirement("P5.5")
@pytest.mark.parametrize("kind", ["cache", "index"])
def test_links_on_the_way_are_refused(root: Path, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "cache":
        (root / HOME / "cache").symlink_to(outside, target_is_directory=True)
    else:
        (root / HOME / "cache").mkdir()
        (root / INDEX).symlink_to(outside / "x.sqlite3")
    with pytest.raises(IndexPathError):
        build(root)
    assert list(outside.iterdir()) == []


@pytest.mark.requirement("P5.6")
def test_a_deleted_index_is_rebuilt_the_same(root: Path) -> None:
    build(root)
    digest = digest_of(root)
    (root / INDEX).unlink()
    with pytest.raises(IndexMissingError):
        open_view(root, dirs=dirs_of(root))
    build(root)
    assert digest_of(root) == digest


@pytest.mark.requirement("P5.7", "P5.11")
def test_a_stale_index_names_what_changed(root: Path) -> None:
    build(root)
    page = root / HOME / "history/year-one.md"
    times = page.stat()
    page.write_text(page.read_text("utf-8").replace("first", "third"), "utf-8")
    os.utime(page, ns=(times.st_atime_ns, times.st_mtime_ns))
    (root / HOME / "history/year-two.md").write_text("# Year two\n", "utf-8")
    (root / HOME / "reports/report-one.md").unlink()
    with pytest.raises(IndexStaleError) as refused:
        open_view(root, dirs=dirs_of(root))
    assert refused.value.facts == {
        "count": 3,
        "changed": [f"{HOME}/history/year-one.md"],
        "added": [f"{HOME}/history/year-two.md"],
        "removed": [f"{HOME}/reports/report-one.md"],
    }


@pytest.mark.requirement("P5.7")
def test_a_stale_index_names_at_most_twenty_paths(root: Path) -> None:
    build(root)
    for number in range(30):
        (root / HOME / f"history/more-{number:02}.md").write_text("# More\n", "utf-8")
    with pytest.raises(IndexStaleError) as refused:
        open_view(root, dirs=dirs_of(root))
    added = refused.value.facts["added"]
    assert isinstance(added, list)
    assert (refused.value.facts["count"], len(added)) == (30, 20)


@pytest.mark.requirement("P2.4", "P5.7")
def test_a_path_that_left_the_scope_is_counted_not_named(root: Path) -> None:
    build(root)
    policy = policy_page(deny=[f"{HOME}/history/**"])
    (root / HOME / "policy.toml").write_text(policy, "utf-8")
    with pytest.raises(IndexStaleError) as refused:
        open_view(root, dirs=dirs_of(root))
    assert refused.value.facts["count"] == 1
    assert "history" not in str(refused.value.facts)


@pytest.mark.requirement("P2.4")
def test_what_is_out_of_scope_is_nowhere_in_the_index(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one", policy=policy_page(deny=[f"{HOME}/history/year-one.md"])
    )
    report = build(root)
    view = open_view(root, dirs=dirs_of(root))
    assert report.source_count == 4
    assert f"{HOME}/history/year-one.md" not in view.snapshot
    assert b"year-one" not in (root / INDEX).read_bytes()
    assert search(view, "frozen winter").hits == ()


@pytest.mark.requirement("P3.4")
def test_a_policy_that_withholds_the_context_is_obeyed(root: Path) -> None:
    build(root)
    (root / HOME / "policy.toml").write_text(
        policy_page(allow=["corpus.read"]), "utf-8"
    )
    with pytest.raises(PolicyDeniedError):
        open_view(root, dirs=dirs_of(root))
    with pytest.raises(PolicyDeniedError):
        build(root)


@pytest.mark.requirement("P5.10")
def test_a_state_file_out_of_scope_is_refused(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one", policy=policy_page(read=[f"{HOME}/reports/**"])
    )
    with pytest.raises(RequiredFileError):
        build(root)


@pytest.mark.requirement("P5.10")
def test_only_markdown_below_the_four_folders_is_a_source(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one",
        policy=policy_page(read=["**"]),
        history={"a/b/deep.MARKDOWN": "# Deep\n\nDeep.\n", "notes.txt": "no\n"},
    )
    (root / "src").mkdir()
    (root / "src/readme.md").write_text("# Code\n", "utf-8")
    (root / HOME / "generated").mkdir()
    (root / HOME / "generated/view.md").write_text("NON_AUTHORITATIVE_VIEW\n", "utf-8")
    build(root)
    assert sorted(open_view(root, dirs=dirs_of(root)).snapshot) == [
        f"{HOME}/history/a/b/deep.MARKDOWN",
        f"{HOME}/reports/report-one.md",
        f"{HOME}/state/PROJECT.md",
        f"{HOME}/state/STATUS.md",
        f"{HOME}/tasks/task-one.md",
    ]


@pytest.mark.requirement("P5.10")
def test_reading_writes_nothing_but_the_index(root: Path) -> None:
    def stamp() -> dict[str, tuple[int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes())
            for path in root.rglob("*")
            if path.is_file() and "cache" not in path.parts
        }

    before = stamp()
    build(root)
    search(open_view(root, dirs=dirs_of(root)), "gauge")
    assert stamp() == before
    assert [p.name for p in (root / HOME / "cache").iterdir()] == ["context.sqlite3"]


@pytest.mark.requirement("P1.3")
@pytest.mark.parametrize("project_id", ["other-one", "NOT AN ID"])
def test_another_project_id_in_project_is_refused(
    tmp_path: Path, project_id: str
) -> None:
    root = write_corpus(tmp_path / "one", project=project_page(project_id))
    with pytest.raises(ProjectIdError):
        build(root)


@pytest.mark.requirement("P14")
def test_too_many_lines_are_refused_with_the_largest_named(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "one", history={"long": "word\n\n" * 50_001})
    with pytest.raises(ContextLimitError) as refused:
        build(root)
    assert refused.value.facts["limit"] == "non-blank lines"
    assert "history/long.md (50001)" in str(refused.value.facts["largest"])


@pytest.mark.requirement("P14", "P5.8")
def test_too_many_sources_are_refused_with_the_folder_named(tmp_path: Path) -> None:
    pages = {f"n-{number:04}": "x\n" for number in range(2050)}
    root = write_corpus(tmp_path / "one", history=pages)
    with pytest.raises(ContextLimitError) as refused:
        build(root)
    assert refused.value.facts["limit"] == "sources"
    assert f"{HOME}/history (2050)" in str(refused.value.facts["largest"])


@pytest.mark.requirement("P4.3")
def test_one_bad_file_never_stops_the_rest(root: Path) -> None:
    history = root / HOME / "history"
    (history / "latin.md").write_bytes(b"caf\xe9\n")
    (history / "link.md").symlink_to(history / "year-one.md")
    os.mkfifo(history / "pipe.md")
    report = build(root)
    assert report.source_count == 5
    assert [path.rpartition("/")[2] for path, _ in report.skipped] == [
        "latin.md",
        "link.md",
        "pipe.md",
    ]
    assert len(open_view(root, dirs=dirs_of(root)).snapshot) == 5


@pytest.mark.requirement("P4.3")
def test_an_unreadable_state_file_is_refused(root: Path) -> None:
    status = root / HOME / "state/STATUS.md"
    status.unlink()
    os.mkfifo(status)
    with pytest.raises(RequiredFileError):
        build(root)


@pytest.mark.requirement("P5.4")
def test_the_digest_covers_every_row(root: Path) -> None:
    build(root)
    key = (dirs_of(root).state / "keys/demo-one.key").read_bytes()
    with closing(open_image((root / INDEX).read_bytes())) as db:
        assert content_digest(read_tables(db), key) == read_meta(db)["digest"]


def test_status_without_a_task_has_no_active_task(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "one", status=status_page(active_task="NONE"))
    build(root)
    view = open_view(root, dirs=dirs_of(root))
    classes = {standing.authority for standing in view.rows.standings}
    assert "ACTIVE_TASK" not in classes


@pytest.mark.requirement("P5.8", "P14")
def test_a_lowered_limit_holds_for_an_index_that_exists(root: Path) -> None:
    build(root)
    trust = dirs_of(root).trust
    trust.mkdir(mode=0o700, parents=True)
    grant = trust / "demo-one.toml"
    grant.touch(mode=0o600)
    grant.write_text(
        f"project_id = \"demo-one\"\nphysical_root = '{root}'\n"
        "[limits]\nnonblank_lines = 5\n",
        "utf-8",
    )
    with pytest.raises(ContextLimitError):
        open_view(root, dirs=dirs_of(root))
    with pytest.raises(ContextLimitError):
        build(root)
