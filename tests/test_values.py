"""The light stand-ins behave as what they stand for."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
import typing

import pytest

from corpus.checksum import sha256
from corpus.patterns import pattern
from corpus.values import OFTEN, Literal, NamedTuple, NewType, cast


class Light(NamedTuple):
    """A value."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        return f"{self.name}:{self.size}"

    @classmethod
    def named(cls, name: str) -> Light:
        return cls(name)


class Real(typing.NamedTuple):
    """A value."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = ()


GIVEN: list[tuple[tuple[object, ...], dict[str, object]]] = [
    (("a",), {}),
    (("a", 2), {}),
    (("a", 2, ("x",)), {}),
    (("a",), {"tags": ("x",)}),
    ((), {"size": 3, "name": "b"}),
]
REFUSED: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((), {}),
    (("a", 2, (), 4), {}),
    (("a",), {"name": "b"}),
    (("a",), {"colour": "red"}),
    ((), {"size": 3}),
]


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize(("given", "named"), GIVEN)
def test_a_light_value_is_made_and_seen_as_a_real_one(
    given: tuple[object, ...], named: dict[str, object]
) -> None:
    make = typing.cast("typing.Any", Light)
    made = {typing.cast("Light", make(*given, **named)) for _ in range(2 * OFTEN)}
    (light,) = made  # the first as the last
    real = typing.cast("typing.Any", Real)(*given, **named)
    assert light == real
    assert hash(light) == hash(real)
    assert repr(light) == repr(real).replace("Real", "Light")
    assert light._asdict() == real._asdict()
    assert light._replace(size=9) == real._replace(size=9)
    assert (light.name, light.size, light.tags) == tuple(real)
    assert pickle.loads(pickle.dumps(light)) == light  # noqa: S301 - our own
    assert type(copy.deepcopy(light)) is Light
    assert Light._make(light) == light
    match light:
        case Light(name, size):
            assert (name, size) == (real.name, real.size)


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize(("given", "named"), REFUSED)
@pytest.mark.parametrize("kind", [Light, Real])
def test_a_light_value_refuses_what_a_real_one_does(
    kind: typing.Any,  # noqa: ANN401 - either
    given: tuple[object, ...],
    named: dict[str, object],
) -> None:
    with pytest.raises(TypeError):
        kind(*given, **named)


@pytest.mark.requirement("A4.1")
def test_a_light_value_is_a_plain_tuple_that_nobody_changes() -> None:
    one = Light.named("a")
    assert (type(Light), Light.__mro__[-2:], Light.__doc__) == (
        type,
        (tuple, object),
        "A value.",
    )
    assert (Light._fields, Light._field_defaults) == (
        Real._fields,
        Real._field_defaults,
    )
    assert one.whole == "a:1"
    for name in ("name", "colour"):
        with pytest.raises(AttributeError):
            setattr(one, name, "b")
    with pytest.raises(ValueError, match="colour"):
        one._replace(colour="red")  # type: ignore[call-arg]  # it is refused
    assert NewType("Id", str)("a") == cast("object", "a") == "a"


@pytest.mark.requirement("A4.1")
def test_a_field_without_default_does_not_follow_one_with_one() -> None:
    with pytest.raises(TypeError):
        typing.cast("typing.Any", type(NamedTuple))(
            "Odd", (NamedTuple,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1}
        )


@pytest.mark.requirement("A4.1")
def test_a_pattern_does_what_a_compiled_one_does() -> None:
    late, now = (
        pattern(r"(a)(b)?", re.IGNORECASE),
        re.compile(r"(a)(b)?", re.IGNORECASE),
    )
    text = "xABa"
    assert late.findall(text) == now.findall(text)
    assert late.sub("-", text) == now.sub("-", text)
    assert late.split(text) == now.split(text)
    assert [one.span() for one in late.finditer(text)] == [(1, 3), (3, 4)]
    assert late.search("c") is late.match("c") is late.fullmatch("c") is None
    with pytest.raises(AttributeError):
        late.unknown  # type: ignore[attr-defined]  # noqa: B018 - it has none


@pytest.mark.requirement("A4.1")
def test_the_checksum_is_the_one_of_hashlib() -> None:
    for content in (b"", b"a", b"x" * 10_000):
        assert sha256(content).digest() == hashlib.sha256(content).digest()


def test_words_can_be_asked_for() -> None:
    assert typing.get_args(Literal["one", "two"]) == ("one", "two")
    assert typing.get_args(Literal["one"]) == ("one",)
