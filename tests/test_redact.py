from __future__ import annotations

import importlib
import re
import string
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx import redact as module
from agentctx.redact import Fired, contains_secret, redact
from agentctx.secretrules import RULES, TABLE_DATE
from tests.quality.secrets.made import made
from tests.quality.secrets.negatives import NEGATIVES
from tests.quality.secrets.positives import POSITIVES, is_gone

if TYPE_CHECKING:
    from agentctx.secretrules import Rule

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
MARK = re.compile(r"\[redacted:[a-z0-9-]+\]")
TOKEN = made("ghp_<A36>", "a test")
PASSWORD = made("<P14>", "a test")

PIECES = (
    *("swordfish", "letmein", "hunter2", " / pass ", "login ", "the password is "),
    *(
        "user admin, ",
        " for the db: ",
        " to ",
        "| ",
        "set_password(",
        " as my password",
    ),
    TOKEN,
    PASSWORD,
    made("sk-ant-api03-<W93>", "a test"),
    made("eyJhbGciOiJIUzI1NiJ9.eyJzdWIi<A40>.<W43>", "a test"),
    "-----BEGIN RSA PRIVATE" + " KEY-----\n",
    "-----END RSA PRIVATE" + " KEY-----\n",
    made("<K2>\n", "a test"),
    *(
        "password",
        "=",
        ": ",
        '"',
        "'",
        "`",
        "\\n",
        "\\",
        "\n",
        " ",
        " is ",
        "token",
        "key",
    ),
    *("api_", "https://", "user:", "@host", "Bearer ", "Authorization: ", "Cookie: a="),
    *(
        "пароль",
        "密码",
        "パスワード",
        "[redacted:",
        "[redacted:x]",
        "]",
        "--",
        "-p",
        "mysql",
    ),
    *(
        "\x00",
        "\ud800",
        "\udfff",
        "\u0130",
        "é",
        "漢",
        "<",
        ">",
        "{",
        "}",
        "(",
        ")",
        ",",
    ),
)


def texts() -> st.SearchStrategy[str]:
    """Give texts that are put together from what the rules look for."""
    return st.lists(
        st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14
    ).map("".join)


@pytest.mark.requirement("A10.1")
def test_secrets_of_every_kind_are_replaced_and_leave_no_piece() -> None:
    missed = [
        each.name
        for each in POSITIVES
        if not is_gone(each.secret, redact(each.text).text)
    ]
    print(f"secrets: {len(POSITIVES)} texts, {len(missed)} missed")
    assert len(POSITIVES) >= 300
    assert len(missed) <= 0.02 * len(POSITIVES), missed


@pytest.mark.requirement("A10.1")
def test_texts_that_only_speak_of_secrets_stay_as_they_are() -> None:
    changed = [text for text in NEGATIVES if redact(text) != (text, ())]
    print(f"harmless texts: {len(NEGATIVES)}, {len(changed)} changed")
    assert len(NEGATIVES) >= 150
    assert len(changed) <= 0.01 * len(NEGATIVES), changed


@pytest.mark.requirement("A10.1")
def test_real_documents_are_hardly_ever_changed() -> None:
    if not DATA.is_dir():
        pytest.skip("the collected documents are not here")
    lines = changed = 0
    for path in sorted(DATA.rglob("*.md")):
        text = path.read_bytes().decode("utf-8-sig", "replace")
        lines += sum(not line.isspace() for line in text.splitlines() if line)
        if contains_secret(text):
            marks = MARK.findall(redact(text).text)
            changed += len(marks) - len(MARK.findall(text))
    print(f"documents: {lines} lines, {changed} changed")
    assert lines > 100_000
    assert changed <= 0.001 * lines


@pytest.mark.requirement("A10.1")
def test_the_receipt_says_which_rules_fired_and_how_often() -> None:
    text = f"{TOKEN} and {TOKEN}\npassword = {PASSWORD}\n"
    assert redact(text) == (
        (
            "[redacted:github-token] and [redacted:github-token]\n"
            "password = [redacted:named-password]\n"
        ),
        (Fired("github-token", 2), Fired("named-password", 1)),
    )


@pytest.mark.requirement("A10.1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"postgres://app:{PASSWORD}@db.internal/app?a=1",
            "postgres://app:[redacted:url-password]@db.internal/app?a=1",
            id="URL",
        ),
        pytest.param(
            f"password={TOKEN}", "password=[redacted:github-token]", id="shape names it"
        ),
        pytest.param(f"\ud800\x00{TOKEN}\udfff", None, id="surrogates and NUL"),
        pytest.param(f"%3D{TOKEN}%26", None, id="URL-encoded"),
        pytest.param(f"a\\n{TOKEN}\\nb", None, id="escaped line end"),
        pytest.param(f"\x1b[31m{TOKEN}\x1b[0m", None, id="colour"),
        pytest.param(f"\r\n\t{TOKEN}\r\n\u2028", None, id="line ends"),
        pytest.param(f"\u0130 {TOKEN} \u0130", None, id="letter that lowers to two"),
    ],
)
def test_everything_around_a_secret_stays(text: str, expected: str | None) -> None:
    plain = text.replace(TOKEN, "[redacted:github-token]")
    assert redact(text).text == (plain if expected is None else expected)


