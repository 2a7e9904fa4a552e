"""JavaScript and TypeScript: Node with its package managers, and Deno."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.manifests import table, under, word, words
from agentctx.profile.model import Command, Found
from agentctx.profile.names import is_runnable, kind_of, known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "next": "Next.js",
    "nuxt": "Nuxt",
    "@angular/core": "Angular",
    "svelte": "Svelte",
    "@sveltejs/kit": "SvelteKit",
    "vue": "Vue",
    "react-native": "React Native",
    "react": "React",
    "solid-js": "Solid",
    "astro": "Astro",
    "@remix-run/react": "Remix",
    "electron": "Electron",
    "@nestjs/core": "NestJS",
    "express": "Express",
    "fastify": "Fastify",
    "hono": "Hono",
    "prisma": "Prisma",
    "drizzle-orm": "Drizzle",
    "tailwindcss": "Tailwind CSS",
    "vite": "Vite",
    "webpack": "webpack",
    "rollup": "Rollup",
    "esbuild": "esbuild",
    "jest": "Jest",
    "vitest": "Vitest",
    "mocha": "Mocha",
    "cypress": "Cypress",
    "@playwright/test": "Playwright",
    "storybook": "Storybook",
    "eslint": "ESLint",
    "prettier": "Prettier",
    "@biomejs/biome": "Biome",
}

_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "pnpm-workspace.yaml": "pnpm",
    "yarn.lock": "Yarn",
    "bun.lock": "Bun",
    "bun.lockb": "Bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_RUN = {"npm": "npm run ", "pnpm": "pnpm ", "Yarn": "yarn ", "Bun": "bun run "}
_MONOREPO = {
    "turbo.json": "Turborepo",
    "nx.json": "Nx",
    "lerna.json": "Lerna",
    "rush.json": "Rush",
}
_LIFECYCLE = re.compile(r"(?:pre|post)(?:install|publish|pack|version)?|prepare\w*")
_MAX_SCRIPTS = 40


def read(place: Place) -> Found | None:
    """Read one folder's `package.json` and what lies beside it."""
    if not place.has("package.json"):
        return None
    package = place.json("package.json")
    needs = {
        name
        for kind in ("dependencies", "devDependencies", "peerDependencies")
        for name in table(package.get(kind))
    }
    typed = "typescript" in needs or place.has("tsconfig.json", "tsconfig.base.json")
    manager = _manager(place, package)
    engine = word(under(package, "engines", "node"))
    engine = engine or place.text(".nvmrc").strip().partition("\n")[0]
    monorepo = [called for name, called in _MONOREPO.items() if place.has(name)]
    stack = [
        f"Node {engine}".strip(),
        "TypeScript" if typed else "JavaScript",
        manager,
        *monorepo,
        *known(needs, LIBRARIES),
    ]
    patterns = _workspaces(place, package)
    return Found(
        "Node",
        name=word(package.get("name")),
        stack=tuple(stack),
        commands=tuple(_commands(package, manager)),
        entry_points=tuple(_entry_points(package)),
        patterns=tuple(one for one in patterns if not one.startswith("!")),
        left_out=tuple(one[1:] for one in patterns if one.startswith("!")),
    )


def read_deno(place: Place) -> Found | None:
    """Read one folder's Deno configuration."""
    name = place.first("deno.json", "deno.jsonc")
    if name is None:
        return None
    settings = place.json(name)
    needs = {
        re.sub(r"^(?:npm|jsr):/?|(?<=.)@[^/@]*$", "", word(target))
        for target in table(settings.get("imports")).values()
    }
    commands = [Command("install", "deno install"), Command("test", "deno test")]
    commands += [Command("lint", "deno lint"), Command("format", "deno fmt")]
    tasks = table(settings.get("tasks")).items()
    scripts = [
        Command(
            kind_of(name),
            f"deno task {name}",
            word(body) or word(under(body, "command")),
        )
        for name, body in tasks
        if is_runnable(name)
    ]
    exports = settings.get("exports")
    points = [word(exports)] if word(exports) else map(word, table(exports).values())
    return Found(
        "Deno",
        name=word(settings.get("name")),
        stack=("Deno", "TypeScript", *known(needs, LIBRARIES)),
        commands=(*scripts[:_MAX_SCRIPTS], *commands),
        entry_points=tuple(filter(None, points)),
        patterns=tuple(
            words(settings.get("workspace"))
            or words(under(settings, "workspace", "members"))
        ),
    )


def _manager(place: Place, package: Mapping[str, object]) -> str:
    """Name the package manager: as declared, else by the lock file, else npm."""
    declared = word(package.get("packageManager")).partition("@")[0]
    for called in _RUN:
        if declared == called.lower():
            return called
    return next((called for lock, called in _LOCKS.items() if place.has(lock)), "npm")


def _workspaces(place: Place, package: Mapping[str, object]) -> list[str]:
    declared = package.get("workspaces")
    found = [*words(declared), *words(under(declared, "packages"))]
    if place.has("pnpm-workspace.yaml"):
        found += words(place.yaml("pnpm-workspace.yaml").get("packages"))
    if place.has("lerna.json"):
        found += words(place.json("lerna.json").get("packages"))
    return list(dict.fromkeys(found))


def _commands(package: Mapping[str, object], manager: str) -> Iterator[Command]:
    yield Command("install", f"{manager.lower()} install")
    scripts = table(package.get("scripts"))
    for name, body in list(scripts.items())[:_MAX_SCRIPTS]:
        if not is_runnable(name) or not word(body) or _is_hook(name, scripts):
            continue
        run = f"{_RUN[manager]}{name}"
        if manager == "npm" and name in {"test", "start"}:
            run = f"npm {name}"
        yield Command(kind_of(name), run, word(body))


def _is_hook(name: str, scripts: Mapping[str, object]) -> bool:
    """Say whether a script runs by itself around another one."""
    before = name.removeprefix("pre").removeprefix("post")
    return _LIFECYCLE.fullmatch(name) is not None or (
        before != name and before in scripts
    )


def _entry_points(package: Mapping[str, object]) -> Iterator[str]:
    binary = package.get("bin")
    if word(binary):
        name = word(package.get("name")).rpartition("/")[2]
        yield f"{name} = {word(binary)}"
    for name, target in table(binary).items():
        if word(target):
            yield f"{name} = {word(target)}"
    for key in ("main", "module"):
        if word(package.get(key)):
            yield f"{key} = {word(package.get(key))}"
    exported = package.get("exports")
    if word(exported):
        yield f"exports = {word(exported)}"
