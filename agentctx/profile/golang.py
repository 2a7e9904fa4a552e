"""Go: modules and workspaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "github.com/gin-gonic/gin": "Gin",
    "github.com/labstack/echo": "Echo",
    "github.com/gofiber/fiber": "Fiber",
    "github.com/go-chi/chi": "chi",
    "github.com/spf13/cobra": "Cobra",
    "google.golang.org/grpc": "gRPC",
    "gorm.io/gorm": "GORM",
    "github.com/stretchr/testify": "Testify",
    "github.com/onsi/ginkgo": "Ginkgo",
    "k8s.io/client-go": "client-go",
}

_MODULE = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)
_VERSION = re.compile(r"^go[ \t]+(\d+(?:\.\d+)*)", re.MULTILINE)
_REQUIRED = re.compile(r"^(?:require)?[ \t]+(\S+)[ \t]+v\d", re.MULTILINE)
_MAJOR = re.compile(r"/v\d+$")
_LINTERS = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
_MAX_PROGRAMS = 20


def read(place: Place) -> Found | None:
    """Read one folder's `go.mod` and `go.work`."""
    if not place.has("go.mod", "go.work"):
        return None
    text = place.text("go.mod")
    work = place.text("go.work")
    module = _MODULE.search(text)
    version = _VERSION.search(text) or _VERSION.search(work)
    needs = {_MAJOR.sub("", name) for name in _REQUIRED.findall(text)}
    linted = place.has(*_LINTERS)
    stack = [
        f"Go {version[1]}" if version else "Go",
        "Go workspace" if work else "",
        *known(needs, LIBRARIES),
        "golangci-lint" if linted else "",
    ]
    programs = tuple(_programs(place))
    commands = [
        Command("build", "go build ./..."),
        Command("test", "go test ./..."),
        Command("lint", "golangci-lint run" if linted else "go vet ./..."),
        Command("format", "gofmt -w ."),
    ]
    if programs:
        commands.append(Command("run", f"go run {programs[0][1]}"))
    return Found(
        "Go",
        name=_MAJOR.sub("", module[1]).rpartition("/")[2] if module else "",
        stack=tuple(filter(None, stack)),
        commands=tuple(commands),
        entry_points=tuple(f"{name} = {path}" for name, path in programs),
        patterns=tuple(_used(work)),
    )


def _programs(place: Place) -> Iterator[tuple[str, str]]:
    if place.has("main.go"):
        yield "main", "."
    folder = place.inside("cmd")
    names = folder.folders if folder is not None else ()
    for name in names[:_MAX_PROGRAMS]:
        inner = place.inside(f"cmd/{name}")
        if inner is not None and inner.ending(".go"):
            yield name, f"./cmd/{name}"


def _used(work: str) -> Iterator[str]:
    """Give the modules that `go.work` names, one a line or in one block."""
    block = False
    for line in work.split("\n"):
        bare = line.partition("//")[0].split()
        if bare[:1] == ["use"] and bare[1:] == ["("]:
            block = True
        elif bare == [")"]:
            block = False
        elif bare[:1] == ["use"] and len(bare) > 1:
            yield bare[1].strip('"')
        elif block and bare:
            yield bare[0].strip('"')
