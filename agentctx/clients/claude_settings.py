"""Our entries in Claude Code's settings: how they are put there, and taken away.

Only entries of ours are touched. What a user wrote stays where it is, in its order,
also where it stands in one matcher group with an entry of ours.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clients.claude_hooks import HOOKS, group_of, is_ours
from agentctx.clients.jsontext import Draft, JsonTextError, parse_strictly

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

HOOKS_KEY = "hooks"
SERVERS_KEY = "mcpServers"

SERVERS: dict[str, dict[str, object]] = {
    "agentctx": {"command": "agentctx", "args": ["mcp"]},
    "agentctx-memory": {"command": "agentctx", "args": ["memory", "mcp"]},
    "project-corpus": {"command": "project-corpus", "args": ["mcp"]},
}
"""Our servers. Claude Code starts one in the folder it has open, so each follows it."""

_GROUPS = {hook.event: group_of(hook) for hook in HOOKS}


def program_of(name: str) -> str:
    """Give the program that a server of ours is."""
    return str(SERVERS[name]["command"])


class Added(NamedTuple):
    """What was put into a file for us: containers, and servers by name.

    `taken` are the names of servers that are somebody else's and stay.
    """

    made: tuple[tuple[str, ...], ...] = ()
    servers: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


def add_hooks(draft: Draft) -> Added:
    """Let every hook of the table stand there once, as the table has it.

    Raises `JsonTextError` where something else stands in the place of hooks.
    """
    whole = (HOOKS_KEY,)
    if not draft.has(whole):
        draft.put(whole, {event: [group] for event, group in _GROUPS.items()})
        return Added(made=(whole, *((HOOKS_KEY, event) for event in _GROUPS)))
    hooks = _object(draft, whole)
    for event in _GROUPS:
        if not isinstance(hooks.get(event, []), list):
            reason = f"its `{HOOKS_KEY}.{event}` is not a list"
            raise JsonTextError(reason)
    made = [path for path in _all_ours(hooks) if len(path) == 1 or path[1] in _GROUPS]
    for event, group in _GROUPS.items():
        path = (HOOKS_KEY, event)
        if event in hooks:
            _settle(draft, path, group)
        else:
            draft.put(path, [group])
            made.append(path)
    for event in hooks:
        if event not in _GROUPS and _take_away(draft, (HOOKS_KEY, event)):
            _drop_if_empty(draft, (HOOKS_KEY, event))
    return Added(made=tuple(made))


def add_servers(draft: Draft) -> Added:
    """Let every server of ours be registered; one of that name that is there stays.

    Raises `JsonTextError` where something else stands in the place of servers.
    """
    whole = (SERVERS_KEY,)
    if not draft.has(whole):
        draft.put(whole, SERVERS)
        return Added(made=(whole,), servers=tuple(SERVERS))
    there = _object(draft, whole)
    added = tuple(name for name in SERVERS if name not in there)
    for name in added:
        draft.put((SERVERS_KEY, name), SERVERS[name])
    taken = tuple(n for n in SERVERS if n in there and not _starts_us(n, there[n]))
    return Added(servers=added, taken=taken)


def remove_hooks(draft: Draft, made: Collection[tuple[str, ...]] | None) -> None:
    """Take every hook of ours away, and the containers `made` that are empty then.

    None says that nobody knows which were made: then those go that held only ours.
    """
    hooks = draft.value(()).get(HOOKS_KEY)  # type: ignore[attr-defined]  # an object
    if not isinstance(hooks, dict):
        return
    gone = False
    for event in hooks:
        path = (HOOKS_KEY, event)
        taken = _take_away(draft, path)
        gone = gone or taken
        if path in made if made is not None else taken:
            _drop_if_empty(draft, path)
    if (HOOKS_KEY,) in made if made is not None else gone:
        _drop_if_empty(draft, (HOOKS_KEY,))


def remove_servers(
    draft: Draft,
    servers: Collection[str] | None,
    made: Collection[tuple[str, ...]] | None,
) -> None:
    """Take the servers away that we registered, and the object `made` for them.

    None says that nobody knows which: then those go that are just as we write them.
    """
    there = draft.value(()).get(SERVERS_KEY)  # type: ignore[attr-defined]  # an object
    if not isinstance(there, dict):
        return
    gone = [
        name
        for name in SERVERS
        if name in there
        and (
            _is_as_written(name, there[name])
            if servers is None
            else name in servers and _starts_us(name, there[name])
        )
    ]
    for name in gone:
        draft.remove((SERVERS_KEY, name))
    if (SERVERS_KEY,) in made if made is not None else gone:
        _drop_if_empty(draft, (SERVERS_KEY,))


def ours_in(text: str) -> tuple[tuple[int, int], ...]:
    """Say where in the text of a settings file entries of ours begin and end."""
    if not any(name in text for name in SERVERS):
        return ()
    try:
        whole = parse_strictly(text)
    except JsonTextError:
        return ()
    if not isinstance(whole, dict):
        return ()
    spans = []
    for key, places in (
        (HOOKS_KEY, _hooks_in(whole.get(HOOKS_KEY))),
        (SERVERS_KEY, _servers_in(whole.get(SERVERS_KEY))),
    ):
        if not places:
            continue
        start, end = Draft(text).span((key,))
        part = Draft(text[start:end])  # the rest may be large
        spans += [(start + a, start + b) for a, b in map(part.span, places)]
    return tuple(spans)


def is_our_value(value: object) -> bool:
    """Say whether a text or a number is one that we write into an entry of ours."""
    return value in _values() or is_ours({"command": value})


def _hooks_in(hooks: object) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            if _is_all_ours(group):
                found.append((event, number))
                continue
            found += [
                (event, number, HOOKS_KEY, place)
                for place, handler in enumerate(_handlers(group))
                if is_ours(handler)
            ]
    return found


def _servers_in(servers: object) -> list[tuple[str | int, ...]]:
    if not isinstance(servers, dict):
        return []
    return [(n,) for n in SERVERS if n in servers and _starts_us(n, servers[n])]


@cache
def _values() -> frozenset[object]:
    return frozenset(_leaves(_as_read([*_GROUPS.values(), *SERVERS.values()])))


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, str):
        yield value


def _all_ours(hooks: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    """Give the containers that stand there for entries of ours alone already."""
    events = tuple(
        event
        for event, groups in hooks.items()
        if isinstance(groups, list) and groups and all(map(_is_all_ours, groups))
    )
    whole = ((HOOKS_KEY,),) if events and len(events) == len(hooks) else ()
    return (*whole, *((HOOKS_KEY, event) for event in events))


def _settle(draft: Draft, path: tuple[str, ...], wanted: dict[str, object]) -> None:
    """Let one group stand in a list, as `wanted`, and no other entry of ours."""
    groups = draft.value(path)
    assert isinstance(groups, list)
    text = _as_read(wanted)
    whole = [number for number, one in enumerate(groups) if _is_all_ours(one)]
    right = next((number for number in whole if groups[number] == text), None)
    if right is None and whole:
        right = whole[0]
        draft.replace((*path, right), wanted)
    _take_away(draft, path, but=right)
    if right is None:
        draft.append(path, wanted)


def _take_away(draft: Draft, path: tuple[str, ...], *, but: int | None = None) -> bool:
    """Take our entries out of the list at a path, all but one group; say if any was."""
    groups = draft.value(path)
    if not isinstance(groups, list):
        return False
    taken = False
    for number in reversed(range(len(groups))):
        if number == but:
            continue
        if _is_all_ours(groups[number]):
            draft.remove((*path, number))
            taken = True
            continue
        handlers = _handlers(groups[number])
        for place in reversed(range(len(handlers))):
            if is_ours(handlers[place]):
                draft.remove((*path, number, HOOKS_KEY, place))
                taken = True
    return taken


def _drop_if_empty(draft: Draft, path: tuple[str, ...]) -> None:
    if draft.has(path) and draft.value(path) in ([], {}):
        draft.remove(path)


def _handlers(group: object) -> list[object]:
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _is_all_ours(group: object) -> bool:
    handlers = _handlers(group)
    return bool(handlers) and all(map(is_ours, handlers))


def _object(draft: Draft, path: tuple[str, ...]) -> dict[str, object]:
    value = draft.value(path)
    if not isinstance(value, dict):
        reason = f"its `{path[-1]}` is not an object"
        raise JsonTextError(reason)
    return value


def _starts_us(name: str, server: object) -> bool:
    """Say whether a server starts ours, by name or by path, with whatever options."""
    if not isinstance(server, dict):
        return False
    command, args = server.get("command"), server.get("args")
    program, ours = program_of(name), SERVERS[name]["args"]
    assert isinstance(ours, list)
    names = {program, f"{program}.exe", f"{program}.cmd"}
    return (
        isinstance(command, str)
        and re.split(r"[/\\]", command)[-1] in names
        and isinstance(args, list)
        and args[: len(ours)] == ours
    )


def _is_as_written(name: str, server: object) -> bool:
    """Say whether a server is just ours; a client may have added what it implies."""
    if not isinstance(server, dict):
        return False
    implied = {"type": "stdio", "env": {}}
    bare = {k: v for k, v in server.items() if implied.get(k, not v) != v}
    return bare == SERVERS[name]


def _as_read(value: object) -> object:
    """Give a value as a draft gives it, numbers as their texts."""
    return json.loads(json.dumps(value), parse_int=str, parse_float=str)
