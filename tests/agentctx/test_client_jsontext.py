"""A JSON text is changed in one place, and looks like itself there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.clients.jsontext import Draft, JsonTextError, parse_strictly, undone

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

pytestmark = pytest.mark.requirement("A1.5")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{}", '{\n  "k": [\n    1\n  ]\n}', id="empty"),
        pytest.param("{ }\n", '{\n  "k": [\n    1\n  ]\n}\n', id="empty with a space"),
        pytest.param('{"a":1}', '{"a":1,"k":[1]}', id="compact"),
        pytest.param('{"a": 1}', '{"a": 1, "k": [1]}', id="one line"),
        pytest.param('{ "a": 1 }', '{ "a": 1, "k": [1] }', id="one airy line"),
        pytest.param('{"a" : 1}', '{"a" : 1, "k" : [1]}', id="spaces around colons"),
        pytest.param(
            '{\n  "a": 1\n}', '{\n  "a": 1,\n  "k": [\n    1\n  ]\n}', id="two spaces"
        ),
        pytest.param(
            '{\r\n\t"a": 1\r\n}\r\n',
            '{\r\n\t"a": 1,\r\n\t"k": [\r\n\t\t1\r\n\t]\r\n}\r\n',
            id="tabs and CRLF",
        ),
        pytest.param(
            '{\n\n    "a": {},\n\n    "b": 2\n\n}',
            '{\n\n    "a": {},\n\n    "b": 2,\n    "k": [\n        1\n    ]\n\n}',
            id="blank lines",
        ),
        pytest.param(
            '{\n"a": 1\n}', '{\n"a": 1,\n"k": [\n  1\n]\n}', id="no indentation"
        ),
        pytest.param(
            '{ "a": 1\n, "b": 2\n}',
            '{ "a": 1\n, "b": 2, "k": [1]\n}',
            id="commas in front",
        ),
    ],
)
def test_a_new_member_looks_like_its_neighbours(text: str, expected: str) -> None:
    draft = Draft(text)
    draft.put(("k",), [1])
    assert draft.text == expected
    assert undone(draft.text, draft.edits) == text


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('{"a":1,"b":2}', ("a",), '{"b":2}'),
        ('{"a":1,"b":2}', ("b",), '{"a":1}'),
        ('{ "a": 1 }', ("a",), "{}"),
        ('{\n  "a": 1,\n  "b": 2\n}', ("a",), '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', ("b",), '{\n  "a": 1\n}'),
        ('{"a": [1, 2, 3]}', ("a", 1), '{"a": [1, 3]}'),
        ('{"a": [[], {"b": null}]}', ("a", 1, "b"), '{"a": [[], {}]}'),
        ('{"\\u0061": 1, "b": 2}', ("a",), '{"b": 2}'),
    ],
)
def test_what_is_taken_away_takes_its_comma_along(
    text: str, path: tuple[str | int, ...], expected: str
) -> None:
    draft = Draft(text)
    draft.remove(path)
    assert draft.text == expected
    assert undone(draft.text, draft.edits) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="cut off"),
        pytest.param('{"a": 1} x', id="more after it"),
        pytest.param('{"a": 1,}', id="a comma too many"),
        pytest.param('{// no\n"a": 1}', id="a comment"),
        pytest.param("{'a': 1}", id="other quotes"),
        pytest.param('{"a": NaN}', id="no number"),
        pytest.param('{"a": -Infinity}', id="infinite"),
        pytest.param('{"a": 1, "\\u0061": 2}', id="a key twice"),
        pytest.param('{"x": [{"a": 1, "a": 1}]}', id="a key twice within"),
        pytest.param('{"a": "\n"}', id="a line break in a string"),
        pytest.param('{"a": 01}', id="a zero too many"),
        pytest.param('\u00a0{"a": 1}', id="another space"),
        pytest.param("[" * 200_000, id="nested without end"),
        pytest.param('{"a":' * 100_000 + "1" + "}" * 100_000, id="very deep"),
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        parse_strictly(text)


def test_numbers_of_any_length_and_odd_texts_stay() -> None:
    text = f'{{"n": {"9" * 6000}, "e": 1e9999, "s": "\\ud800 \\/ \u2028"}}'
    assert isinstance(parse_strictly(text), dict)
    draft = Draft(text)
    draft.put(("k",), 1)
    assert draft.text == f'{text[:-1]}, "k": 1}}'


def test_edits_that_are_not_there_are_not_taken_back() -> None:
    draft = Draft('{"a":1}')
    draft.put(("b",), 2)
    assert undone('{"a":1,"b":3}', draft.edits) is None
    assert undone("", draft.edits) is None


SPACES = st.text(" \t\r\n", max_size=3)


@st.composite
def written(draw: Any, value: Any) -> str:  # noqa: ANN401 - any JSON
    """Write a value as JSON with whatever space may stand between its tokens."""

    def space() -> str:
        return str(draw(SPACES))

    if isinstance(value, dict):
        parts = [
            f"{space()}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{space()}:"
            f"{space()}{draw(written(held))}{space()}"
            for key, held in value.items()
        ]
        return f"{{{','.join(parts) or space()}}}"
    if isinstance(value, list):
        items = [f"{space()}{draw(written(held))}{space()}" for held in value]
        return f"[{','.join(items) or space()}]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | KEYS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


@given(st.data())
def test_any_document_takes_a_member_and_gives_it_back(data: st.DataObject) -> None:
    value = data.draw(OBJECTS)
    text = data.draw(SPACES) + data.draw(written(value)) + data.draw(SPACES)
    key = data.draw(KEYS.filter(lambda one: one not in value))
    new = data.draw(VALUES)
    draft = Draft(text)
    draft.put((key,), new)
    assert json.loads(draft.text) == {**value, key: new}
    assert list(json.loads(draft.text)) == [*value, key]
    assert undone(draft.text, draft.edits) == text
    draft.remove((key,))
    assert json.loads(draft.text) == value
    if value:
        assert draft.text == text


@given(st.data())
def test_any_list_takes_an_element_and_loses_any(data: st.DataObject) -> None:
    items = data.draw(st.lists(VALUES, max_size=4))
    text = data.draw(written({"l": items, "z": 0}))
    draft = Draft(text)
    draft.append(("l",), {"x": 1})
    assert json.loads(draft.text) == {"l": [*items, {"x": 1}], "z": 0}
    number = data.draw(st.integers(0, len(items)))
    draft.replace(("l", number), [2])
    left = [*items, {"x": 1}]
    left[number] = [2]
    assert json.loads(draft.text)["l"] == left
    draft.remove(("l", number))
    del left[number]
    assert json.loads(draft.text) == {"l": left, "z": 0}
    assert undone(draft.text, draft.edits) == text
