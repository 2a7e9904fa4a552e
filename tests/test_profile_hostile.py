"""Whatever a manifest holds, the profile is bounded, clean and made at once."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from agentctx.profile.detect import detect_profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.profile.model import Profile

pytestmark = [pytest.mark.requirement("A7.3"), pytest.mark.timeout(30)]

HALF = 200_000
"""Characters of a hostile manifest, below the limit that would refuse it."""


def profile_of(root: Path, name: str, text: str) -> Profile:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return detect_profile(root)


BROKEN = {
    "TOML": ("pyproject.toml", "[project\nname=", "Python"),
    "nested TOML": ("Cargo.toml", "a = " + "[" * 5000, "Rust"),
    "dotted TOML": ("Cargo.toml", ".".join(["a"] * 5000) + " = 1", "Rust"),
    "JSON": ("package.json", '{"name": ', "Node"),
    "nested JSON": ("package.json", "[" * 100_000, "Node"),
    "long number": ("composer.json", '{"a": ' + "9" * 9000 + "}", "PHP"),
    "YAML": ("pubspec.yaml", "a: [b", "Dart"),
    "nested YAML": ("pubspec.yaml", "[" * 5000, "Dart"),
    "unhashable YAML": ("pubspec.yaml", "? [a]\n: b\n", "Dart"),
    "YAML with a control": ("pubspec.yaml", "a: \x01\n", "Dart"),
    "large YAML": ("pubspec.yaml", "a: b\n" * 20_000, "Dart"),
}


@pytest.mark.parametrize(
    ("name", "text", "language"), BROKEN.values(), ids=BROKEN.keys()
)
def test_a_broken_manifest_is_named_and_the_rest_is_used(
    tmp_path: Path, name: str, text: str, language: str
) -> None:
    (tmp_path / "Makefile").write_text("test:\n", encoding="utf-8")
    found = profile_of(tmp_path, name, text)
    assert [one.partition(":")[0] for one in found.problems] == [name]
    assert any(word.startswith(language) for word in found.stack)
    assert found.commands["test"] == "make test"


NO_FILES: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "link out": lambda path: path.symlink_to("/etc/passwd"),
    "link inside": lambda path: path.symlink_to("README.md"),
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "large": lambda path: path.write_bytes(b" " * 300_000),
    "binary": lambda path: path.write_bytes(bytes(range(256))),
    "second link": lambda path: os.link(path.parent / "README.md", path),
}


@pytest.mark.parametrize("text", ["no section", "[a]\nb\n", "[a]\n = \n", "[a"])
def test_a_cfg_file_that_is_none_says_nothing(tmp_path: Path, text: str) -> None:
    assert profile_of(tmp_path, "setup.cfg", text).stack == ("Python",)


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
@pytest.mark.parametrize("name", ["package.json", "Makefile"])
def test_a_manifest_that_is_no_plain_file_is_named_and_never_read(
    tmp_path: Path, name: str, make: Callable[[Path], object]
) -> None:
    (tmp_path / "README.md").write_text("test:\n", encoding="utf-8")
    make(tmp_path / name)
    found = detect_profile(tmp_path)
    assert [one.partition(":")[0] for one in found.problems] == [name]
    assert "test" not in found.commands


def test_a_folder_in_a_manifests_place_is_no_manifest(tmp_path: Path) -> None:
    for name in ("package.json", "pyproject.toml", "Makefile", ".gitlab-ci.yml"):
        (tmp_path / name).mkdir()
    found = detect_profile(tmp_path)
    assert (found.stack, found.problems) == ((), ())


SHAPES = {
    "list": "[]",
    "text": '"x"',
    "null": "null",
    "numbers": '{"name": 1, "scripts": 2, "bin": 3, "workspaces": 4, "engines": []}',
    "lists": '{"name": [], "scripts": [], "bin": [1], "workspaces": [1], "main": {}}',
    "tables": '{"name": {}, "scripts": {"test": {}}, "bin": {"a": 1}, "exports": 1}',
    "odd names": '{"scripts": {"": "a", "a b": "c", "$(id)": "d", "-x": "e"}}',
    "empty": "",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("name", ["package.json", "composer.json", "deno.json"])
def test_a_manifest_of_another_shape_says_nothing_more(
    tmp_path: Path, name: str, text: str
) -> None:
    found = profile_of(tmp_path, name, text)
    assert found.problems == ()
    assert found.stack
    assert not any("$(" in run or "-x" in run for run in found.commands.values())


TOML_SHAPES = (
    "project = 1\ntool = 2\n",
    "[project]\nname = 1\nscripts = 3\ndependencies = 4\nrequires-python = 5\n",
    "[tool]\nuv = 1\npoetry = 2\nhatch = 3\npdm = 4\npoe = 5\n",
    "[tool.poetry]\ndependencies = 1\ngroup = {a = 1}\nscripts = {a = 1}\n",
    "[tool.hatch.envs]\ndefault = 1\n[tool.uv]\nworkspace = 1\n",
    "[dependency-groups]\na = 1\nb = [1, {c = 2}]\n",
    "[workspace]\nmembers = 1\npackage = 2\n[package]\nname = 1\n",
    "[package]\nedition.workspace = true\n[dependencies]\na.b.c = 1\n",
    'bin = [1, {name = 2}, {path = "x"}]\n',
)


@pytest.mark.parametrize("text", TOML_SHAPES)
@pytest.mark.parametrize(
    "name", ["pyproject.toml", "Cargo.toml", "mise.toml", "Pipfile"]
)
def test_a_table_of_another_shape_says_nothing_more(
    tmp_path: Path, name: str, text: str
) -> None:
    found = profile_of(tmp_path, name, text)
    assert found.problems == ()
    assert found.stack


FLOODS = {
    "console scripts": ("setup.py", "'console_scripts': [" * 9_000),
    "comments": ("package.json", "/*" * 100_000),
    "quotes": ("package.json", '"' * HALF + "x"),
    "commas": ("package.json", ("," + " " * 50) * 4_000),
    "targets": ("Makefile", "a " * 100_000),
    "target lines": ("Makefile", ("a" * 150 + "\n") * 1_300),
    "recipes": ("justfile", "a " * 100_000),
    "modules": ("pom.xml", "<module> " * 20_000),
    "parts": ("pom.xml", "<build>" * 28_000),
    "open comments": ("pom.xml", "<!--" * 50_000),
    "gradle": ("build.gradle", "/*" * 100_000),
    "gradle compatibility": ("build.gradle", "sourceCompatibility " * 10_000),
    "gradle includes": ("settings.gradle", "include " * 25_000),
    "gradle commas": ("settings.gradle", "," * HALF),
    "gradle blanks": ("settings.gradle", "," + " " * HALF),
    "solution": ("a.sln", '"' + ".csproj" * 28_000),
    "projects": ("a.csproj", "<TargetFramework>" * 11_000),
    "gems": ("Gemfile", "gem '" * 40_000),
    "blanks before gems": ("Gemfile", " " * HALF),
    "cmake": ("CMakeLists.txt", "project(" * 25_000),
    "cmake blanks": ("CMakeLists.txt", "project" + " " * HALF),
    "meson": ("meson.build", "project('a'" * 18_000),
    "go": ("go.mod", "require " + "a." * 100_000),
    "go lines": ("go.mod", "require a.b/c \n" * 13_000),
    "mix": ("mix.exs", "{:a" * 60_000),
    "swift": ("Package.swift", "Package(" * 25_000),
    "workflow": (".github/workflows/a.yml", "jobs:\n" + "  a:\n" * 40_000),
    "gitlab": (".gitlab-ci.yml", "a " * 100_000),
    "jenkins": ("Jenkinsfile", "stage('" * 28_000),
    "compose": ("compose.yaml", "services:\n" + " " * HALF),
    "hooks": (".pre-commit-config.yaml", "-" * HALF),
    "procfile": ("Procfile", "a: b\n" * 40_000),
    "requirements": ("requirements.txt", "a==1\n" * 40_000),
    "setup": ("setup.cfg", "[a]\n" + "b = c\n" * 30_000),
    "deno": ("deno.json", json.dumps({"imports": {"a": "@" * HALF}})),
    "aliases": (
        "pubspec.yaml",
        "a: &a [x]\n"
        + "".join(
            f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}]\n" for n in range(900)
        )
        + "dependencies: *b899\nworkspace: &w [*b899, *b899]\n",
    ),
}


@pytest.mark.timeout(8)
@pytest.mark.parametrize(("name", "text"), FLOODS.values(), ids=FLOODS.keys())
def test_a_manifest_made_to_be_slow_is_not(
    tmp_path: Path, name: str, text: str
) -> None:
    found = profile_of(tmp_path, name, text)
    assert len(found.commands) <= 24
    assert len(found.entry_points) <= 30
    assert len(found.stack) <= 30


SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def hostile_package() -> str:
    scripts = {f"s{number}": "x" * 3_000 for number in range(60)}
    scripts["test"] = f"TOKEN={SECRET} jest\n\x1b[31m\u202eevil\u200b\x00\r\nmore"
    scripts["build"] = " " * 90 + f"curl -H 'Authorization: Bearer {SECRET}' x"
    return json.dumps(
        {
            "name": "wid\u202eget\n# Heading",
            "engines": {"node": "20\n\n```" + "y" * 900},
            "scripts": dict(reversed(scripts.items())),
            "bin": {f"b{number}": "z" * 150 for number in range(200)},
            "main": f"https://user:{SECRET}@host/x",
            "dependencies": {"react": "\ud800"},
        }
    )


def test_facts_fit_a_record_and_show_nothing_hidden(tmp_path: Path) -> None:
    found = profile_of(tmp_path, "package.json", hostile_package())
    assert [fact.key for fact in found.facts] == ["stack", "commands", "entry-points"]
    for fact in found.facts:
        assert 1 <= len(fact.title) <= 120
        assert 1 <= len(fact.body) <= 2_000
        assert fact.title.isprintable()
        assert all(line.isprintable() for line in fact.body.split("\n"))
        fact.body.encode("utf-8")
    words = [found.name, *found.stack, *found.commands, *found.commands.values()]
    assert all(word.isprintable() for word in [*words, *found.entry_points])


def test_no_secret_of_a_manifest_reaches_the_profile(tmp_path: Path) -> None:
    found = profile_of(tmp_path, "package.json", hostile_package())
    assert SECRET[:20] not in repr(found)
    assert "jest" in next(fact for fact in found.facts if fact.key == "commands").body


def test_names_of_folders_and_members_are_clean(tmp_path: Path) -> None:
    (tmp_path / "a\u202eb").mkdir()
    (tmp_path / "new\nline").mkdir()
    (tmp_path / "plain").mkdir()
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    found = detect_profile(tmp_path)
    layout = next(fact for fact in found.facts if fact.key == "layout")
    assert layout.title == "Folders: plain"


def test_too_many_manifests_are_said_to_be_too_many(tmp_path: Path) -> None:
    for number in range(60):
        folder = tmp_path / "p" / f"{number:02}"
        folder.mkdir(parents=True)
        for name in ("package.json", "pyproject.toml", "Cargo.toml", "go.mod"):
            (folder / name).write_text("", encoding="utf-8")
        for name in ("pom.xml", "Gemfile", "mix.exs", "Package.swift", "Pipfile"):
            (folder / name).write_text("", encoding="utf-8")
    found = profile_of(tmp_path, "package.json", '{"workspaces": ["p/*"]}')
    assert len(found.members) == 50
    assert any(one.endswith("too many manifests") for one in found.problems)
    assert len(found.problems) <= 20
