"""What the measurements of speed stand on; no time is judged here."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from corpus.authority import SOURCE_BYTES, Limits
from corpus.confined.reader import open_root
from corpus.protocol.conformance import validate
from tests.recorded import store_at
from tests.speed import recordserver
from tests.speed.adversarial import CORPORA, common_words, many_terms, write_adversary
from tests.speed.bench import Bench, Target
from tests.speed.extraction import session_cost
from tests.speed.hooks import (
    ANSWERED,
    LONG,
    PROMPT,
    REMEMBERED,
    START,
    TOOL,
    Stage,
    acts_of,
    consolidated,
    end_session,
    is_idle,
    long_texts,
    memory_acts_of,
)
from tests.speed.linear import READERS, Reader, growth
from tests.speed.measure import (
    UnexpectedStatusError,
    agentctx_environment,
    measure,
    own_environment,
)
from tests.speed.memoryserver import served_memory
from tests.speed.recordserver import records_command, served_records
from tests.speed.recordset import SHORT_STEP, put_in_order, queries, write_records
from tests.speed.shared import round_trip, write_shared
from tests.speed.tree import SOURCES, write_tree
from tests.speed.writers import write_at_once

if TYPE_CHECKING:
    from tests.conftest import InProcess

SMALL = ("one term", "identical lines", "many headings", "deep nesting")


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def nonblank_lines(texts: dict[str, bytes]) -> int:
    return sum(
        bool(line.strip())
        for name, content in texts.items()
        if name.endswith(".md")
        for line in content.decode().splitlines()
    )


def test_the_corpus_is_the_same_every_time_and_validates(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_tree(tmp_path / name, sources=60)
    one = contents(tmp_path / "one")
    assert one == contents(tmp_path / "other")
    with open_root(tmp_path / "one") as opened:
        found = validate(opened)
    assert found.ok
    assert found.source_count == 60


def test_the_corpus_is_as_large_as_one_project_may_be(tmp_path: Path) -> None:
    write_tree(tmp_path / "tree")
    texts = contents(tmp_path / "tree")
    lines = nonblank_lines(texts)
    assert 45_000 < lines <= Limits().nonblank_lines
    sources = [name for name in texts if name.startswith(".project-corpus/")]
    assert len([name for name in sources if name.endswith(".md")]) == SOURCES
    assert Limits().sources >= SOURCES


@pytest.mark.requirement("P7.9")
@pytest.mark.parametrize("name", SMALL)
def test_a_corpus_made_to_be_slow_is_within_the_limits_and_answers(
    tmp_path: Path, cli: InProcess, name: str
) -> None:
    root = tmp_path / "slow"
    write_adversary(name, root)
    texts = contents(root)
    assert nonblank_lines(texts) <= Limits().nonblank_lines
    assert max(map(len, texts.values())) <= SOURCE_BYTES
    assert sum(map(len, texts.values())) <= Limits().total_bytes
    assert cli("context", "build", cwd=root).status == 0
    for words in (common_words(name), many_terms()):
        answer = cli("context", "query", words, "--limit", "100", cwd=root)
        assert answer.status == 0
        assert '"results": [\n' in answer.out


def test_every_corpus_made_to_be_slow_is_asked_for_what_it_has() -> None:
    assert set(SMALL) < set(CORPORA)
    assert all(common_words(name).strip() for name in CORPORA)
    assert len(many_terms().split()) == 10_000


def test_a_run_is_measured_as_a_whole_process(tmp_path: Path) -> None:
    code = "import sys; x = bytes(64 * 2**20); print('out'); sys.exit(3)"
    command = (sys.executable, "-c", code)
    cost = measure(command, cwd=tmp_path, env=os.environ, accept=(3,))
    assert (cost.status, cost.out, cost.err) == (3, "out\n", "")
    assert cost.memory > 60
    assert cost.cpu > 0
    assert cost.wall > 0
    with pytest.raises(UnexpectedStatusError):
        measure(command, cwd=tmp_path, env=os.environ)


def test_a_run_without_the_peer_says_so(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    script = Path(__file__).parent / "speed" / "run.py"
    absent = str(tmp_path / "absent")
    done = subprocess.run(
        [sys.executable, script, "--only", "start", "--rounds", "1", "--peer", absent],
        env=program_env,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode in {0, 1}, done.stderr
    assert "the peer is not installed" in done.stdout
    assert "--help over python" in done.stdout


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_what_reads_a_text_is_measured_on_its_hard_inputs(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        gc, "collect", lambda: 0
    )  # this process has too much to look at
    found = growth(reader, size=600)
    assert found.name == reader.name
    assert found.twice > 0
    assert (found.rate is not None) == reader.rated


def test_the_records_are_the_same_every_time(tmp_path: Path) -> None:
    found = []
    for name in ("one", "other"):
        write_records(tmp_path / name, tmp_path, records=40)
        with store_at(tmp_path / name, create=False) as store:
            found.append(
                [tuple(row) for row in store.db.execute("SELECT * FROM records")]
            )
    assert found[0] == found[1]
    assert len(found[0]) == 40


def test_the_server_of_records_is_measured_as_a_process(
    tmp_path: Path, program_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, enough in (("STARTS", 1), ("CALLS", 20), ("FEWEST_FOUND", 50)):
        monkeypatch.setattr(recordserver, name, enough)
    home = tmp_path / "home"
    write_records(home, tmp_path, records=300)
    places = {"AGENTCTX_HOME": str(home), "CLAUDE_PROJECT_DIR": str(tmp_path)}
    code = "from corpus.cli.app import run; run()"
    command = records_command((sys.executable, "-c", code))
    found = served_records(command, queries(), {**program_env, **places})
    assert found.start_cpu > 0
    assert 0 < found.call <= max(found.calls)


def test_the_server_of_memory_is_measured_as_a_process(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    program = (sys.executable, "-c", "from corpus.cli.app import run; run()")
    found = served_memory(program, tmp_path, 1_000, program_env, rounds=1)
    assert [len(one) for one in found] == [1] * 4
    assert min(map(min, found)) > 0


def ordered_stage(folder: Path, program_env: dict[str, str]) -> Stage:
    """Give a stage whose 60 records are of the last hours and in order."""
    home, project = folder / "home", folder / "project"
    (project / ".agentctx").mkdir(parents=True)
    start = datetime.now(UTC) - 60 * SHORT_STEP
    write_records(home, project, records=60, start=start, step=SHORT_STEP)
    put_in_order(home, project)
    env = {**agentctx_environment(own_environment(folder / "user"), home)}
    env["PYTHONPATH"] = program_env["PYTHONPATH"]
    return Stage(home, project, (sys.executable, "-P", "-m", "agentctx"), env)


def test_hooks_are_measured_as_processes_that_have_something_to_tell(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    at = ordered_stage(tmp_path, program_env)
    acts = acts_of(at)
    assert "additionalContext" in acts[START](0).out
    assert acts[TOOL](0).out == ""
    assert "additionalContext" in acts[PROMPT](0).out
    assert is_idle(at.home), "no worker is woken where hooks are measured"
    kept = memory_acts_of(at)
    assert "additionalContext" in kept[REMEMBERED](0).out
    assert kept[ANSWERED](0).out == ""
    assert (at.project / ".agentctx" / "memory.db").exists()
    assert end_session(at, "end").wall > 0
    assert last_failures(str(at.home)) == []


def test_a_long_prompt_is_of_200_kilobytes() -> None:
    for text in long_texts().values():
        assert LONG - 4 < len(text.encode()) <= LONG


def test_records_in_order_leave_a_consolidation_nothing_to_do(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    found, cost = consolidated(ordered_stage(tmp_path, program_env))
    assert not any(found.values()), found
    assert cost.cpu > 0


def test_what_a_session_costs_counts_every_turn_and_question(tmp_path: Path) -> None:
    spent = session_cost(tmp_path, turns=6, tokens=900)
    assert 6 * 900 <= spent.new < 6 * 920
    assert (spent.records, spent.unread) == (6, 0)
    assert 0 < spent.questions < 6
    assert spent.ratio == spent.sent / spent.new > 1


def test_a_target_is_met_up_to_its_bound() -> None:
    assert Target(name="x", found=1.0, most=1.0).met
    missed = Target(name="x", found=1.001, most=1.0)
    assert not missed.met
    assert "MISSED" in missed.line()


def test_the_round_trip_of_the_teams_file_is_measured_as_processes(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    env = {**own_environment(tmp_path / "user"), **program_env}
    bench = Bench(folder=tmp_path, ours=(), peer=None, rounds=1, env=env)
    home, root = tmp_path / "home", tmp_path / "team"
    write_shared(home, root, records=30)
    found = round_trip(bench, home, root)
    assert json.loads(found["export"].out)["blocks"] == 30
    assert min(one.cpu for one in found.values()) > 0


@pytest.mark.requirement("A2.10")
def test_writers_at_once_are_measured_and_lose_nothing(tmp_path: Path) -> None:
    found = write_at_once(tmp_path, writers=3, records=4)
    assert found.lost == 0
    assert found.rate > 0
    assert 0 < found.median <= found.p95 <= found.longest
