"""Which programs a command line runs, whatever it is wrapped in."""

from __future__ import annotations

import pytest

from agentctx.observing.commandline import plan_of
from agentctx.observing.shellwords import pipelines

RUNS = {
    "pytest": ["pytest"],
    "cd api && pytest -q": ["pytest"],
    "A=b C='d e' pytest": ["pytest"],
    "timeout -k 5 60 pytest": ["pytest"],
    "sudo -u dev time pytest": ["pytest"],
    "env -u X A=b pytest": ["pytest"],
    "uv run --with pytest-xdist pytest -n 4": ["pytest"],
    "uv run python -m pytest": ["pytest"],
    "uv run scripts/load.py": ["python"],
    "poetry run pytest": ["pytest"],
    "pipenv run python -Wdefault -m unittest": ["unittest"],
    "pdm run test": ["make"],
    "python3.12 -m pytest": ["pytest"],
    "python -m coverage run -m pytest": ["pytest"],
    "python -m shop.load": ["python"],
    "npx --yes vitest@latest run": ["vitest"],
    "pnpm -F web exec tsc": ["tsc"],
    "yarn jest": ["jest"],
    "npx @biomejs/biome check": ["biome"],
    "bunx jest": ["jest"],
    "npm run test:unit -- --watch=false": ["npm"],
    "npm ci && npm test": ["npm"],
    "npm install": [],
    "bash -c 'cd x; pytest -q'": ["pytest"],
    'sh -lc "make test"': ["make"],
    "bash run_tests.sh": ["run_tests.sh"],
    "docker compose exec -T web pytest": ["pytest"],
    "docker-compose run --rm web python manage.py test": ["python"],
    'docker run --rm -v "$PWD:/app" -w /app python:3.12 pytest': ["pytest"],
    "kubectl exec pod -- pytest": ["pytest"],
    "xvfb-run -a npx playwright test": ["playwright"],
    "bundle exec rspec": ["rspec"],
    "cargo +nightly test": ["cargo"],
    "cargo fmt": [],
    "go test ./... | tee out | tail -3": ["go"],
    "tsc; eslint . || true\nmypy src": ["tsc", "eslint", "mypy"],
    "for d in a b; do pytest $d; done": ["pytest"],
    "if pytest; then echo ok; fi": ["pytest"],
    "! pytest": ["pytest"],
    "(cd a && pytest)": ["pytest"],
    "out=$(pytest 2>&1); echo $out": ["pytest"],
    "find . -name '*.py' | xargs -n 20 mypy": ["mypy"],
    "cat <<'EOF' > x\npytest\nEOF\nmypy x": ["mypy"],
    "cat <<EOF\npytest\n": [],
    "echo 'pytest && mypy'": [],
    "# pytest\nls": [],
    "git commit -m \"$(cat <<'EOF'\nRun pytest; it's (fine)\nEOF\n)\"": [],
    'git commit -m "Say \\"pytest\\"; mypy"': [],
    "pytest > out.log": [],
    "pytest > out.log; tail out.log": ["pytest"],
    "echo 'unclosed; pytest": [],
    "pip install pytest": [],
    "which pytest": [],
    "cat tests/pytest": [],
    "./gradlew test": ["gradlew"],
    "C:/dev/venv/Scripts/python.exe -m pytest": ["pytest"],
}


@pytest.mark.requirement("A4.7")
@pytest.mark.parametrize(("command", "programs"), RUNS.items(), ids=RUNS)
def test_the_programs_of_a_command_are_found(command: str, programs: list[str]) -> None:
    assert [run.reads.program for run in plan_of(command).runs] == programs


POWERSHELL = {
    "$env:CI='x'; pytest -q | Select-Object -Last 3": ["pytest"],
    '& "C:\\Program Files\\nodejs\\node.exe" app.js': ["node"],
    "cmd /c npm test": ["npm"],
    "@'\npytest\n'@ | Set-Content x.txt; mypy x": ["mypy"],
    "Write-Output 'it''s'; pytest": ["pytest"],
    "powershell -Command pytest -q": ["pytest"],
}


@pytest.mark.parametrize(("command", "programs"), POWERSHELL.items(), ids=POWERSHELL)
def test_the_programs_of_a_command_in_powershell_are_found(
    command: str, programs: list[str]
) -> None:
    plan = plan_of(command, powershell=True)
    assert [run.reads.program for run in plan.runs] == programs


MASKED = {
    "tsc": False,
    "tsc | head": True,
    "tsc || true": True,
    "tsc; ls": True,
    "ls; tsc": False,
    "tsc && ls": False,
}


@pytest.mark.parametrize(("command", "masked"), MASKED.items(), ids=MASKED)
def test_it_is_known_whose_exit_status_is_the_commands(
    command: str, *, masked: bool
) -> None:
    assert [run.masked for run in plan_of(command).runs] == [masked]


FOREIGN = {
    "pytest": False,
    "pytest | grep FAILED": False,
    "cat a.log; pytest": True,
    "git show HEAD; pytest": True,
    "git status; pytest": False,
    "cat a.log | wc -l; pytest": False,
    "cat a.log > b.log; pytest": False,
    "pytest > a.log; cat a.log": False,
    "pytest | tee a.log; cat a.log": False,
    "gh run view 1 --log; pytest": True,
    "gh pr create --fill; pytest": False,
}


@pytest.mark.parametrize(("command", "foreign"), FOREIGN.items(), ids=FOREIGN)
def test_a_text_of_another_origin_is_noticed(command: str, *, foreign: bool) -> None:
    assert plan_of(command).foreign is foreign


def test_words_are_read_as_a_shell_reads_them() -> None:
    (only,) = pipelines("a 'b c' \"d $(e \"f)\") g\" h\\ i j'k'l >m 2>&1 # n")
    (command,) = only.commands
    assert command.words == ("a", "b c", 'd $(e "f)") g', "h i", "jkl")
    assert command.to == "m"
