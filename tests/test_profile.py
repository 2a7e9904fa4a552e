"""What a project is made of, how it is built and where it starts, by its manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.manifests import (
    CARGO,
    CMAKE,
    COMPOSER,
    CSPROJ,
    GEMFILE,
    GO,
    GRADLE,
    HATCH,
    JUST,
    MAKE,
    MESON,
    MIX,
    PACKAGE,
    PDM,
    POETRY,
    POM,
    PUBSPEC,
    SETUP_CFG,
    SETUP_PY,
    SLN,
    SWIFT,
    UV,
    profile_of,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A7.3")


class Case(NamedTuple):
    """Files of a project, and what its profile has."""

    files: dict[str, str]
    stack: set[str]
    commands: dict[str, str]
    points: set[str]
    name: str = ""


CASES = {
    "uv": Case(
        {"pyproject.toml": UV, "uv.lock": ""},
        {"Python 3.11+", "uv", "FastAPI", "SQLAlchemy", "pytest", "mypy", "Ruff"},
        {
            "install": "uv sync",
            "build": "uv build",
            "test": "uv run pytest",
            "lint": "uv run ruff check",
            "format": "uv run ruff format",
            "typecheck": "uv run mypy",
        },
        {"widget = widget.cli:main", "widget-ui = widget.ui:main"},
        "widget",
    ),
    "Poetry": Case(
        {"pyproject.toml": POETRY, "manage.py": ""},
        {"Python ^3.10", "Poetry", "Django", "pytest", "Black", "Flake8"},
        {
            "install": "poetry install",
            "build": "poetry build",
            "test": "poetry run pytest",
            "format": "poetry run black .",
            "lint": "poetry run flake8",
            "run": "poetry run python manage.py runserver",
            "typecheck": "poetry run poe typecheck",
            "migrate": "poetry run poe migrate",
        },
        {"widget = widget.cli:main", "other = widget.cli:other", "manage.py"},
        "widget",
    ),
    "PDM": Case(
        {"pyproject.toml": PDM, "noxfile.py": ""},
        {"Python >=3.9,<4", "PDM", "pytest", "nox"},
        {"test": "pdm run pytest", "run": "pdm run start", "lint": "pdm run lint"},
        set(),
        "widget",
    ),
    "Hatch": Case(
        {"pyproject.toml": HATCH},
        {"Python", "Hatch", "pytest", "Ruff"},
        {"test": "hatch run test", "cov": "hatch run cov"},
        set(),
        "widget",
    ),
    "setup.cfg": Case(
        {"setup.cfg": SETUP_CFG, "setup.py": "", "tox.ini": "[tox]"},
        {"Python 3.8+", "Click", "NumPy", "pytest", "tox"},
        {"install": "pip install -e .", "build": "python -m build", "test": "pytest"},
        {"widget = widget.cli:main"},
        "widget",
    ),
    "setup.py": Case(
        {"setup.py": SETUP_PY},
        {"Python"},
        {"install": "pip install -e ."},
        {"widget = widget.cli:main", "two = w:two"},
    ),
    "requirements": Case(
        {
            "requirements.txt": "Flask==3\n# no\n-r other.txt\n",
            "requirements-dev.txt": "pytest\n",
            ".python-version": "3.12\n",
            ".flake8": "",
        },
        {"Python 3.12", "Flask", "pytest", "Flake8"},
        {"install": "pip install -r requirements.txt", "lint": "flake8"},
        set(),
    ),
    "Django": Case(
        {"manage.py": "", "environment.yml": "name: x"},
        {"Python"},
        {
            "test": "python manage.py test",
            "install": "conda env create -f environment.yml",
        },
        {"manage.py"},
    ),
    "nox": Case({"noxfile.py": ""}, {"Python", "nox"}, {"test": "nox"}, set()),
    "tox": Case({"tox.ini": ""}, {"Python", "tox"}, {"test": "tox"}, set()),
    "Pipenv": Case(
        {"Pipfile": '[packages]\nflask = "*"\n[dev-packages]\npytest = "*"\n'},
        {"Pipenv", "Flask", "pytest"},
        {"install": "pipenv install --dev", "test": "pipenv run pytest"},
        set(),
    ),
    "npm": Case(
        {"package.json": PACKAGE, "package-lock.json": "{}"},
        {"Node >=20", "TypeScript", "npm", "Next.js", "React", "Vitest", "ESLint"},
        {
            "install": "npm install",
            "test": "npm test",
            "run": "npm start",
            "format": "npm run format",
            "prettier": "npm run prettier",
            "typecheck": "npm run type-check",
            "db:migrate": "npm run db:migrate",
        },
        {"widget = dist/cli.js", "main = dist/index.js", "exports = ./dist/index.js"},
        "@acme/widget",
    ),
    "Yarn": Case(
        {"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""},
        {"Node", "JavaScript", "Yarn"},
        {"install": "yarn install", "test": "yarn test"},
        set(),
    ),
    "pnpm": Case(
        {"package.json": '{"packageManager": "pnpm@9.1.0"}', ".nvmrc": "v22\n"},
        {"Node v22", "pnpm"},
        {"install": "pnpm install"},
        set(),
    ),
    "Bun": Case(
        {"package.json": '{"bin": {"a": "a.ts", "b": 1}}', "bun.lock": ""},
        {"Bun"},
        {"install": "bun install"},
        {"a = a.ts"},
    ),
    "Deno": Case(
        {
            "deno.jsonc": '{ // what\n "name": "@a/w", "tasks": {"dev": "deno run x", '
            '"b": {"command": "c"}},'
            ' "exports": {".": "./mod.ts"}, "imports": {"h": "npm:hono@^4",}, }'
        },
        {"Deno", "Hono"},
        {"dev": "deno task dev", "test": "deno test", "b": "deno task b"},
        {"./mod.ts"},
        "@a/w",
    ),
    "Rust": Case(
        {"Cargo.toml": CARGO, "src/main.rs": "", "src/lib.rs": ""},
        {"Rust 1.75+", "edition 2021", "Cargo", "Tokio", "clap", "proptest"},
        {"build": "cargo build", "lint": "cargo clippy", "run": "cargo run"},
        {
            "tool = src/tool.rs",
            "other = src/bin/other.rs",
            "widget = src/main.rs",
            "lib widget = src/lib.rs",
        },
        "widget",
    ),
    "Go": Case(
        {
            "go.mod": GO,
            "cmd/srv/main.go": "",
            "cmd/none/x.txt": "",
            ".golangci.yml": "",
        },
        {"Go 1.22.1", "Cobra", "Echo", "Testify", "golangci-lint"},
        {
            "test": "go test ./...",
            "run": "go run ./cmd/srv",
            "lint": "golangci-lint run",
        },
        {"srv = ./cmd/srv"},
        "widget",
    ),
    "Go program": Case(
        {"go.mod": "module widget\n", "main.go": ""},
        {"Go"},
        {"lint": "go vet ./...", "run": "go run ."},
        {"main = ."},
        "widget",
    ),
    "Maven": Case(
        {"pom.xml": POM, "mvnw": ""},
        {"Java 21", "Maven", "Spring Boot", "JUnit 5", "Spotless", "Checkstyle"},
        {
            "test": "./mvnw test",
            "run": "./mvnw spring-boot:run",
            "format": "./mvnw spotless:apply",
            "lint": "./mvnw checkstyle:check",
        },
        {"main = org.acme.Widget"},
        "widget",
    ),
    "Gradle": Case(
        {
            "build.gradle.kts": GRADLE,
            "settings.gradle.kts": 'rootProject.name = "widget"\n',
            "gradlew": "",
            "gradle/libs.versions.toml": 'ktlint = "1"',
        },
        {"Java 17", "Kotlin", "Gradle", "JUnit 5", "ktlint"},
        {
            "build": "./gradlew build",
            "run": "./gradlew run",
            "lint": "./gradlew ktlintCheck",
        },
        {"main = org.acme.WidgetKt"},
        "widget",
    ),
    "Gradle in Groovy": Case(
        {
            "build.gradle": "sourceCompatibility = '1.8'\nid 'org.springframework.boot'"
            "\ndetekt {}\n"
        },
        {"Java 8", "Gradle", "detekt", "Spring Boot"},
        {"run": "gradle bootRun", "lint": "gradle detekt"},
        set(),
    ),
    ".NET solution": Case(
        {
            "Widget.sln": SLN,
            "src/Api/Api.csproj": CSPROJ,
            "global.json": '{"sdk": {"version": "9.0.100"}}',
        },
        {".NET 9.0.100", "C#", "net8.0", "net9.0", "ASP.NET Core", "xUnit"},
        {"test": "dotnet test", "run": "dotnet run --project src/Api/Api.csproj"},
        {"Api = src/Api/Api.csproj"},
        "Widget",
    ),
    ".NET project": Case(
        {"My App.fsproj": "<Project Sdk='x'><OutputType>Exe</OutputType></Project>"},
        {".NET", "F#"},
        {"build": "dotnet build", "run": "dotnet run"},
        {"My App = My App.fsproj"},
    ),
    "Rails": Case(
        {"Gemfile": GEMFILE, "config.ru": ""},
        {"Ruby 3.3.0", "Bundler", "Rails", "RSpec", "RuboCop"},
        {
            "install": "bundle install",
            "test": "bundle exec rspec",
            "lint": "bundle exec rubocop",
            "run": "bin/rails server",
        },
        {"config.ru"},
    ),
    "Ruby gem": Case(
        {
            "widget.gemspec": "s.required_ruby_version = '>= 3.1'\n"
            "s.add_development_dependency 'standard'\n",
            "Rakefile": "task :test do\nend",
            "exe/widget": "",
        },
        {"Ruby >= 3.1", "Standard"},
        {"test": "rake test", "build": "rake build", "lint": "standardrb"},
        {"widget = exe/widget"},
        "widget",
    ),
    "Rails without RSpec": Case(
        {"Gemfile": "gem 'rails'", ".ruby-version": "ruby-3.2.1\n"},
        {"Ruby 3.2.1", "Rails"},
        {"test": "bin/rails test"},
        set(),
    ),
    "PHP": Case(
        {"composer.json": COMPOSER, "artisan": "", "public/index.php": ""},
        {"PHP ^8.2", "Composer", "Laravel", "PHPUnit", "PHPStan"},
        {
            "install": "composer install",
            "test": "vendor/bin/phpunit",
            "typecheck": "vendor/bin/phpstan analyse",
            "lint": "composer lint",
            "run": "composer start",
        },
        {"bin/widget", "artisan", "public/index.php"},
        "acme/widget",
    ),
    "CMake": Case(
        {"CMakeLists.txt": CMAKE, "vcpkg.json": "{}", ".clang-tidy": ""},
        {"C++ 20", "CMake", "vcpkg"},
        {
            "install": "cmake -S . -B build",
            "build": "cmake --build build",
            "test": "ctest --test-dir build",
            "lint": "clang-tidy -p build",
        },
        {"widget = CMake target"},
        "widget",
    ),
    "CMake presets": Case(
        {"CMakeLists.txt": "", "CMakePresets.json": "{}", "conanfile.txt": ""},
        {"C/C++", "CMake", "Conan"},
        {"install": "cmake --preset default"},
        set(),
    ),
    "Meson": Case(
        {"meson.build": MESON},
        {"C 17", "C++ 20", "Meson"},
        {"test": "meson test -C build"},
        {"widget = Meson target"},
        "widget",
    ),
    "Autotools": Case(
        {"configure.ac": ""},
        {"C/C++", "Autotools"},
        {"install": "autoreconf -i", "build": "make"},
        set(),
    ),
    "compile database": Case({"compile_commands.json": "[]"}, {"C/C++"}, {}, set()),
    "Bazel": Case({"MODULE.bazel": ""}, {"Bazel"}, {"test": "bazel test //..."}, set()),
    "Elixir": Case(
        {"mix.exs": MIX},
        {"Elixir ~> 1.16", "Mix", "Phoenix", "Credo", "Dialyxir"},
        {"run": "mix phx.server", "lint": "mix credo", "typecheck": "mix dialyzer"},
        {"application = Widget.Application"},
        "widget",
    ),
    "Swift": Case(
        {"Package.swift": SWIFT, ".swiftlint.yml": ""},
        {"Swift 5.9", "Swift Package Manager", "SwiftLint"},
        {"test": "swift test", "run": "swift run widget", "lint": "swiftlint"},
        {"widget = Sources/widget"},
        "Widget",
    ),
    "Xcode": Case({"App.xcodeproj/x": ""}, {"Xcode"}, {}, set(), "App"),
    "Flutter": Case(
        {"pubspec.yaml": PUBSPEC, "lib/main.dart": ""},
        {"Dart >=3.4.0 <4.0.0", "Flutter", "Bloc"},
        {"install": "flutter pub get", "run": "flutter run", "lint": "flutter analyze"},
        {"lib/main.dart", "tool = bin/tool.dart"},
        "widget",
    ),
    "Dart": Case(
        {"pubspec.yaml": "name: w"}, {"Dart"}, {"test": "dart test"}, set(), "w"
    ),
    "Make": Case(
        {"Makefile": MAKE},
        {"Make"},
        {
            "test": "make test",
            "format": "make fmt",
            "lint": "make lint",
            "help": "make help",
        },
        set(),
    ),
    "just": Case(
        {"justfile": JUST},
        {"just"},
        {"test": "just test", "build": "just build"},
        set(),
    ),
    "Task": Case(
        {"Taskfile.yml": "version: '3'\nvars:\n  A: b\ntasks:\n  test:\n    x: y\n"},
        {"Task"},
        {"test": "task test"},
        set(),
    ),
    "mise": Case(
        {"mise.toml": '[tasks.test]\nrun = "pytest"\n'},
        {"mise"},
        {"test": "mise run test"},
        set(),
    ),
    "containers": Case(
        {
            "Dockerfile": 'FROM x\nCMD a\nENTRYPOINT ["serve"]\n',
            "compose.yaml": "services:\n  web:\n    image: x\n  db:\n    image: y\n",
            "Procfile": "web: gunicorn app\n",
        },
        {"Docker", "Docker Compose"},
        {"image": "docker build .", "services": "docker compose up"},
        {'Dockerfile = ["serve"]', "web = gunicorn app"},
    ),
    "pre-commit": Case(
        {".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff\n"},
        {"pre-commit"},
        {"lint": "pre-commit run --all-files"},
        set(),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_project_is_known_by_its_manifests(tmp_path: Path, case: Case) -> None:
    found = profile_of(tmp_path, case.files)
    assert found.problems == ()
    assert case.stack <= set(found.stack)
    assert case.commands.items() <= found.commands.items()
    assert case.points <= set(found.entry_points)
    assert found.name == (case.name or tmp_path.name)


def test_only_commands_that_can_be_given_are_listed(tmp_path: Path) -> None:
    found = profile_of(tmp_path, CASES["npm"].files)
    assert set(found.commands) == {*CASES["npm"].commands}
    made = profile_of(tmp_path / "m", {"Makefile": MAKE})
    assert set(made.commands) == {"test", "format", "lint", "help"}
    just = profile_of(tmp_path / "j", {"justfile": JUST})
    assert set(just.commands) == {"test", "build"}


def test_the_same_files_give_the_same_profile(tmp_path: Path) -> None:
    files = {**CASES["uv"].files, **CASES["npm"].files, **CASES["Rust"].files}
    one = profile_of(tmp_path / "a" / "p", files)
    two = profile_of(tmp_path / "b" / "p", dict(reversed(files.items())))
    assert one == two
