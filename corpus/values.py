"""What the path of a hook takes from `typing`, without the cost of loading it.

A hook is a process that a person waits for. Loading `typing`, and making a class with
its `NamedTuple`, costs more than most of what such a process does; type checkers see
the real ones all the same. Values made here behave as the real ones do.
"""

from __future__ import annotations

TYPE_CHECKING = False

OFTEN = 8
"""So many values with names or defaults make it worth to learn to make them quickly."""

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal, NamedTuple, NewType, Protocol, Self, cast
else:
    from collections import _tuplegetter as _field

    _Alias = type(list[int])

    class Literal:
        """Words of which a text is one; `typing.get_args` gives them."""

        def __class_getitem__(cls, words: object) -> object:
            """Give what type checkers, and tests of formats, look at."""
            return _Alias(cls, words if isinstance(words, tuple) else (words,))

    class Protocol:
        """What something has to be able to do; only type checkers look."""

    def NewType(_name: str, _kind: object) -> object:  # noqa: N802 - as it is called
        """Give what takes a value for one of a new kind."""
        return lambda value: value

    def cast(_kind: object, value: object) -> object:
        """Give a value as it is."""
        return value

    class _Tuple(tuple):
        """What every named tuple can do."""

        __slots__ = ()
        _fields = ()
        _field_defaults: Mapping[str, object] = {}

        def __new__(cls, /, *given: object, **named: object) -> Self:
            if named or len(given) != len(cls._fields):
                given = _filled(cls, given, named)
            return tuple.__new__(cls, given)

        @classmethod
        def _make(cls, values: Iterable[object]) -> Self:
            return cls(*values)

        def _replace(self, /, **named: object) -> Self:
            values = [*map(named.pop, self._fields, self)]
            if named:
                message = f"got unexpected field names: {list(named)}"
                raise ValueError(message)
            return tuple.__new__(type(self), values)

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            shown = (f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({', '.join(shown)})"

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

    def _filled(
        cls: type[_Tuple], given: tuple[object, ...], named: Mapping[str, object]
    ) -> tuple[object, ...]:
        """Put named values and defaults behind the given ones."""
        _often[cls] = often = _often.get(cls, 0) + 1
        if often == OFTEN:
            cls.__new__ = staticmethod(_quickly_made(cls))
        rest = cls._fields[len(given) :]
        values = {**cls._field_defaults, **named}
        missing = [name for name in rest if name not in values]
        if len(given) > len(cls._fields) or missing or not named.keys() <= {*rest}:
            message = f"{cls.__name__} takes {cls._fields}; missing: {missing}"
            raise TypeError(message)
        return (*given, *[values[name] for name in rest])

    def _quickly_made(cls: type[_Tuple]) -> Callable[..., _Tuple]:
        """Give what makes a value as the real ones do, which takes a while to make."""
        fields = ", ".join(cls._fields)
        source = f"lambda _cls, {fields}: _new(_cls, ({fields},))"
        made = eval(source, {"_new": tuple.__new__})  # noqa: S307 - names of fields
        made.__defaults__ = tuple(cls._field_defaults.values())
        return made

    _often: dict[type, int] = {}

    class _Named(type):
        """Makes a plain class of what a class statement describes."""

        def __new__(
            cls, name: str, bases: tuple[type, ...], body: dict[str, object]
        ) -> type:
            """Give each field its place; a value in the body is its default."""
            fields = tuple(body.get("__annotations__", ()))
            defaults = {one: body[one] for one in fields if one in body}
            if [*defaults] != [*fields[len(fields) - len(defaults) :]]:
                message = f"a field of {name} without a default follows one with one"
                raise TypeError(message)
            body.update(__slots__=(), __match_args__=fields, _fields=fields)
            body["_field_defaults"] = defaults
            body.update((one, _field(at, "")) for at, one in enumerate(fields))
            return type(name, (_Tuple, *bases[1:]), body)

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})

__all__ = [
    "TYPE_CHECKING",
    "Literal",
    "NamedTuple",
    "NewType",
    "Protocol",
    "cast",
]
