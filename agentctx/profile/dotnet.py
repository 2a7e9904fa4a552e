"""The languages of .NET: solutions and projects, searched as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.manifests import under, word
from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from agentctx.profile.manifests import Place

LIBRARIES = {
    "microsoft.aspnetcore.openapi": "ASP.NET Core",
    "microsoft.entityframeworkcore": "EF Core",
    "xunit": "xUnit",
    "xunit.v3": "xUnit",
    "nunit": "NUnit",
    "mstest.testframework": "MSTest",
    "mstest": "MSTest",
    "serilog": "Serilog",
    "avalonia": "Avalonia",
}

_LANGUAGES = {".csproj": "C#", ".fsproj": "F#", ".vbproj": "Visual Basic"}
_PROJECT = re.compile(r'"([^"\n]{1,300}\.(?:cs|fs|vb)proj)"')
_TARGET = re.compile(r"<TargetFrameworks?>\s*([^<>\n]{1,100}?)\s*</TargetFramework")
_PACKAGE = re.compile(r'<PackageReference\s+Include="([^"\n]{1,200})"')
_SDK = re.compile(r'<Project\s+Sdk="([^"\n]{1,100})"')
_PROGRAM = re.compile(r"<OutputType>\s*(?:Win)?Exe\s*<", re.IGNORECASE)
_WEB = "Microsoft.NET.Sdk.Web"
_MAX_PROJECTS = 50


def read(place: Place) -> Found | None:
    """Read one folder's solution, and the projects in it and beside it."""
    solutions = place.ending(".sln", ".slnx")
    beside = place.ending(*_LANGUAGES)
    if not solutions and not beside:
        return None
    listed = [
        path.replace("\\", "/")
        for solution in solutions
        for path in _PROJECT.findall(place.text(solution))
    ]
    paths = tuple(dict.fromkeys([*beside, *sorted(set(listed))]))[:_MAX_PROJECTS]
    texts = {path: _project(place, path) for path in paths}
    every = "\n".join(texts.values())
    languages = [
        called for ending, called in _LANGUAGES.items() if _any_ends(paths, ending)
    ]
    targets = sorted(
        {one for found in _TARGET.findall(every) for one in found.split(";") if one}
    )
    needs = set(_PACKAGE.findall(every))
    sdk = word(under(place.json("global.json"), "sdk", "version"))
    web = "ASP.NET Core" if _WEB in _SDK.findall(every) else ""
    libraries = known(needs, LIBRARIES)
    stack = [f".NET {sdk}".strip(), *languages, *targets, web, *libraries]
    programs = [
        path
        for path, text in texts.items()
        if _PROGRAM.search(text) or _WEB in _SDK.findall(text)
    ]
    commands = [
        Command("install", "dotnet restore"),
        Command("build", "dotnet build"),
        Command("test", "dotnet test"),
        Command("format", "dotnet format"),
    ]
    if programs:
        where = "" if "/" not in programs[0] else f" --project {_quoted(programs[0])}"
        commands.append(Command("run", f"dotnet run{where}"))
    return Found(
        ".NET",
        name=solutions[0].rpartition(".")[0] if solutions else "",
        stack=tuple(dict.fromkeys(filter(None, stack))),
        commands=tuple(commands),
        entry_points=tuple(f"{_stem(path)} = {path}" for path in programs),
        patterns=tuple(path.rpartition("/")[0] for path in paths if "/" in path),
    )


def _project(place: Place, path: str) -> str:
    folder, _, name = path.rpartition("/")
    where = place.inside(folder) if folder else place
    return where.text(name) if where is not None else ""


def _any_ends(paths: tuple[str, ...], ending: str) -> bool:
    return any(path.endswith(ending) for path in paths)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
