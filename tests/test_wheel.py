"""The built wheel works in an environment where only its dependencies are."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email import message_from_bytes
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--quiet", "--wheel-dir", str(folder), str(ROOT)),
        cwd=folder,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel; its dependencies are lent by the environment we run in."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    run(
        *(sys.executable, "-m", "pip", "--python", str(python), "install"),
        *("--no-deps", "--no-index", "--quiet", str(wheel)),
        cwd=folder,
    )
    (site,) = folder.glob("lib/python*/site-packages")
    lent = sysconfig.get_path("purelib")
    (site / "lent.pth").write_text(f"{lent}\n", encoding="utf-8")
    return folder / "bin"


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_carries_the_packages_and_what_ships_with_them(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "corpus",
        "agentctx",
    }
    for kind in ("templates", "exports"):
        shipped = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / kind).rglob("*")
            if path.is_file()
        }
        assert shipped <= {name.removeprefix("corpus/_published/") for name in names}


def test_the_installed_commands_answer(installed: Path, tmp_path: Path) -> None:
    said = run(str(installed / "project-corpus"), "--version", cwd=tmp_path)
    assert said.startswith("project-corpus ")
    assert run(str(installed / "agentctx"), "--version", cwd=tmp_path)


@pytest.mark.requirement("P1.7")
def test_the_installed_program_makes_a_corpus_that_validates_and_answers(
    installed: Path, tmp_path: Path
) -> None:
    command = str(installed / "project-corpus")
    project = tmp_path / "weather-station"
    project.mkdir()
    run(command, "init", str(project), "--name", "Weather Station", cwd=tmp_path)
    assert json.loads(run(command, "validate", cwd=project))["ok"] is True
    run(command, "context", "build", cwd=project)
    found = json.loads(run(command, "context", "query", "objective", cwd=project))
    assert found["project_id"] == "weather-station"


def test_the_installed_package_reads_what_ships_with_it(
    installed: Path, tmp_path: Path
) -> None:
    code = (
        "import corpus, json;"
        "from corpus.published import published_names, read_published;"
        "kinds = ('templates', 'exports');"
        "texts = [read_published(k, *n.split('/')) for k in kinds"
        " for n in published_names(k)];"
        "print(json.dumps([corpus.__file__, len(texts), all(texts)]))"
    )
    said = run(str(installed / "python"), "-I", "-c", code, cwd=tmp_path)
    place, count, whole = json.loads(said)
    assert Path(place).is_relative_to(installed.parent)
    shipped = [
        path
        for kind in ("templates", "exports")
        for path in (ROOT / kind).rglob("*")
        if path.is_file()
    ]
    assert (count, whole) == (len(shipped), True)


@pytest.mark.requirement("A1.4")
def test_no_compiler_stands_on_the_install_path(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (n for n in archive.namelist() if n.endswith("/METADATA"))
        fields = message_from_bytes(archive.read(metadata))
    wanted = fields.get_all("Requires-Dist", [])
    seen: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
        if "extra ==" in requirement or name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            found = distribution(name)
        except PackageNotFoundError:  # needed on another system or version only
            assert ";" in requirement, requirement
            continue
        tags = (found.read_text("WHEEL") or "").splitlines()
        built_here = [t for t in tags if re.search(r"^Tag: .*-linux_", t)]
        assert built_here == [], f"{name} was compiled, not installed from a wheel"
        wanted += found.requires or []
    assert {"mcp", "markdown-it-py", "snowballstemmer"} <= seen
