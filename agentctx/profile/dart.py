"""Dart and Flutter: packages and pub workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.profile.manifests import table, under, word, words
from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from agentctx.profile.manifests import Place

LIBRARIES = {
    "flutter_riverpod": "Riverpod",
    "flutter_bloc": "Bloc",
    "bloc": "Bloc",
    "freezed": "Freezed",
    "shelf": "Shelf",
    "build_runner": "build_runner",
    "very_good_analysis": "Very Good Analysis",
}


def read(place: Place) -> Found | None:
    """Read one folder's `pubspec.yaml`."""
    if not place.has("pubspec.yaml"):
        return None
    spec = place.yaml("pubspec.yaml")
    needs = {
        name
        for kind in ("dependencies", "dev_dependencies")
        for name in table(spec.get(kind))
    }
    flutter = "flutter" in needs
    tool = "flutter" if flutter else "dart"
    version = word(under(spec, "environment", "sdk"))
    melos = place.has("melos.yaml")
    packages = words(place.yaml("melos.yaml").get("packages")) if melos else ()
    commands = [
        Command("install", f"{tool} pub get"),
        Command("test", f"{tool} test"),
        Command("lint", f"{tool} analyze"),
        Command("format", "dart format ."),
    ]
    source = place.inside("lib")
    main = flutter and source is not None and source.has("main.dart")
    if main:
        commands.append(Command("run", "flutter run"))
    programs = [
        f"{name} = bin/{word(target) or name}.dart"
        for name, target in table(spec.get("executables")).items()
    ]
    stack = [
        f"Dart {version}".strip(),
        "Flutter" if flutter else "",
        "Melos" if melos else "",
        *known(needs, LIBRARIES),
    ]
    return Found(
        "Flutter" if flutter else "Dart",
        name=word(spec.get("name")),
        stack=tuple(filter(None, stack)),
        commands=tuple(commands),
        entry_points=(*(["lib/main.dart"] if main else []), *programs),
        patterns=(*words(spec.get("workspace")), *packages),
    )
