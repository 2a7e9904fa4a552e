"""Java and Kotlin: Maven and Gradle. Build files are searched, never evaluated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.model import Command, Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.profile.manifests import Place

LIBRARIES = {
    "spring-boot": "Spring Boot",
    "springframework.boot": "Spring Boot",
    "springframework": "Spring",
    "quarkus": "Quarkus",
    "micronaut": "Micronaut",
    "io.ktor": "Ktor",
    "com.android": "Android",
    "androidx.compose": "Jetpack Compose",
    "hibernate": "Hibernate",
    "junit-jupiter": "JUnit 5",
    "junit": "JUnit",
    "kotest": "Kotest",
    "mockito": "Mockito",
    "testcontainers": "Testcontainers",
    "spotless": "Spotless",
    "checkstyle": "Checkstyle",
    "ktlint": "ktlint",
    "detekt": "detekt",
}

_BUILDS = ("build.gradle.kts", "build.gradle")
_SETTINGS = ("settings.gradle.kts", "settings.gradle")
_XML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MODULE = re.compile(r"<module>\s*([^<>\s]+)\s*</module>")
_RELEASE = re.compile(
    r"<(?:maven\.compiler\.(?:release|source|target)|java\.version|release)>"
    r"\s*(?:1\.)?(\d+)\s*<"
)
_NESTED = re.compile(
    r"<(parent|dependencies|dependencyManagement|build|profiles|modules)>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<>\s]+)\s*</artifactId>")
_MAIN_CLASS = re.compile(r"<mainClass>\s*([\w.$]+)\s*</mainClass>")
_TOOLCHAIN = re.compile(
    r"(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*(\d+)"
    r"|(?:sourceCompatibility|targetCompatibility)\b\D{0,40}?(?:1\.)?(\d+)"
)
_GRADLE_MAIN = re.compile(r"\bmainClass(?:Name)?\b[^'\"\n]{0,20}['\"]([\w.$]+)['\"]")
_GRADLE_NAME = re.compile(r"rootProject\.name\s*=\s*['\"]([^'\"\n]+)['\"]")
_INCLUDE = re.compile(r"^[ \t]*include\b[ \t]*\(?([^\n)]*)", re.MULTILINE)
_COMMENT = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|//[^\n]*|/\*.*?(?:\*/|\Z)""",
    re.DOTALL,
)
_QUOTED = re.compile(r"['\"]:?([\w.:-]+)['\"]")


def read_maven(place: Place) -> Found | None:
    """Read one folder's `pom.xml`."""
    if not place.has("pom.xml"):
        return None
    text = _XML_COMMENT.sub("", place.text("pom.xml"))
    own = _NESTED.sub("", text)
    artifact = _ARTIFACT.search(own)
    release = _RELEASE.search(text)
    kotlin = "kotlin-maven-plugin" in text
    run = "./mvnw" if place.has("mvnw") else "mvn"
    commands = [
        Command("install", f"{run} install -DskipTests"),
        Command("build", f"{run} package"),
        Command("test", f"{run} test"),
    ]
    if "spring-boot-maven-plugin" in text:
        commands.append(Command("run", f"{run} spring-boot:run"))
    if "spotless-maven-plugin" in text:
        commands.append(Command("format", f"{run} spotless:apply"))
    if "maven-checkstyle-plugin" in text:
        commands.append(Command("lint", f"{run} checkstyle:check"))
    java = f"Java {release[1]}" if release else "Java"
    stack = [java, "Kotlin" if kotlin else "", "Maven", *_libraries(text)]
    return Found(
        "Maven",
        name=artifact[1] if artifact else "",
        stack=tuple(filter(None, stack)),
        commands=tuple(commands),
        entry_points=tuple(f"main = {one}" for one in _MAIN_CLASS.findall(text)),
        patterns=tuple(_MODULE.findall(text)),
    )


def read_gradle(place: Place) -> Found | None:
    """Read one folder's Gradle build and settings."""
    if not place.has(*_BUILDS, *_SETTINGS):
        return None
    build = _without_comments("".join(map(place.text, _BUILDS)))
    settings = _without_comments("".join(map(place.text, _SETTINGS)))
    catalog = place.inside("gradle")
    versions = catalog.text("libs.versions.toml") if catalog is not None else ""
    text = f"{build}\n{settings}\n{versions}"
    toolchain = _TOOLCHAIN.search(build)
    release = (toolchain[1] or toolchain[2]) if toolchain else ""
    kotlin = place.has(_BUILDS[0]) and "kotlin" in text
    name = _GRADLE_NAME.search(settings)
    run = "./gradlew" if place.has("gradlew") else "gradle"
    return Found(
        "Gradle",
        name=name[1] if name else "",
        stack=tuple(
            filter(
                None,
                [
                    f"Java {release}".strip(),
                    "Kotlin" if kotlin or "org.jetbrains.kotlin" in text else "",
                    "Gradle",
                    *_libraries(text),
                ],
            )
        ),
        commands=tuple(_gradle_commands(run, text)),
        entry_points=tuple(f"main = {one}" for one in _GRADLE_MAIN.findall(build)),
        patterns=tuple(_included(settings)),
    )


def _gradle_commands(run: str, text: str) -> Iterator[Command]:
    yield Command("build", f"{run} build")
    yield Command("test", f"{run} test")
    yield Command("check", f"{run} check")
    if "spring-boot" in text or "org.springframework.boot" in text:
        yield Command("run", f"{run} bootRun")
    elif re.search(r"\bapplication\b", text):
        yield Command("run", f"{run} run")
    for tool, kind, task in (
        ("spotless", "format", "spotlessApply"),
        ("ktlint", "lint", "ktlintCheck"),
        ("detekt", "lint", "detekt"),
    ):
        if tool in text:
            yield Command(kind, f"{run} {task}")


def _included(settings: str) -> Iterator[str]:
    """Give the folders of the projects that settings include, also over lines."""
    joined = re.sub(r",\s*\n\s*", ", ", settings)
    joined = re.sub(r"\(\s*\n\s*", "(", joined)
    for listed in _INCLUDE.findall(joined):
        for path in _QUOTED.findall(listed):
            yield path.replace(":", "/").strip("/")


def _without_comments(text: str) -> str:
    return _COMMENT.sub(r"\1", text)


def _libraries(text: str) -> tuple[str, ...]:
    found = {called: None for word, called in LIBRARIES.items() if word in text}
    for special, general in (("JUnit 5", "JUnit"), ("Spring Boot", "Spring")):
        if special in found:
            found.pop(general, None)
    return tuple(found)
