"""The parts of a monorepo are those its workspace declares, and they stay inside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.profile.detect import detect_profile
from tests.manifests import profile_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A7.3")


def package(name: str, **more: object) -> str:
    return json.dumps({"name": name, **more})


def crate(name: str) -> str:
    return f'[package]\nname = "{name}"\n[dependencies]\naxum = "1"\n'


PNPM = {
    "package.json": package("root", scripts={"build": "turbo build"}),
    "pnpm-workspace.yaml": "packages:\n  - 'apps/*'\n  - packages/**\n  - '!**/old'\n",
    "turbo.json": "{}",
    "apps/web/package.json": package("@a/web", dependencies={"next": "1"}),
    "apps/none/readme.txt": "",
    "packages/ui/package.json": package("@a/ui", bin={"ui": "ui.js"}),
    "packages/deep/er/package.json": package("@a/deeper"),
    "packages/old/package.json": package("@a/old"),
    "packages/ui/node_modules/x/package.json": package("x"),
    "packages/.hidden/package.json": package("hidden"),
    "elsewhere/package.json": package("elsewhere"),
}

CARGO = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*", "xtask", "."]\n'
    'exclude = ["crates/old"]\n[workspace.package]\nedition = "2024"\n',
    "crates/core/Cargo.toml": crate("core"),
    "crates/old/Cargo.toml": crate("old"),
    "xtask/Cargo.toml": crate("xtask"),
    "xtask/src/main.rs": "",
}

UV = {
    "pyproject.toml": '[project]\nname = "root"\n[tool.uv.workspace]\n'
    'members = ["libs/*"]\nexclude = ["libs/old"]\n',
    "libs/a/pyproject.toml": '[project]\nname = "a"\ndependencies = ["django"]\n'
    '[project.scripts]\na = "a:main"\n',
    "libs/old/pyproject.toml": '[project]\nname = "old"\n',
    "libs/a/package.json": package("front", dependencies={"vue": "3"}),
}

GO = {
    "go.work": "go 1.23\n\nuse (\n\t./api // what\n\t./lib\n)\nuse ./tool\nuse .\n",
    "go.mod": "module example.org/root\n",
    "api/go.mod": "module example.org/api\nrequire github.com/gin-gonic/gin v1.9.0\n",
    "lib/go.mod": "module example.org/lib\n",
    "tool/go.mod": "module example.org/tool\n",
}

MAVEN = {
    "pom.xml": "<project><artifactId>root</artifactId><modules>"
    "<module>core</module><module>../outside</module></modules></project>",
    "core/pom.xml": "<project><artifactId>core-lib</artifactId></project>",
}

GRADLE = {
    "settings.gradle": "rootProject.name = 'root'\ninclude ':app', 'libs:core'\n"
    "include(\n  'more',\n  'gone'\n)\n",
    "app/build.gradle": "id 'com.android.application'\n",
    "libs/core/build.gradle": "",
    "more/build.gradle.kts": "kotlin",
}

NPM = {
    "package.json": package("root", workspaces={"packages": ["{apps,libs}/*"]}),
    "apps/web/package.json": package("web", devDependencies={"typescript": "5"}),
    "libs/x/package.json": package(""),
    "lerna.json": json.dumps({"packages": ["more/*"]}),
    "more/y/package.json": package("y"),
}

DART = {
    "pubspec.yaml": "name: root\nworkspace:\n  - packages/a\n",
    "packages/a/pubspec.yaml": "name: a\n",
    "melos.yaml": "packages:\n  - more/*\n",
    "more/b/pubspec.yaml": "name: b\n",
}

MIX = {
    "mix.exs": 'apps_path: "apps"',
    "apps/one/mix.exs": "app: :one_app",
}

KINDS = {
    "pnpm": (
        PNPM,
        {"apps/web": "@a/web", "packages/ui": "@a/ui", "packages/deep/er": "@a/deeper"},
        {"pnpm", "Turborepo", "Next.js"},
    ),
    "npm": (
        NPM,
        {"apps/web": "web", "libs/x": "x", "more/y": "y"},
        {"Lerna", "TypeScript"},
    ),
    "Cargo": (
        CARGO,
        {"crates/core": "core", "xtask": "xtask"},
        {"Cargo workspace", "edition 2024", "axum"},
    ),
    "uv": (UV, {"libs/a": "a"}, {"uv", "Django", "Node", "Vue"}),
    "Go": (
        GO,
        {"api": "api", "lib": "lib", "tool": "tool"},
        {"Go 1.23", "Go workspace", "Gin"},
    ),
    "Maven": (MAVEN, {"core": "core-lib"}, {"Maven"}),
    "Gradle": (
        GRADLE,
        {"app": "app", "libs/core": "core", "more": "more"},
        {"Gradle", "Android", "Kotlin"},
    ),
    "Dart": (DART, {"packages/a": "a", "more/b": "b"}, {"Melos"}),
    "Elixir": (MIX, {"apps/one": "one_app"}, {"Mix umbrella"}),
}


@pytest.mark.parametrize(
    ("files", "members", "stack"), KINDS.values(), ids=KINDS.keys()
)
def test_members_are_listed_with_their_paths(
    tmp_path: Path, files: dict[str, str], members: dict[str, str], stack: set[str]
) -> None:
    found = profile_of(tmp_path, files)
    assert {one.path: one.name for one in found.members} == members
    assert [one.path for one in found.members] == sorted(members)
    assert stack <= set(found.stack)
    layout = next(fact for fact in found.facts if fact.key == "layout")
    assert layout.title.startswith(f"Monorepo of {len(members)} member")
    assert layout.body.split("\n") == [
        f"{path}: {name}" for path, name in sorted(members.items())
    ]


def test_a_member_adds_its_libraries_and_programs_but_no_commands(
    tmp_path: Path,
) -> None:
    found = profile_of(tmp_path, PNPM)
    assert "npm" not in found.stack
    assert "packages/ui: ui = ui.js" in found.entry_points
    assert dict(found.commands) == {"install": "pnpm install", "build": "pnpm build"}


def test_patterns_never_lead_out_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "package.json").write_text(package("outside"), "utf-8")
    (tmp_path / "root" / "libs").mkdir(parents=True)
    (tmp_path / "root" / "libs" / "link").symlink_to(tmp_path / "outside")
    patterns = ["../*", "/etc/*", "libs/*", "libs/link", "../outside", "libs/../../*"]
    found = profile_of(
        tmp_path / "root", {"package.json": package("root", workspaces=patterns)}
    )
    assert found.members == ()


def test_members_are_bounded(tmp_path: Path) -> None:
    files = {f"p/m{number:03}/package.json": "{}" for number in range(120)}
    files["package.json"] = package("root", workspaces=["p/*"])
    found = profile_of(tmp_path, files)
    assert len(found.members) == 50
    assert found.members[0].path == "p/m000"


def test_a_deep_tree_under_a_wildcard_ends(tmp_path: Path) -> None:
    deep = tmp_path / "p"
    for _ in range(12):
        for name in ("a", "b"):
            (deep / name).mkdir(parents=True)
        deep /= "a"
    patterns = ["**/**/**/**/x", "p/**", "*/" * 40]
    found = profile_of(
        tmp_path,
        {
            "package.json": package("root", workspaces=patterns),
            "p/a/package.json": package("near"),
            f"{deep.relative_to(tmp_path).as_posix()}/package.json": package("far"),
        },
    )
    assert [one.name for one in found.members] == ["near"]


def test_a_listing_of_many_folders_is_bounded(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / "p" / f"{number:04}").mkdir(parents=True)
    last = "p/0599/package.json"
    found = profile_of(
        tmp_path,
        {"package.json": package("root", workspaces=["p/*"]), last: package("last")},
    )
    assert found.members == ()


def test_reading_leaves_every_file_and_time_as_it_was(tmp_path: Path) -> None:
    profile_of(tmp_path, PNPM)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    detect_profile(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