@pytest.mark.requirement("A10.1")
@given(texts())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == (once.text, ())
    assert contains_secret(text) == bool(once.fired)
    assert not contains_secret(once.text)


@given(texts())
def test_only_whole_spans_are_replaced(text: str) -> None:
    """What stands between the marks stood in the text, in the same order."""
    at = 0
    for kept in MARK.split(redact(text).text):
        found = text.find(kept, at)
        assert found >= 0 or MARK.search(text)
        at = max(at, found + len(kept))


HOSTILE = (
    *(
        "a",
        "=",
        '"',
        "'",
        "`",
        "\\",
        "\n",
        "-",
        "<",
        "{",
        "\x00",
        "\ud800",
        "密码",
        "a-",
    ),
    *("token is is is is ", "password=letmein ", "login a / pass ", "is password "),
    *("pwd ", "secret is ", "пароль это ", "密码是", "password for is ", "api key is "),
    *("pw=", "password=", "password: ", 'key="', "token=aB3", "password is ", "pass("),
    *(
        "sk-",
        "ghp_",
        "-eyJ",
        "-eyJabcdefgh.",
        "AKIA",
        ":AA",
        "-us",
        "8Q~",
        "MT",
        "key ",
    ),
    *("://", "x://a:b", "a:b@", "Cookie: a=b; ", "bearer ", "mysql -p", "curl -u a:"),
    *("-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----", "echo "),
    *(
        "[redacted:",
        "[redacted:x]",
        "password=[redacted:x]",
        "mnemonic abc ",
        "api key ",
    ),
)


def calls_to_redact(text: str) -> int:
    """Count the calls that redacting makes, those into the library included."""
    count = 0

    def saw(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(saw)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.requirement("A10.1")
@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_the_text_is_at_most_twice_the_work(unit: str) -> None:
    """Of what is added: what every text costs is left out."""
    size = 4_000 // len(unit)
    redact(unit * size)
    once, twice, again = (calls_to_redact(unit * size * times) for times in (1, 2, 4))
    assert again - twice <= 2.2 * (twice - once) + 200


@pytest.mark.requirement("A10.1")
@pytest.mark.parametrize("unit", ["a", "=", '"', "-eyJabcdefgh.", "pw=", "x://a:b"])
def test_a_secret_after_a_line_of_a_megabyte_is_found(unit: str) -> None:
    text = unit * (1_000_000 // len(unit)) + "\n"
    assert redact(f"{text}{TOKEN}").text.endswith("\n[redacted:github-token]")


Parsed = Any
"""What the library's own parser gives for a pattern; it declares no types."""


def may_fail(node: Parsed) -> bool:
    """Say whether a node asks for anything: what is optional never fails."""
    return not (str(node[0]).endswith("REPEAT") and node[1][0] == 0)


def failing_repeats(pattern: Parsed, *, followed: bool) -> int:
    """Count the repeats without a bound that something which may fail follows."""
    found = 0
    items = list(pattern)
    for place, (operation, argument) in enumerate(items):
        after = followed or any(map(may_fail, items[place + 1 :]))
        name = str(operation)
        if name.endswith("REPEAT"):
            low, high, body = argument
            found += int(high) >= 2**32 - 1 and after
            found += failing_repeats(body, followed=after or int(high) > max(1, low))
            found += low > 1 and failing_repeats(body, followed=True)
        elif name == "SUBPATTERN":
            found += failing_repeats(argument[-1], followed=after)
        elif name == "BRANCH":
            found += sum(failing_repeats(one, followed=after) for one in argument[1])
    return found


@pytest.mark.requirement("A10.1")
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_dated_sourced_and_never_backtracks_far(rule: Rule) -> None:
    parser = importlib.import_module("re._parser")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", rule.since)
    assert rule.since <= TABLE_DATE
    assert rule.source
    assert re.fullmatch(r"[a-z0-9-]{1,40}", rule.name)
    assert all(len(anchor) >= 2 for anchor in rule.anchors)
    # Only the parts of an encrypted web token are followed by one: a dot, in no part.
    repeats = failing_repeats(parser.parse(rule.body), followed=False)
    assert repeats <= (rule.name == "web-token")


def test_a_text_without_anchors_compiles_nothing() -> None:
    code = (
        "import re, sys\n"
        "from agentctx.redact import redact\n"
        "made = []\n"
        "whole = re.compile\n"
        "re.compile = lambda *a, **k: made.append(a) or whole(*a, **k)\n"
        "redact('The quick brown fox jumps over the lazy dog. ' * 100)\n"
        "sys.exit(len(made))\n"
    )
    root = Path(module.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert done.returncode == 0


@given(st.text(alphabet=string.ascii_lowercase + " .,\n", max_size=200))
def test_lower_case_words_are_never_changed(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufe0f", "\u2060", "\u3164"])
def test_a_secret_that_invisible_characters_take_apart_is_found(hidden: str) -> None:
    whole = "ghp_" + "k3Jd92mQx7RtYb4LwPzN8sVcHf1GaE6uOi5T"
    found = redact(f"the token is {whole[:9]}{hidden}{whole[9:]} today")
    assert whole[9:] not in found.text
    assert found.fired
    assert redact(f"a {hidden}family").text == f"a {hidden}family"
