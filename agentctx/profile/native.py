"""C and C++: CMake, Meson, Autotools, Bazel and compile databases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found

if TYPE_CHECKING:
    from agentctx.profile.manifests import Place

_SIGNS = (
    "CMakeLists.txt",
    "meson.build",
    "configure",
    "configure.ac",
    "compile_commands.json",
    "conanfile.txt",
    "conanfile.py",
    "vcpkg.json",
)
_BAZEL = ("MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel")

_COMMENT = re.compile(r"#[^\n]*")
_CMAKE_PROJECT = re.compile(r"\bproject\s*\(\s*\"?([\w.+-]{1,80})", re.IGNORECASE)
_CMAKE_CXX = re.compile(r"CMAKE_CXX_STANDARD\s+(\d+)|\bcxx_std_(\d+)")
_CMAKE_C = re.compile(r"CMAKE_C_STANDARD\s+(\d+)|\bc_std_(\d+)")
_CMAKE_PROGRAM = re.compile(r"\badd_executable\s*\(\s*([\w.+-]{1,80})", re.IGNORECASE)
_CMAKE_FOLDER = re.compile(
    r"\badd_subdirectory\s*\(\s*\"?([\w./+-]{1,200})", re.IGNORECASE
)
_CMAKE_TESTS = re.compile(r"\benable_testing\b|\binclude\s*\(\s*CTest", re.IGNORECASE)
_MESON_PROJECT = re.compile(r"\bproject\s*\(\s*'([^'\n]{1,80})'([^)]{0,2000})")
_MESON_PROGRAM = re.compile(r"\bexecutable\s*\(\s*'([^'\n]{1,80})'")
_MESON_STANDARD = re.compile(r"\bc(?:pp)?_std=(?:gnu|c)(\+\+)?(\w{1,4})")
_MAX_PROGRAMS = 20


def read(place: Place) -> Found | None:
    """Read one folder's native build files; the first system found builds."""
    if place.has(*_BAZEL):
        return Found(
            "Bazel",
            stack=("Bazel",),
            commands=(
                Command("build", "bazel build //..."),
                Command("test", "bazel test //..."),
            ),
        )
    if not place.has(*_SIGNS):
        return None
    if place.has("CMakeLists.txt"):
        return _cmake(place)
    if place.has("meson.build"):
        return _meson(place)
    if place.has("configure", "configure.ac"):
        start = "./configure" if place.has("configure") else "autoreconf -i"
        commands = (Command("install", start), Command("build", "make"))
        return Found("Autotools", stack=("C/C++", "Autotools"), commands=commands)
    return Found("C/C++", stack=("C/C++", *_packages(place)))


def _cmake(place: Place) -> Found:
    text = _COMMENT.sub("", place.text("CMakeLists.txt"))
    name = _CMAKE_PROJECT.search(text)
    commands = [
        Command("install", "cmake -S . -B build"),
        Command("build", "cmake --build build"),
    ]
    if place.has("CMakePresets.json"):
        commands[0] = Command("install", "cmake --preset default")
    if _CMAKE_TESTS.search(text):
        commands.append(Command("test", "ctest --test-dir build"))
    if place.has(".clang-tidy"):
        commands.append(Command("lint", "clang-tidy -p build"))
    languages = [
        f"{called} {found[1] or found[2]}"
        for called, found in (
            ("C", _CMAKE_C.search(text)),
            ("C++", _CMAKE_CXX.search(text)),
        )
        if found is not None
    ]
    programs = _CMAKE_PROGRAM.findall(text)[:_MAX_PROGRAMS]
    return Found(
        "CMake",
        name=name[1] if name else "",
        stack=(*(languages or ["C/C++"]), "CMake", *_packages(place)),
        commands=tuple(commands),
        entry_points=tuple(f"{one} = CMake target" for one in programs),
        patterns=tuple(_CMAKE_FOLDER.findall(text)),
    )


def _meson(place: Place) -> Found:
    text = _COMMENT.sub("", place.text("meson.build"))
    project = _MESON_PROJECT.search(text)
    languages = []
    settings = project[2] if project else ""
    standards = {
        "C++" if found[1] else "C": found[2]
        for found in _MESON_STANDARD.finditer(settings)
    }
    for word, called in (("'c'", "C"), ("'cpp'", "C++")):
        if word in settings:
            languages.append(f"{called} {standards.get(called, '')}".strip())
    commands = [
        Command("install", "meson setup build"),
        Command("build", "meson compile -C build"),
        Command("test", "meson test -C build"),
    ]
    programs = _MESON_PROGRAM.findall(text)[:_MAX_PROGRAMS]
    return Found(
        "Meson",
        name=project[1] if project else "",
        stack=(*(languages or ["C/C++"]), "Meson", *_packages(place)),
        commands=tuple(commands),
        entry_points=tuple(f"{one} = Meson target" for one in programs),
    )


def _packages(place: Place) -> tuple[str, ...]:
    found = []
    if place.has("conanfile.txt", "conanfile.py"):
        found.append("Conan")
    if place.has("vcpkg.json"):
        found.append("vcpkg")
    return tuple(found)
