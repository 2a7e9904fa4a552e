"""How a project is checked and shipped: containers, pre-commit, and CI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.manifests import keys_below
from agentctx.profile.model import Command, Found, Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.profile.manifests import Place

_COMPOSE = (
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
)
_STARTED = re.compile(r"^[ \t]*(?:ENTRYPOINT|CMD)[ \t]+([^\n]{1,200})", re.MULTILINE)
_PROCESS = re.compile(r"^([\w-]{1,40}):[ \t]*([^\n]{1,200})", re.MULTILINE)
_HOOK = re.compile(r"^[ \t]*-?[ \t]*id:[ \t]*['\"]?([\w.-]{1,60})", re.MULTILINE)

_WORKFLOWS = {
    ".github/workflows": "GitHub Actions",
    ".gitea/workflows": "Gitea Actions",
    ".forgejo/workflows": "Forgejo Actions",
}
_KEYED = {
    ".circleci/config.yml": ("CircleCI", "jobs"),
    "bitbucket-pipelines.yml": ("Bitbucket Pipelines", "pipelines"),
    ".travis.yml": ("Travis CI", "jobs"),
    ".woodpecker.yml": ("Woodpecker", "steps"),
    ".drone.yml": ("Drone", "steps"),
    ".buildkite/pipeline.yml": ("Buildkite", "steps"),
    "appveyor.yml": ("AppVeyor", "jobs"),
    "cloudbuild.yaml": ("Cloud Build", "steps"),
    ".cirrus.yml": ("Cirrus CI", "tasks"),
}
_NOT_JOBS = frozenset(
    (
        "after_script",
        "before_script",
        "cache",
        "default",
        "image",
        "include",
        "services",
        "spec",
        "stages",
        "variables",
        "workflow",
    )
)
_TOP_KEY = re.compile(
    r"^['\"]?([A-Za-z][\w /-]{0,59}?)['\"]?:(?:[ \t]|$)", re.MULTILINE
)
_AZURE_JOB = re.compile(
    r"^[ \t]*-[ \t]*(?:job|deployment):[ \t]*(\w{1,60})", re.MULTILINE
)
_STAGE = re.compile(r"\bstage\s*\(\s*['\"]([^'\"\n]{1,60})['\"]")
_MAX_FILES = 20
_MAX_JOBS = 20


def read_containers(place: Place) -> Found | None:
    """Read one folder's Dockerfile, compose file and Procfile."""
    compose = place.first(*_COMPOSE)
    image = place.first("Dockerfile", "Containerfile")
    if compose is None and image is None and not place.has("Procfile"):
        return None
    points = [
        f"{name} = {run.strip()}"
        for name, run in _PROCESS.findall(place.text("Procfile"))
    ]
    commands = []
    stack = []
    if image is not None:
        stack.append("Docker")
        started = _STARTED.findall(place.text(image))
        points += [f"{image} = {one.strip()}" for one in started[-1:]]
        commands.append(Command("image", "docker build ."))
    if compose is not None:
        stack.append("Docker Compose")
        services = keys_below(place.text(compose), "services")[:_MAX_JOBS]
        does = f"services: {', '.join(services)}" if services else ""
        commands.append(Command("services", "docker compose up", does))
    return Found(
        "Containers",
        stack=tuple(stack),
        commands=tuple(commands),
        entry_points=tuple(points),
    )


def read_hooks(place: Place) -> Found | None:
    """Read what is checked before a commit."""
    name = place.first(".pre-commit-config.yaml", ".pre-commit-config.yml")
    if name is None:
        return None
    hooks = tuple(dict.fromkeys(_HOOK.findall(place.text(name))))[:_MAX_JOBS]
    does = f"hooks: {', '.join(hooks)}" if hooks else ""
    return Found(
        "pre-commit",
        stack=("pre-commit",),
        commands=(Command("lint", "pre-commit run --all-files", does),),
    )


def read_pipelines(place: Place) -> Found | None:
    """Read which systems of continuous integration a project uses, and their jobs."""
    pipelines = tuple(_pipelines(place))
    if not pipelines:
        return None
    return Found("CI", pipelines=pipelines)


def _pipelines(place: Place) -> Iterator[Pipeline]:
    for folder, system in _WORKFLOWS.items():
        inner = place.inside(folder)
        names = inner.ending(".yml", ".yaml") if inner is not None else ()
        for name in names[:_MAX_FILES]:
            text = inner.text(name) if inner is not None else ""
            yield _pipeline(system, f"{folder}/{name}", keys_below(text, "jobs"))
    if place.has(".gitlab-ci.yml"):
        keys = _TOP_KEY.findall(place.text(".gitlab-ci.yml"))
        jobs = tuple(key for key in keys if key not in _NOT_JOBS)
        yield _pipeline("GitLab CI", ".gitlab-ci.yml", jobs)
    for path, (system, block) in _KEYED.items():
        folder, _, name = path.rpartition("/")
        where = place.inside(folder) if folder else place
        if where is not None and where.has(name):
            yield _pipeline(system, path, keys_below(where.text(name), block))
    for name in ("azure-pipelines.yml", "azure-pipelines.yaml"):
        if place.has(name):
            jobs = tuple(_AZURE_JOB.findall(place.text(name)))
            yield _pipeline("Azure Pipelines", name, jobs)
    if place.has("Jenkinsfile"):
        stages = tuple(_STAGE.findall(place.text("Jenkinsfile")))
        yield _pipeline("Jenkins", "Jenkinsfile", stages)


def _pipeline(system: str, path: str, jobs: tuple[str, ...]) -> Pipeline:
    return Pipeline(system, path, tuple(dict.fromkeys(jobs))[:_MAX_JOBS])
