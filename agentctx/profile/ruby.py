"""Ruby: Gemfile, gemspec and Rakefile, searched as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found
from agentctx.profile.names import known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "rails": "Rails",
    "sinatra": "Sinatra",
    "hanami": "Hanami",
    "jekyll": "Jekyll",
    "sidekiq": "Sidekiq",
    "rspec": "RSpec",
    "rspec-rails": "RSpec",
    "minitest": "Minitest",
    "rubocop": "RuboCop",
    "standard": "Standard",
    "sorbet": "Sorbet",
    "rake": "Rake",
}

_GEM = re.compile(r"^[ \t]*gem[ \t(]+['\"]([\w-]+)['\"]", re.MULTILINE)
_NEED = re.compile(r"add_(?:development_|runtime_)?dependency[ \t(]+['\"]([\w-]+)['\"]")
_VERSION = re.compile(r"^ruby[ \t(]+['\"]([^'\"\n]+)['\"]", re.MULTILINE)
_REQUIRED = re.compile(r"required_ruby_version[ \t]*=[ \t]*['\"]([^'\"\n]+)['\"]")
_TASK = re.compile(r"^[ \t]*task[ \t(]+:?['\"]?(\w{1,40})", re.MULTILINE)


def read(place: Place) -> Found | None:
    """Read one folder's Ruby manifests."""
    specs = place.ending(".gemspec")
    if not specs and not place.has("Gemfile", "Rakefile", "gems.rb"):
        return None
    gemfile = place.text("Gemfile") + place.text("gems.rb")
    spec = "\n".join(place.text(name) for name in specs[:5])
    needs = {*_GEM.findall(gemfile), *_NEED.findall(spec)}
    asked = _VERSION.search(gemfile) or _REQUIRED.search(spec)
    version = asked[1] if asked else ""
    version = version or place.text(".ruby-version").strip().partition("\n")[0]
    bundled = place.has("Gemfile", "gems.rb")
    return Found(
        "Ruby",
        name=specs[0].removesuffix(".gemspec") if specs else "",
        stack=tuple(
            filter(
                None,
                [
                    f"Ruby {version.removeprefix('ruby-')}".strip(),
                    "Bundler" if bundled else "",
                    *known(needs, LIBRARIES),
                ],
            )
        ),
        commands=tuple(_commands(place, needs)),
        entry_points=tuple(_entry_points(place)),
    )


def _commands(place: Place, needs: set[str]) -> Iterator[Command]:
    bundled = place.has("Gemfile", "gems.rb")
    start = "bundle exec " if bundled else ""
    if bundled:
        yield Command("install", "bundle install")
    tasks = set(_TASK.findall(place.text("Rakefile")))
    if needs & {"rspec", "rspec-rails"} or place.has(".rspec"):
        yield Command("test", f"{start}rspec")
    elif "rails" in needs:
        yield Command("test", "bin/rails test")
    elif "test" in tasks or "Rake::TestTask" in place.text("Rakefile"):
        yield Command("test", f"{start}rake test")
    if "rubocop" in needs or place.has(".rubocop.yml"):
        yield Command("lint", f"{start}rubocop")
        yield Command("format", f"{start}rubocop -a")
    elif "standard" in needs:
        yield Command("lint", f"{start}standardrb")
    if "rails" in needs:
        yield Command("run", "bin/rails server")
    if "build" in tasks or place.ending(".gemspec"):
        yield Command("build", f"{start}rake build")


def _entry_points(place: Place) -> Iterator[str]:
    if place.has("config.ru"):
        yield "config.ru"
    programs = place.inside("exe")
    for name in sorted(programs.files) if programs is not None else ():
        yield f"{name} = exe/{name}"
