"""PHP: Composer packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.profile.manifests import table, under, word, words
from agentctx.profile.model import Command, Found
from agentctx.profile.names import is_runnable, kind_of, known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "laravel/framework": "Laravel",
    "symfony/framework-bundle": "Symfony",
    "slim/slim": "Slim",
    "cakephp/cakephp": "CakePHP",
    "doctrine/orm": "Doctrine",
    "phpunit/phpunit": "PHPUnit",
    "pestphp/pest": "Pest",
    "phpstan/phpstan": "PHPStan",
    "larastan/larastan": "PHPStan",
    "vimeo/psalm": "Psalm",
    "friendsofphp/php-cs-fixer": "PHP-CS-Fixer",
    "laravel/pint": "Pint",
    "squizlabs/php_codesniffer": "PHP_CodeSniffer",
}

_TOOLS = {
    "Pest": Command("test", "vendor/bin/pest"),
    "PHPUnit": Command("test", "vendor/bin/phpunit"),
    "PHPStan": Command("typecheck", "vendor/bin/phpstan analyse"),
    "Psalm": Command("typecheck", "vendor/bin/psalm"),
    "PHP-CS-Fixer": Command("format", "vendor/bin/php-cs-fixer fix"),
    "Pint": Command("format", "vendor/bin/pint"),
    "PHP_CodeSniffer": Command("lint", "vendor/bin/phpcs"),
}


def read(place: Place) -> Found | None:
    """Read one folder's `composer.json`."""
    if not place.has("composer.json"):
        return None
    composer = place.json("composer.json")
    needs = {
        name
        for kind in ("require", "require-dev")
        for name in table(composer.get(kind))
    }
    version = word(under(composer, "require", "php"))
    libraries = known(needs, LIBRARIES)
    return Found(
        "PHP",
        name=word(composer.get("name")),
        stack=(f"PHP {version}".strip(), "Composer", *libraries),
        commands=tuple(_commands(place, composer, libraries)),
        entry_points=tuple(_entry_points(place, composer)),
    )


def _commands(
    place: Place, composer: Mapping[str, object], libraries: tuple[str, ...]
) -> Iterator[Command]:
    yield Command("install", "composer install")
    for name, body in table(composer.get("scripts")).items():
        if is_runnable(name) and not name.startswith(("pre-", "post-")):
            does = word(body) or " && ".join(words(body))
            yield Command(kind_of(name), f"composer {name}", does)
    for called, command in _TOOLS.items():
        if called in libraries:
            yield command
    if place.has("artisan"):
        yield Command("run", "php artisan serve")


def _entry_points(place: Place, composer: Mapping[str, object]) -> Iterator[str]:
    binary = composer.get("bin")
    yield from words(binary) or filter(None, [word(binary)])
    if place.has("artisan"):
        yield "artisan"
    public = place.inside("public")
    if public is not None and public.has("index.php"):
        yield "public/index.php"
