"""Swift: packages, searched as text, and Xcode projects by their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found

if TYPE_CHECKING:
    from agentctx.profile.manifests import Place

_COMMENT = re.compile(r"^[ \t]*//(?! swift-tools)[^\n]*", re.MULTILINE)
_VERSION = re.compile(r"swift-tools-version:\s*(\d+(?:\.\d+)?)")
_NAME = re.compile(r"\bPackage\s*\(\s*name:\s*\"([^\"\n]{1,80})\"")
_PROGRAM = re.compile(
    r"\.executable(?:Target)?\s*\(\s*name:\s*\"([^\"\n]{1,80})\"",
)
_XCODE = (".xcworkspace", ".xcodeproj")


def read(place: Place) -> Found | None:
    """Read one folder's `Package.swift`, or see an Xcode project."""
    projects = [name for name in place.folders if name.endswith(_XCODE)]
    linted = ["SwiftLint"] if place.has(".swiftlint.yml") else []
    lint = (Command("lint", "swiftlint"),) if linted else ()
    if place.has("Package.swift"):
        text = _COMMENT.sub("", place.text("Package.swift"))
        version, name = _VERSION.search(text), _NAME.search(text)
        programs = tuple(dict.fromkeys(_PROGRAM.findall(text)))
        commands = [Command("build", "swift build"), Command("test", "swift test")]
        if programs:
            commands.append(Command("run", f"swift run {programs[0]}"))
        return Found(
            "Swift",
            name=name[1] if name else "",
            stack=(
                f"Swift {version[1]}" if version else "Swift",
                "Swift Package Manager",
                *linted,
            ),
            commands=(*commands, *lint),
            entry_points=tuple(f"{one} = Sources/{one}" for one in programs),
        )
    if projects:
        name_only = projects[0].rpartition(".")[0]
        return Found("Swift", name_only, stack=("Xcode", *linted), commands=lint)
    return None
