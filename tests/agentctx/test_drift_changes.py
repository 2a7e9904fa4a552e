"""Changes apply as `git apply` applies them, and a record's text stays text (A7.2)."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentctx.drift.applied import apply_changes
from agentctx.drift.changes import Change, changed_text, unified_diff
from agentctx.drift.entries import entry_text, marked_lines, marked_text
from agentctx.drift.outline import imports_in, outline_of
from agentctx.errors import InstructionsChangedError, InstructionsLockedError
from agentctx.records.model import Replacement
from agentctx.records.write import retire_record
from tests.agentctx.drifting import Place, codes, missing, stale

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store

NEW = Replacement(
    body="Faster.", source="cli", trust="developer", title="Use pnpm for installs"
)


@pytest.fixture
def place(project: Path, tmp_path: Path, store: Store) -> Place:
    home = tmp_path / "user"
    home.mkdir()
    return Place(project, home, store)


def applied_by_git(root: Path, diff: str) -> None:
    subprocess.run(
        ["git", "apply", "-p1", "-"],
        cwd=root,
        input=diff.encode(),
        check=True,
        capture_output=True,
    )


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Rules\n",
        "# Rules",
        "# Rules\r\n\r\n- Use npm for installs\r\n",
        "- Use npm for installs",
        "\ufeff- Use npm for installs\n",
        "# A\n\n" + "text\n\n" * 20 + "- Use npm for installs\n\n## B\n" + "b\n" * 9,
        "We install fast. Use npm for\ninstalls. Then we build.\n",
        "> - [ ] Use npm for installs\n",
        "1. one\n2. Use npm for installs\n   1. deep\n",
    ],
)
def test_a_diff_does_what_git_does_with_it(place: Place, text: str) -> None:
    old = place.decide("Use npm for installs")
    place.replace(old, NEW)
    place.decide("Keep logs in Loki")
    place.decide("Cache answers for an hour")
    path = place.write("CLAUDE.md", text)
    report = place.report()
    assert report.changes
    applied_by_git(place.root, report.proposed_diff)
    by_git = path.read_bytes()
    path.write_bytes(text.encode())
    apply_changes(place.report(), place.report().changes)
    assert path.read_bytes() == by_git
    assert b"\r\n" not in by_git or by_git.count(b"\n") == by_git.count(b"\r\n")
    assert place.report().candidates == 0


@pytest.mark.requirement("A7.2")
def test_a_file_that_is_not_there_is_made(place: Place) -> None:
    place.decide("Keep logs in Loki")
    report = place.report()
    assert report.proposed_diff.startswith(
        "--- /dev/null\n+++ b/CLAUDE.md\n@@ -0,0 +1,"
    )
    applied_by_git(place.root, report.proposed_diff)
    made = (place.root / "CLAUDE.md").read_bytes()
    with pytest.raises(InstructionsChangedError):
        apply_changes(report, report.changes)
    (place.root / "CLAUDE.md").unlink()
    apply_changes(report, report.changes)
    assert (place.root / "CLAUDE.md").read_bytes() == made
    assert place.report().candidates == 0


LINES = st.lists(st.sampled_from(["a", "b", "", "- c", "x\r"]), max_size=30)


@pytest.mark.requirement("A7.2")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=LINES,
    ended=st.booleans(),
    places=st.sets(st.integers(1, 30), max_size=5),
    adds=st.integers(0, 2),
)
def test_any_changes_make_a_diff_that_git_applies(
    project: Path, *, lines: list[str], ended: bool, places: set[int], adds: int
) -> None:
    text = "\n".join(lines) + "\n" * ended
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    changes = [
        change("replace" if line % 2 else "remove", line)
        for line in sorted(places)
        if line <= count
    ]
    changes += [change("add", 0) for _ in range(adds)]
    path = project / "CLAUDE.md"
    path.write_bytes(text.encode())
    diff = unified_diff(text, changes, name="CLAUDE.md")
    if changes:
        applied_by_git(project, diff)
    wanted = changed_text(text, changes)
    found = path.read_bytes().decode() if path.exists() else ""
    assert found == wanted


def change(kind: str, line: int) -> Change:
    lines = () if kind == "remove" else ("- new",)
    return Change(1, kind, "/p", "p", line, line, lines, "R", None)  # type: ignore[arg-type]


@pytest.mark.requirement("A7.2", "A10.3")
@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("See @~/.ssh/id_rsa for keys", "x"),
        ("@docs/a.md", "x"),
        ("Use `@types/node` and @a.md", "x"),
        ("Odd ` tick @a.md", "x"),
        ("``@a.md` @b.md``", "x"),
        ("# Heading", "x"),
        ("``` fence", "x"),
        ("~~~ fence", "x"),
        ("1. item", "x"),
        ("> quote", "x"),
        ("| a | b |", "x"),
        ("<!-- agentctx:end -->", "x"),
        ("--> out <script>alert(1)</script>", "x"),
        ("Package manager", "\n\n```\n@a.md\n# b\n```"),
        ("Package manager", "- - # @a.md"),
        ("Never print \u202eevil\u200b text", "x"),
    ],
)
def test_a_records_text_is_one_line_of_text(title: str, body: str) -> None:
    line = f"- {marked_text(entry_text(title, body), 'R' * 26)}"
    found = outline_of(f"{line}\n\nafter\n")
    assert [(one.kind, one.first) for one in found.statements] == [
        ("item", 1),
        ("text", 3),
    ]
    assert found.imports == imports_in(line) == ()
    assert not {"\u202e", "\u200b", "\n"} & set(line)
    assert line.count("<!--") == line.count("-->") == 1


@pytest.mark.requirement("A7.2", "A10.1")
def test_a_secret_is_not_proposed(place: Place) -> None:
    place.decide("Deploys use the shared key")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    place.store.db.execute("UPDATE records SET title = ?", (f"Deploy with {secret}",))
    place.write("CLAUDE.md", "# Rules\n")
    report = place.report()
    assert report.changes
    assert secret not in report.proposed_diff + report.missing[0].title


@pytest.mark.requirement("A7.2")
def test_a_line_of_ours_follows_its_record(place: Place) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    old = place.decide("Use npm for installs")
    apply_changes(place.report(), place.report().changes)
    assert place.report().candidates == 0
    head = place.replace(old, NEW)
    report = place.report()
    assert stale(report) == [("CLAUDE.md", 6, old.id, head.id)]
    assert report.contradicted[0].ours
    apply_changes(report, report.changes)
    text = path.read_text(encoding="utf-8")
    assert old.id not in text
    assert f"- Use pnpm for installs <!-- agentctx:{head.id} " in text
    retire_record(place.store, place.project_id, head.id)
    report = place.report()
    assert [one.kind for one in report.changes] == ["remove"]
    apply_changes(report, report.changes)
    assert "pnpm" not in path.read_text(encoding="utf-8")


@pytest.mark.requirement("A7.2")
def test_a_line_of_ours_that_was_edited_is_left_and_told(place: Place) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    old = place.decide("Use npm for installs")
    apply_changes(place.report(), place.report().changes)
    text = path.read_text(encoding="utf-8").replace("npm for", "npm (fast) for")
    path.write_text(text, encoding="utf-8")
    assert missing(place.report()) == []
    place.replace(old, NEW)
    report = place.report()
    assert codes(report)["edited"] == "CLAUDE.md"
    assert report.changes == ()
    assert path.read_text(encoding="utf-8") == text


def test_a_mark_of_another_store_and_one_in_code_are_left_alone(place: Place) -> None:
    line = f"- {marked_text('Use npm', '01ARZ3NDEKTSV4RRFFQ69G5FAV')}\n"
    place.write("CLAUDE.md", f"{line}\n```\n{line}```\n")
    report = place.report()
    assert report.candidates == 0
    assert [one.line for one in marked_lines(report.loaded.files[0])] == [1]


@pytest.mark.requirement("A7.2")
def test_headings_rows_and_code_are_told_and_not_rewritten(place: Place) -> None:
    old = place.decide("Use npm for installs")
    place.replace(old, NEW)
    place.write(
        "CLAUDE.md",
        "# A\n\n| use npm for installs | x |\n\n# B\n\n```\nnpm # for installs\n```\n",
    )
    report = place.report()
    assert [one.first_line for one in report.contradicted] == [3, 8]
    assert report.changes == ()


@pytest.mark.requirement("A7.2", "A1.5")
def test_a_file_that_changed_meanwhile_is_not_written(place: Place) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    place.decide("Keep logs in Loki")
    report = place.report()
    path.write_text("# Rules of another\n", encoding="utf-8")
    with pytest.raises(InstructionsChangedError):
        apply_changes(report, report.changes)
    assert path.read_text(encoding="utf-8") == "# Rules of another\n"
    assert sorted(one.name for one in place.root.iterdir()) == [
        ".agentctx",
        "CLAUDE.md",
    ]


@pytest.mark.requirement("A7.2", "A1.5")
def test_mode_and_link_stay(place: Place) -> None:
    real = place.write("docs/claude.md", "# Rules\n")
    real.chmod(0o640)
    link = place.root / "CLAUDE.md"
    link.symlink_to("docs/claude.md")
    place.decide("Keep logs in Loki")
    report = place.report()
    assert apply_changes(report, report.changes) == ("CLAUDE.md",)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "Loki" in real.read_text(encoding="utf-8")


@pytest.mark.requirement("A7.2", "A1.5")
def test_a_read_only_file_is_refused(place: Place) -> None:
    path = place.write("CLAUDE.md", "# Rules\n")
    path.chmod(0o444)
    place.decide("Keep logs in Loki")
    report = place.report()
    with pytest.raises(InstructionsLockedError):
        apply_changes(report, report.changes)
    assert path.read_text(encoding="utf-8") == "# Rules\n"


@pytest.mark.requirement("A7.2", "A1.5")
def test_nothing_outside_the_project_is_proposed(place: Place, tmp_path: Path) -> None:
    old = place.decide("Use npm for installs")
    place.replace(old, NEW)
    other = tmp_path / "other.md"
    other.write_text("- Use npm for installs\n", encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("- npm for installs\n", encoding="utf-8")
    (place.root / "CLAUDE.md").symlink_to("../other.md")
    (place.root / "CLAUDE.local.md").write_text("@../other.md\n", encoding="utf-8")
    report = place.report()
    assert len(report.contradicted) == 2
    assert report.changes == ()
