"""Manifests as projects of many kinds have them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agentctx.profile.detect import detect_profile

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.profile.model import Profile

UV = """
[project]
name = "widget"
requires-python = ">=3.11"
dependencies = ["fastapi>=0.100", "SQLAlchemy[asyncio] ~= 2.0"]
[project.scripts]
widget = "widget.cli:main"
[project.gui-scripts]
widget-ui = "widget.ui:main"
[dependency-groups]
dev = ["pytest>=8", "mypy", {include-group = "lint"}]
lint = ["ruff"]
[build-system]
requires = ["hatchling"]
"""

POETRY = """
[tool.poetry]
name = "widget"
[tool.poetry.dependencies]
python = "^3.10"
Django = "^5.0"
[tool.poetry.group.dev.dependencies]
pytest = "*"
black = "*"
flake8 = "*"
[tool.poetry.scripts]
widget = "widget.cli:main"
other = { callable = "widget.cli:other" }
[tool.poe.tasks]
migrate = "python manage.py migrate"
typecheck = { cmd = "pyright" }
[build-system]
requires = ["poetry-core"]
"""

PDM = """
[project]
name = "widget"
requires-python = ">=3.9,<4"
[tool.pdm.dev-dependencies]
test = ["pytest", "nox"]
[tool.pdm.scripts]
start = "flask run"
lint = { cmd = "pylint src" }
"""

HATCH = """
[project]
name = "widget"
[tool.hatch.envs.default]
dependencies = ["pytest"]
[tool.hatch.envs.default.scripts]
test = "pytest {args}"
cov = ["pytest --cov", "report"]
[tool.ruff]
line-length = 88
"""

SETUP_CFG = """
[metadata]
name = widget
[options]
python_requires = >=3.8
install_requires =
    click
    numpy>=1
[options.extras_require]
dev =
    pytest
[options.entry_points]
console_scripts =
    widget = widget.cli:main
    bad line
[tool:pytest]
addopts = -q
"""

SETUP_PY = """
from setuptools import setup
raise SystemExit("never run")
setup(entry_points={'console_scripts': ['widget=widget.cli:main', "two = w:two"]})
"""

PACKAGE = json.dumps(
    {
        "name": "@acme/widget",
        "engines": {"node": ">=20"},
        "bin": "dist/cli.js",
        "main": "dist/index.js",
        "module": "dist/index.mjs",
        "exports": "./dist/index.js",
        "scripts": {
            "test": "vitest run",
            "start": "node dist/server.js",
            "prettier": "prettier -w .",
            "format": "biome format",
            "type-check": "tsc --noEmit",
            "db:migrate": "prisma migrate dev",
            "pretest": "echo before",
            "prepare": "husky",
            "postinstall": "evil",
            "bad; rm -rf /": "no",
            "empty": "",
        },
        "dependencies": {"next": "15", "react": "19", "express": "4"},
        "devDependencies": {"typescript": "5", "vitest": "3", "eslint": "9"},
    }
)

CARGO = """
[package]
name = "widget"
rust-version = "1.75"
edition = "2021"
[dependencies]
tokio = { version = "1", features = ["full"] }
clap = "4"
[dev-dependencies]
proptest = "1"
[[bin]]
name = "tool"
path = "src/tool.rs"
[[bin]]
name = "other"
"""

GO = """module github.com/acme/widget/v2

go 1.22.1

require (
\tgithub.com/spf13/cobra v1.8.0
\tgithub.com/labstack/echo/v4 v4.11.0 // indirect
)
require github.com/stretchr/testify v1.9.0
"""

POM = """<?xml version="1.0"?>
<!DOCTYPE project [<!ENTITY a "b">]>
<!-- <artifactId>not-this</artifactId> -->
<project>
  <parent><artifactId>spring-boot-starter-parent</artifactId></parent>
  <artifactId>widget</artifactId>
  <properties><java.version>21</java.version></properties>
  <dependencies><dependency><artifactId>junit-jupiter</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId>
   <configuration><mainClass>org.acme.Widget</mainClass></configuration></plugin>
   <plugin><artifactId>spotless-maven-plugin</artifactId></plugin>
   <plugin><artifactId>maven-checkstyle-plugin</artifactId></plugin></plugins></build>
</project>
"""

GRADLE = """
plugins { kotlin("jvm") version "2.0" // id("org.springframework.boot")
  application }
kotlin { jvmToolchain(17) }
/* id("quarkus") */
application { mainClass.set("org.acme.WidgetKt") }
dependencies { testImplementation("org.junit.jupiter:junit-jupiter:5.10") }
"""

CSPROJ = """<Project Sdk="Microsoft.NET.Sdk.Web">
<PropertyGroup><TargetFrameworks>net8.0;net9.0</TargetFrameworks></PropertyGroup>
<ItemGroup><PackageReference Include="xunit" Version="2" /></ItemGroup></Project>"""

SLN = """
Project("{F}") = "Api", "src\\Api\\Api.csproj", "{A}"
Project("{F}") = "Old", "..\\Old\\Old.csproj", "{B}"
"""

GEMFILE = """
source "https://rubygems.org"
ruby "3.3.0"
gem "rails", "~> 7"
gem 'rspec-rails', group: :test
# gem "sinatra"
gem "rubocop"
"""

COMPOSER = json.dumps(
    {
        "name": "acme/widget",
        "require": {"php": "^8.2", "laravel/framework": "^11"},
        "require-dev": {"phpunit/phpunit": "^11", "phpstan/phpstan": "^1"},
        "scripts": {
            "lint": ["pint --test", "phpcs"],
            "post-install-cmd": "x",
            "start": "php -S",
        },
        "bin": ["bin/widget"],
    }
)

CMAKE = """
# project(not)
cmake_minimum_required(VERSION 3.20)
project(widget LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
enable_testing()
add_executable(widget main.cpp)
"""

MESON = """
project('widget', 'c', 'cpp', default_options : ['c_std=c17', 'cpp_std=c++20'])
executable('widget', 'main.c')
"""

MIX = """
defmodule Widget.MixProject do
  def project, do: [app: :widget, elixir: "~> 1.16"]
  def application, do: [mod: {Widget.Application, []}]
  defp deps, do: [{:phoenix, "~> 1.7"}, {:credo, "~> 1.7"}, {:dialyxir, "~> 1.4"}]
end
"""

SWIFT = """// swift-tools-version:5.9
import PackageDescription
let package = Package(
  name: "Widget",
  targets: [.executableTarget(name: "widget"), .testTarget(name: "T")]
)
"""

PUBSPEC = """
name: widget
environment:
  sdk: ">=3.4.0 <4.0.0"
dependencies:
  flutter:
    sdk: flutter
  flutter_bloc: ^8.0.0
executables:
  tool:
"""

MAKE = """
CC := gcc
.PHONY: test lint
test: build/x.o
\tpytest
fmt lint:
\truff
build/x.o: x.c
help::
\techo
"""

JUST = """
set shell := ["bash"]
default_target := "x"
alias t := test
test *args:
  pytest
build target='debug':
  make
_private:
  x
"""


def profile_of(root: Path, files: dict[str, str]) -> Profile:
    """Write a project's files and detect its profile."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return detect_profile(root)
