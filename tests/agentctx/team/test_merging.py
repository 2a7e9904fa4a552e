"""Two sides of a team's file become one, and no text is lost (A8.4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.team.merging import Merge, merge_contexts
from agentctx.team.reading import parse_context
from tests.agentctx.answers import answer
from tests.agentctx.team.written import block, page
from tests.gitrepos import Git

if TYPE_CHECKING:
    from tests.conftest import InProcess

BASE = (block(1), block(2), block(3))


def merged(base: str, ours: str, theirs: str) -> Merge:
    return merge_contexts(base.encode(), ours.encode(), theirs.encode())


def clean(base: str, ours: str, theirs: str) -> str:
    """Merge from both sides; both must give the same, without a conflict."""
    found, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert (found.conflicts, other.conflicts) == ((), ())
    assert found.content == other.content
    return found.content.decode()


@pytest.mark.requirement("A8.4")
def test_additions_at_one_place_and_in_new_sections_all_stay() -> None:
    ours = page(*BASE, block(4), block(6, kind="bugfix"))
    theirs = page(*BASE, block(5), block(7, kind="bugfix"))
    bugs = (block(6, kind="bugfix"), block(7, kind="bugfix"))
    wanted = (*BASE, block(4), block(5), *bugs)
    assert clean(page(*BASE), ours, theirs) == page(*wanted)
    assert clean("", page(block(1)), page(block(2))) == page(block(1), block(2))


@pytest.mark.requirement("A8.4")
def test_an_edit_a_removal_and_an_addition_meet() -> None:
    ours = page(block(1, "Ours."), block(2), block(3))
    theirs = page(block(1), block(3), block(4))
    assert clean(page(*BASE), ours, theirs) == page(
        block(1, "Ours."), block(3), block(4)
    )


@pytest.mark.requirement("A8.4")
def test_what_one_side_removed_and_the_other_changed_stays() -> None:
    ours, theirs = page(block(1, "Ours."), *BASE[1:]), page(*BASE[1:])
    assert clean(page(*BASE), ours, theirs) == ours


@pytest.mark.requirement("A8.4")
def test_a_comment_and_a_text_changed_apart_both_count() -> None:
    surer = block(1)._replace(confidence="reinforced", valid_from="2027-01-01")
    ours = page(surer)
    theirs = page(block(1)).replace("What rule 1 says", "By hand: what it says")
    found = clean(page(block(1)), ours, theirs)
    assert "By hand: what it says" in found
    assert "confidence=reinforced" in found
    later = page(block(1)._replace(valid_from="2028-01-01"))
    assert "valid_from=2028" in clean(page(block(1)), ours, later)


@pytest.mark.requirement("A8.4")
def test_both_sides_changing_one_text_leaves_both_the_second_marked() -> None:
    ours = page(block(1, "Ours."), block(2))
    theirs = page(block(1, "Theirs."), block(2), block(3))
    found = merged(page(block(1), block(2)), ours, theirs)
    text = found.content.decode()
    assert found.conflicts == (block(1).id,)
    assert text.index("Ours.") < text.index(" conflict: ") < text.index("Theirs.")
    read = parse_context(found.content)
    assert {one.title for one in read.blocks} == {"Rule 0002", "Rule 0003"}
    assert len(read.findings) == 2
    # whoever keeps the second has resolved it
    first = text.index("### Rule 0001")
    kept = text[:first] + text[text.index("### Rule 0001", first + 1) :]
    assert parse_context(kept.encode()).blocks[0].body == "Theirs."
    assert parse_context(kept.encode()).findings == ()
    again = merged(text, text, text.replace("Rule 0003", "Rule 3"))
    assert "Ours." in again.content.decode()
    assert "Theirs." in again.content.decode()


@pytest.mark.requirement("A8.4", "A8.3")
def test_a_block_that_one_side_gave_its_comment_is_the_same_block() -> None:
    hand = block(1)._replace(id=None)
    given = hand._replace(id=hand.key)
    edited = page(hand).replace("What rule 1 says", "What it says")
    found = clean(page(hand), page(given), edited)
    assert found.count("### ") == 1
    assert "What it says" in found
    assert f"id={hand.key} " in found


@pytest.mark.requirement("A8.4")
def test_what_stands_between_blocks_is_merged_too() -> None:
    base = page(*BASE)
    ours = base.replace("# What this team holds true", "# Ours")
    theirs = base.replace("## Decisions\n", "## Decisions\n\nTheirs.\n")
    found = clean(base, ours, theirs)
    assert "# Ours" in found
    assert "Theirs." in found
    torn = merged(base, ours, base.replace("# What this team", "# Their team"))
    assert torn.conflicts
    assert b"# Ours" in torn.content
    assert b"# Their team" in torn.content


TROUBLE = {
    "a newer version": page(*BASE).replace("version=1", "version=2"),
    "no version": page(*BASE).replace("version=1", "version=x"),
    "conflict marks": page(*BASE).replace(
        "What rule 2", "<<<<<<< a\nLeft\n=======\nRight\n>>>>>>> b\nWhat rule 2"
    ),
    "a torn comment": page(*BASE).replace(f"id={block(2).id}", "id=torn"),
    "two blocks with one id": page(*BASE).replace(str(block(2).id), str(block(3).id)),
    "no heading": page(*BASE).replace("## Decisions\n", ""),
    "other line ends": page(*BASE, block(9)).replace("\n", "\r\n"),
    "a byte-order mark": "\ufeff" + page(*BASE, block(9)),
    "lone returns": page(*BASE, block(9)).replace("\n", "\r"),
    "prose alone": "Nothing of ours.\n",
}


def words(text: bytes) -> set[str]:
    return set(text.decode("utf-8-sig", "surrogateescape").split())


@pytest.mark.requirement("A8.4")
@pytest.mark.parametrize("strange", TROUBLE.values(), ids=TROUBLE.keys())
def test_a_side_that_is_strange_loses_no_text(strange: str) -> None:
    ours = page(block(1, "Changed here."), *BASE[1:], block(4, "Added here."))
    for mine, other in ((ours, strange), (strange, ours)):
        found = merged(page(*BASE), mine, other)
        gone = (words(mine.encode()) | words(other.encode())) - words(found.content)
        kept_from_base = words(page(*BASE).encode())
        assert gone <= kept_from_base
        assert "Changed" in words(found.content)


@pytest.mark.requirement("A8.4")
@pytest.mark.parametrize("name", ["a newer version", "no version", "conflict marks"])
def test_what_cannot_be_taken_apart_is_for_a_person(name: str) -> None:
    ours = page(block(1, "Changed here."), *BASE[1:])
    assert merged(page(*BASE), ours, TROUBLE[name]).conflicts
    alone = merged(page(*BASE), page(*BASE), TROUBLE[name])
    assert alone.content == TROUBLE[name].encode()
    assert bool(alone.conflicts) == (name == "conflict marks")


@pytest.mark.requirement("A8.4")
def test_line_ends_stay_those_of_our_side_and_bytes_that_are_no_text_stay() -> None:
    windows = page(*BASE).replace("\n", "\r\n").encode()
    theirs = page(*BASE, block(4)).encode() + b"\nWei\xdf\n"
    found = merge_contexts(page(*BASE).encode(), windows + b"\r\nUnser.\r\n", theirs)
    assert b"\xdf" in found.content
    assert b"Unser." in found.content
    assert found.content.count(b"\n") == found.content.count(b"\r\n")


@pytest.mark.requirement("A8.4")
def test_the_command_writes_our_side_and_exits_1_where_a_person_must_look(
    agentctx: InProcess, tmp_path: Path
) -> None:
    paths = [tmp_path / name for name in ("O", "A", "B")]
    for path, text in zip(
        paths, (page(*BASE), page(*BASE, block(4)), page(*BASE, block(5))), strict=True
    ):
        path.write_text(text, encoding="utf-8")
    call = ("team", "merge", *map(str, paths))
    done = agentctx(*call)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert paths[1].read_text(encoding="utf-8") == page(*BASE, block(4), block(5))
    paths[2].write_text(page(*BASE, block(4, "Theirs.")), encoding="utf-8")
    torn = agentctx(*call)
    assert torn.status == 1
    assert answer(torn, status=1)["conflicts"] == [block(4).id]
    assert agentctx("team", "merge", *map(str, paths[:2]), "gone").status == 2


@pytest.fixture
def git(tmp_path: Path) -> Git:
    (tmp_path / "home").mkdir()
    return Git(tmp_path / "home")


@pytest.mark.requirement("A8.4")
def test_git_itself_merges_with_the_driver_that_was_installed(
    agentctx: InProcess, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = git.repository(tmp_path / "repo")
    monkeypatch.setenv("HOME", str(git.home))
    before = (root / ".git" / "config").read_bytes()
    install = ("team", "install-merge-driver")
    assert agentctx(*install, cwd=root).status == 2  # nobody has said yes
    assert not (root / ".gitattributes").exists()
    assert answer(agentctx(*install, "--yes", cwd=root))["changed"]
    assert not answer(agentctx(*install, "--yes", cwd=root))["changed"]
    assert answer(agentctx("team", "status", cwd=root))["merge_driver"]
    driver = git(root, "config", "merge.agentctx.driver")
    assert driver.startswith("agentctx team merge %O %A %B ")
    program = f"{sys.executable} -m {driver}"
    git(root, "config", "merge.agentctx.driver", program)
    file = root / ".agentctx" / "context.md"
    file.parent.mkdir()

    def commit(branch: str, text: str) -> None:
        git(root, "checkout", "-q", "-B", branch, "main")
        file.write_text(text, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", branch)

    commit("main", page(*BASE))
    commit("ours", page(*BASE, block(4)))
    commit("theirs", page(block(1, "Theirs."), *BASE[1:], block(5)))
    commit("torn", page(block(1, "Torn."), *BASE[1:]))
    git(root, "checkout", "-q", "ours")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    environ = {**git.environ, "PYTHONPATH": str(Path(__file__).parents[3])}

    def merge(branch: str) -> int:
        command = ["git", "-C", str(root), "merge", "-q", "-m", "m", branch]
        return subprocess.run(
            command, env=environ, check=False, capture_output=True
        ).returncode

    assert merge("theirs") == 0
    assert file.read_text(encoding="utf-8") == page(
        block(1, "Theirs."), *BASE[1:], block(4), block(5)
    )
    assert merge("torn") == 1
    text = file.read_text(encoding="utf-8")
    assert "Theirs." in text
    assert "Torn." in text
    assert "<<<<<<<" not in text
    git(root, "merge", "--abort")
    git(root, "config", "merge.agentctx.driver", f"no-such-{driver}")
    assert merge("torn") == 1  # git's own merge: no text without its other side
    text = file.read_text(encoding="utf-8")
    assert text.index("<<<<<<< ours") < text.index("Theirs.") < text.index("Torn.")
    git(root, "merge", "--abort")
    assert answer(agentctx(*install, "--remove", "--yes", cwd=root))["changed"]
    assert not (root / ".gitattributes").exists()
    assert (root / ".git" / "config").read_bytes() == before


@pytest.mark.requirement("A8.4", "A1.5")
def test_removing_the_driver_leaves_the_attributes_of_others(
    agentctx: InProcess, git: Git, tmp_path: Path
) -> None:
    root = git.repository(tmp_path / "repo")
    attributes = root / ".gitattributes"
    attributes.write_bytes(b"*.png binary")
    agentctx("team", "install-merge-driver", "--yes", cwd=root)
    assert attributes.read_bytes().startswith(b"*.png binary\n.agentctx/context.md ")
    agentctx("team", "install-merge-driver", "--remove", "--yes", cwd=root)
    assert attributes.read_bytes() == b"*.png binary\n"
