"""The demonstration keeps its promises, and notices when it does not."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus.confined.reader import open_root
from corpus.protocol.conformance import validate

if TYPE_CHECKING:
    from collections.abc import Mapping

DEMO = Path(__file__).parents[1] / "demo"
SAMPLE = DEMO / "corpus"
PATIENCE = 600
"""Seconds for a machine that does much else."""

pytestmark = pytest.mark.timeout(PATIENCE)


def run_demo(
    demo: Path, folder: Path, env: Mapping[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run the demonstration with `folder` as the place for temporary files."""
    folder.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, str(demo / "run.py"), *arguments],
        env={**env, "TMPDIR": str(folder)},
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=PATIENCE,
    )


@pytest.mark.requirement("P1.6")
def test_the_sample_corpus_has_nothing_to_be_found_fault_with() -> None:
    with open_root(SAMPLE) as opened:
        found = validate(opened)
    assert found.issues == ()
    assert 25 <= found.source_count <= 35


def test_the_sample_corpus_is_written_in_three_languages() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*.md")]
    for letters in ("[a-z]{3}", "[а-я]{3}", "[一-鿿]{3}"):
        pages = [text for text in texts if len(re.findall(letters, text)) > 20]
        assert len(pages) >= 3, letters


def test_the_demonstration_of_files_does_what_it_says_and_stays_when_asked(
    tmp_path: Path, user_home: Path, program_env: dict[str, str]
) -> None:
    done = run_demo(DEMO, tmp_path / "tmp", program_env, "--only", "files", "--keep")
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    assert done.stdout.count("\n$ project-corpus ") >= 12
    assert "INDEX_STALE" in done.stdout
    assert '"parsed": 1,' in done.stdout
    (kept,) = (tmp_path / "tmp").iterdir()
    assert str(kept) in done.stdout
    assert (kept / "parcel-lockers/receipt.json").is_file()
    assert list(user_home.iterdir()) == []


@pytest.mark.requirement("P16.1", "P16.4", "P19.2", "P19.3", "A8.2", "M11.5", "M11.8")
def test_the_story_does_what_it_says_and_leaves_nothing(
    tmp_path: Path, user_home: Path, program_env: dict[str, str]
) -> None:
    env = {**program_env, "ANTHROPIC_API_KEY": "a-key-nobody-may-use"}
    done = run_demo(DEMO, tmp_path / "tmp", env, "--only", "story")
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    assert "The model here is a recording" in done.stdout
    acts = re.findall(r"^=+\n(.+)\n=+$", done.stdout, re.MULTILINE)
    assert len(acts) == 9
    for program in ("agentctx", "project-corpus", "git"):
        assert f"\nanna$ {program} " in done.stdout
    assert done.stdout.count("\nThe hook ") >= 11
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list(user_home.iterdir()) == []


def test_the_story_fails_where_nothing_is_made_of_what_was_said(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    demo = tmp_path / "demo"
    shutil.copytree(DEMO, demo)
    script = demo / "recording.json"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace("We decided: ", "We think: "), encoding="utf-8")
    done = run_demo(demo, tmp_path / "tmp", program_env, "--only", "story")
    assert done.returncode == 1, done.stdout[-2_000:]
    assert "FAILED: it is not so that the decision was kept" in done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param(
            "report-0007-transport-https-decision",
            "Supersedes: report-0002-transport-mqtt-decision\n",
            "",
            id="the decision is not superseded",
        ),
        pytest.param(
            "report-0010-latch-field-rotterdam",
            "for 8 seconds",
            "for 5 seconds",
            id="the measurements agree",
        ),
        pytest.param(
            "report-0001-offline-window", "Result: PASS\n", "", id="a page is wrong"
        ),
    ],
)
def test_the_demonstration_fails_when_a_step_does_not_do_what_it_says(
    tmp_path: Path, program_env: dict[str, str], name: str, old: str, new: str
) -> None:
    demo = tmp_path / "demo"
    shutil.copytree(DEMO, demo)
    report = demo / "corpus/.project-corpus/reports" / f"{name}.md"
    text = report.read_text(encoding="utf-8")
    assert old in text
    report.write_text(text.replace(old, new), encoding="utf-8")
    done = run_demo(demo, tmp_path / "tmp", program_env, "--only", "files")
    assert done.returncode == 1
    assert "FAILED" in done.stdout
