"""The team's file: one record a block, the same bytes from the same records (A8.1)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import AlreadySupersededError, OtherNamespaceError
from agentctx.records.model import NewRecord
from agentctx.records.write import add_record, pin_record, retire_record
from agentctx.team.exporting import check_export
from agentctx.team.promoting import look_at, promote_record, withdraw_record
from agentctx.team.reading import MOST_BLOCKS
from agentctx.team.refusals import (
    ContextBrokenError,
    ContextFileError,
    ContextNewsError,
    ContextVersionError,
    NotSharedError,
    ShareError,
)
from agentctx.team.standing import team_status
from tests.agentctx.team.people import PROJECT
from tests.agentctx.team.written import block, page

if TYPE_CHECKING:
    from tests.agentctx.team.people import Person

UTC, TABS = "Readings are stored in UTC", "Indent with tabs"


def share_some(person: Person) -> None:
    person.shares(TABS, "Tabs in every C file.", kind="convention")
    person.shares("Stations report hourly", "Once an hour, at five past.")
    person.shares(UTC, "Two stations share a border.")


@pytest.mark.requirement("A8.1")
def test_a_block_is_a_heading_one_comment_and_the_text(ana: Person) -> None:
    record = ana.shares(UTC, "Two stations share a border.")
    block = ana.exports().partition("## Decisions\n\n")[2]
    heading, comment, text = block.rstrip("\n").split("\n\n")
    assert heading == f"### {UTC}"
    assert text == "Two stations share a border."
    assert re.fullmatch(
        rf"<!-- agentctx: id={record.id} type=decision"
        rf" valid_from={re.escape(record.valid_from)} confidence=explicit"
        r" sha256=[0-9a-f]{64} -->",
        comment,
    )


@pytest.mark.requirement("A8.1")
def test_sections_come_by_type_and_blocks_by_title(ana: Person) -> None:
    share_some(ana)
    ana.shares("zebra codes", kind="bugfix")
    ana.shares("Ärger mit Modems", kind="discovery")
    found = [line for line in ana.exports().split("\n") if line.startswith("##")]
    assert found == [
        "## Decisions",
        f"### {UTC}",
        "### Stations report hourly",
        "## Conventions",
        f"### {TABS}",
        "## Discoveries",
        "### Ärger mit Modems",
        "## Bug fixes",
        "### zebra codes",
    ]


@pytest.mark.requirement("A8.1")
def test_the_same_records_and_the_same_file_give_the_same_bytes(
    ana: Person, bob: Person
) -> None:
    share_some(ana)
    first = ana.exports()
    assert not check_export(ana.store, PROJECT, str(ana.root)).differs
    assert ana.exports() == first
    bob.imports()
    assert bob.exports() == first
    ana.file.unlink()  # it is derived: everybody can write it again
    assert ana.exports() == first
    bob.file.unlink()
    assert bob.exports() == first


@pytest.mark.requirement("A8.1")
def test_nothing_of_this_machine_or_its_use_is_in_the_file(ana: Person) -> None:
    record = ana.says(UTC, "Two stations share a border.")
    pin_record(ana.store, PROJECT, record.id)
    promote_record(ana.store, PROJECT, record.id)
    text = ana.exports()
    for local in ("pinned", "session", "score", "recorded", PROJECT, str(ana.root)):
        assert local not in text
    words = re.findall(r"\w+=", text)
    assert words == [
        *("version=", "id=", "type=", "valid_from=", "confidence=", "sha256=")
    ]


@pytest.mark.requirement("A8.1")
def test_text_that_looks_like_the_format_comes_through_as_it_was(
    ana: Person, bob: Person
) -> None:
    body = (
        "## Decisions\n### Not a block\n<!-- agentctx: id=x -->\n\\### escaped\n"
        "```sh\n# a comment\n### three\n```\n~~~ never closed\n<<<<<<< ours\n---\n"
        "a <!-- hidden -->\n\n\n    indented"
    )
    ana.shares("# A heading <!-- in a title -->", body)
    ana.exports()
    found = bob.imports()
    assert found.findings == ()
    (record,) = bob.knows().values()
    assert (record.title, record.body) == ("# A heading <!-- in a title -->", body)


@pytest.mark.requirement("A8.1", "A8.3")
def test_other_line_ends_and_a_byte_order_mark_change_nothing(
    ana: Person, bob: Person
) -> None:
    share_some(ana)
    text = ana.exports()
    ana.file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert not check_export(ana.store, PROJECT, str(ana.root)).differs
    assert ana.imports().changes == 0
    assert len(bob.imports().added) == 3


@pytest.mark.requirement("A8.1")
def test_a_file_of_a_newer_format_is_refused_whole_and_left(ana: Person) -> None:
    share_some(ana)
    newer = ana.exports().replace("version=1", "version=2")
    ana.writes(newer)
    for act in (ana.imports, ana.exports):
        with pytest.raises(ContextVersionError):
            act()
    assert ana.text == newer
    ana.writes(newer.replace("version=2", "version=two"))
    with pytest.raises(ContextFileError):
        ana.imports()


@pytest.mark.requirement("A8.1", "A1.5")
@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_in_place_of_the_file_is_followed_nowhere(ana: Person) -> None:
    share_some(ana)
    outside = ana.root.parent / "outside"
    outside.mkdir()
    (outside / "context.md").write_text("mine", encoding="utf-8")
    ana.file.parent.symlink_to(outside)
    for act in (ana.exports, ana.imports):
        with pytest.raises(ContextFileError):
            act()
    ana.file.parent.unlink()
    ana.file.parent.mkdir()
    ana.file.symlink_to(outside / "context.md")
    with pytest.raises(ContextFileError):
        ana.exports()
    assert (outside / "context.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.requirement("A8.1")
def test_the_file_keeps_its_mode_and_what_people_wrote_between_blocks(
    ana: Person,
) -> None:
    share_some(ana)
    ana.exports()
    ana.edits("# What this team holds true", "# Our rules")
    ana.edits("## Conventions\n", "## Conventions\n\nMind the linter.\n")
    ana.writes(f"{ana.text}\n## Not ours\n\nSome prose.\n")
    ana.file.chmod(0o664)
    ana.shares("Wind is in m/s")
    text = ana.exports()
    assert "# Our rules" in text
    assert "## Conventions\n\nMind the linter.\n\n###" in text
    assert text.endswith("## Not ours\n\nSome prose.\n")
    assert ana.file.stat().st_mode & 0o777 == 0o664


@pytest.mark.requirement("A8.2")
def test_only_what_was_promoted_is_in_the_file(ana: Person) -> None:
    ana.says("Kept here")
    record = ana.shares(UTC)
    assert "Kept here" not in ana.exports()
    assert not withdraw_record(ana.store, PROJECT, record.id).shared
    assert UTC not in ana.exports()
    assert ana.knows().keys() == {"Kept here", UTC}
    with pytest.raises(NotSharedError):
        withdraw_record(ana.store, PROJECT, record.id)


@pytest.mark.requirement("A8.2", "A10.2")
def test_to_promote_is_to_stand_for(ana: Person) -> None:
    guess = ana.says(UTC, trust="model", confidence="inferred")
    assert look_at(ana.store, PROJECT, guess.id).doubts
    done = promote_record(ana.store, PROJECT, guess.id)
    assert (done.record.confidence, done.record.confirmed) == ("reinforced", True)
    assert "confidence=reinforced" in ana.exports()
    assert not look_at(ana.store, PROJECT, guess.id).doubts
    assert promote_record(ana.store, PROJECT, guess.id).already


@pytest.mark.requirement("A8.2", "A10.2")
def test_a_correction_follows_into_the_file_once_a_person_stands_for_it(
    ana: Person,
) -> None:
    record = ana.shares(UTC, "Two stations share a border.")
    ana.exports()
    newer = ana.corrects(record.id, "Every station is in another zone.")
    assert "another zone" in ana.exports()
    assert f"id={record.id} " in ana.text  # a block keeps its id
    agents = ana.corrects(newer.id, "The agent thinks otherwise.", trust="model")
    assert "another zone" in ana.exports()
    done = check_export(ana.store, PROJECT, str(ana.root))
    assert [one.record for one in done.unshared] == [agents.id]
    promote_record(ana.store, PROJECT, agents.id)
    assert "The agent thinks otherwise." in ana.exports()
    assert ana.text.count("### ") == 1


@pytest.mark.requirement("A8.2")
def test_what_is_not_the_projects_or_not_current_cannot_be_promoted(
    ana: Person,
) -> None:
    everywhere = NewRecord(
        type="preference", title="Short lines", body="At most 88.", source="cli"
    )._replace(scope="global")
    mine = add_record(ana.store, PROJECT, everywhere).record
    with pytest.raises(OtherNamespaceError):
        promote_record(ana.store, PROJECT, mine.id)
    with pytest.raises(ShareError):
        promote_record(ana.store, PROJECT, ana.says("Left off", kind="handover").id)
    old = ana.says(UTC)
    ana.corrects(old.id, "Otherwise.")
    with pytest.raises(AlreadySupersededError):
        promote_record(ana.store, PROJECT, old.id)


@pytest.mark.requirement("A8.5", "A10.1", "A10.3")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Pass\u202eword is right", id="bidirectional"),
        pytest.param("Use \u200bPostgres", id="a space of no width"),
        pytest.param("Use Post\u00adgres", id="a soft hyphen"),
        pytest.param("Use \U000e0041\U000e0042", id="tags"),
    ],
)
def test_hidden_characters_neither_leave_nor_enter(
    ana: Person, bob: Person, text: str
) -> None:
    record = ana.says(UTC, text)
    with pytest.raises(ShareError):
        promote_record(ana.store, PROJECT, record.id)
    ana.writes(f"## Decisions\n\n### {UTC}\n\n{text}\n\n### Good\n\nA plain text.\n")
    found = bob.imports()
    assert [one.line for one in found.findings] == [3]
    assert bob.knows().keys() == {"Good"}


@pytest.mark.requirement("A8.5")
def test_what_writing_needs_is_not_hidden(ana: Person, bob: Person) -> None:
    text = "می‌خواهم 👩‍🚀 ❤️ и 中文"
    ana.shares("Письмо", text)
    ana.exports()
    assert bob.imports().findings == ()
    assert bob.knows()["Письмо"].body == text


@pytest.mark.requirement("A8.5", "A10.1")
def test_a_secret_neither_leaves_nor_enters(ana: Person, bob: Person) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    record = ana.shares(UTC)
    with ana.store.writing() as tx:  # a rule that was not known when it was stored
        tx.execute("UPDATE records SET body = ? WHERE id = ?", (key, record.id))
    with pytest.raises(ShareError):
        ana.exports()
    assert not ana.file.exists()
    ana.writes(f"## Decisions\n\n### {UTC}\n\nThe key is {key}.\n")
    found = bob.imports()
    assert len(found.findings) == 1
    assert key not in str(found)
    assert bob.knows() == {}
    with pytest.raises(ContextBrokenError):
        bob.exports()


@pytest.mark.requirement("A8.1", "A8.3")
def test_nothing_is_written_over_that_nobody_here_has_read(
    ana: Person, bob: Person
) -> None:
    share_some(ana)
    ana.exports()
    with pytest.raises(ContextNewsError):
        bob.exports()
    ana.edits("share a border", "share a river")
    changed = ana.text
    with pytest.raises(ContextNewsError):
        ana.exports()
    assert ana.text == changed


@pytest.mark.requirement("A8.2", "A10.2")
def test_what_the_newest_version_lacks_is_told(ana: Person, bob: Person) -> None:
    def states(person: Person) -> dict[str, str]:
        root = str(person.root)
        found = team_status(person.store, PROJECT, root, driver=False)
        return {one.title: one.state for one in found.blocks}

    record = ana.shares(UTC, "Two stations share a border.")
    other = ana.shares(TABS, kind="convention")
    ana.exports()
    bob.imports()
    ana.corrects(record.id, "The agent thinks otherwise.", trust="model")
    assert states(ana) == {UTC: "unconfirmed", TABS: "shared"}
    ana.file.unlink()  # an old text is not written anew, nor one nobody confirmed
    assert UTC not in ana.exports()
    ana.file.unlink()
    bob.corrects(record.id, "Bob knows better.")
    retire_record(bob.store, PROJECT, other.id)
    assert states(bob) == {UTC: "yours", TABS: "ended"}
    assert check_export(bob.store, PROJECT, str(bob.root)).blocks == 0
    promote_record(ana.store, PROJECT, ana.knows()[UTC].id)
    assert "The agent thinks otherwise." in ana.exports()
    assert f"id={record.id} " in ana.text  # the promotion was not lost meanwhile


@pytest.mark.requirement("A8.3")
def test_a_conflict_above_the_first_block_is_told(bob: Person) -> None:
    text = page(block(1)).replace("# What", "<<<<<<< a\n# Their\n>>>>>>> b\n# What")
    bob.writes(text)
    found = bob.imports()
    assert [one.line for one in found.findings] == [3]
    assert bob.knows().keys() == {"Rule 0001"}


@pytest.mark.requirement("A8.1")
def test_what_is_no_text_or_no_end_of_blocks_is_refused(bob: Person) -> None:
    bob.writes(page(block(1)))
    bob.file.write_bytes(bob.file.read_bytes() + b"\xff\xfe")
    with pytest.raises(ContextFileError):
        bob.imports()
    bob.writes("## Decisions\n" + "### x\n" * (MOST_BLOCKS + 1))
    with pytest.raises(ContextFileError):
        bob.imports()
