"""Rust: Cargo packages and workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.profile.manifests import table, under, word, words
from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "tokio": "Tokio",
    "axum": "axum",
    "actix-web": "Actix Web",
    "rocket": "Rocket",
    "bevy": "Bevy",
    "tauri": "Tauri",
    "leptos": "Leptos",
    "clap": "clap",
    "serde": "Serde",
    "sqlx": "SQLx",
    "diesel": "Diesel",
    "pyo3": "PyO3",
    "wasm-bindgen": "wasm-bindgen",
    "criterion": "Criterion",
    "proptest": "proptest",
}


def read(place: Place) -> Found | None:
    """Read one folder's `Cargo.toml`."""
    if not place.has("Cargo.toml"):
        return None
    cargo = place.toml("Cargo.toml")
    package = table(cargo.get("package"))
    shared = table(under(cargo, "workspace", "package"))
    needs = {
        name
        for where in (cargo, table(cargo.get("workspace")))
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
        for name in table(where.get(kind))
    }
    version = word(package.get("rust-version")) or word(shared.get("rust-version"))
    edition = word(package.get("edition")) or word(shared.get("edition"))
    stack = [
        f"Rust {version}+" if version else "Rust",
        f"edition {edition}" if edition else "",
        "Cargo workspace" if "workspace" in cargo else "Cargo",
        *known(needs, LIBRARIES),
    ]
    every = " --workspace" if "workspace" in cargo else ""
    runs = tuple(_entry_points(place, cargo))
    commands = [
        Command("build", f"cargo build{every}"),
        Command("test", f"cargo test{every}"),
        Command("lint", f"cargo clippy{every}"),
        Command("format", "cargo fmt"),
        Command("check", f"cargo check{every}"),
    ]
    if any(not point.startswith("lib ") for point in runs):
        commands.append(Command("run", "cargo run"))
    return Found(
        "Rust",
        name=word(package.get("name")),
        stack=tuple(filter(None, stack)),
        commands=tuple(commands),
        entry_points=runs,
        patterns=tuple(words(under(cargo, "workspace", "members"))),
        left_out=tuple(words(under(cargo, "workspace", "exclude"))),
    )


def _entry_points(place: Place, cargo: Mapping[str, object]) -> Iterator[str]:
    name = word(under(cargo, "package", "name"))
    declared = cargo.get("bin")
    for binary in declared if isinstance(declared, list) else ():
        called = word(under(binary, "name"))
        if called:
            path = word(under(binary, "path")) or f"src/bin/{called}.rs"
            yield f"{called} = {path}"
    source = place.inside("src") if name else None
    if source is not None and source.has("main.rs"):
        yield f"{name} = src/main.rs"
    if source is not None and source.has("lib.rs"):
        yield f"lib {name} = src/lib.rs"
