"""Open what a chat needs: the model, the account, the memory of this project."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from agentctx.chat.background import Background
from agentctx.chat.host import INTENT, Host
from agentctx.chat.paying import Payer
from agentctx.chat.remembering import Remembering, Ways, WhileOn
from agentctx.chat.turning import Desk, Workbench
from agentctx.chat.unkept import Unkept
from agentctx.cli import memory_on
from agentctx.cli.chat_commands import ChatCommands
from agentctx.cli.memory_opening import GRACE, memory_here
from agentctx.cli.memory_records import let_records_follow
from agentctx.cli.memory_state import WAITS
from agentctx.config import environment, home, read_config
from agentctx.errors import ContextProfileError, ModelKeyError
from agentctx.extraction.asking import Caps
from agentctx.extraction.memory.opening import open_pipeline
from agentctx.extraction.memory.purse import Purse
from agentctx.ids import Ids
from agentctx.llm.access import KEY_VARIABLE, PLACE_VARIABLE, key_and_place
from agentctx.llm.model import ModelSettings
from agentctx.llm.talker import open_talker
from agentctx.memory.api import Memory
from agentctx.memory.budgets import budgets, context_profile
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import why_off
from agentctx.records.store import open_store
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentctx.cli.chat_voice import JsonVoice, TextVoice
    from agentctx.llm.talk import Talker
    from agentctx.memory.budgets import ContextProfile
    from agentctx.memory.notices import Notice
    from agentctx.memory.pipeline import Pipeline
    from agentctx.memory.switch import Off
    from corpus.cli.call import Call

ANSWER_SECONDS, ATTEMPT_SECONDS = 900.0, 600.0
"""How long an answer may take, and one attempt at it."""


class Wanted(NamedTuple):
    """What a person asked for; None is the usual."""

    intent: str | None
    model: str | None
    window: int | None


class Given(NamedTuple):
    """Whom a person talks with, and the context there is for that."""

    model: str
    window: int | None
    profile: ContextProfile


class Opened(NamedTuple):
    """A chat that can be talked to."""

    host: Host
    background: Background
    memory: Remembering
    follow: Callable[[], None]
    """Lets the records that were made of items say what the items say now."""

    def finish(self) -> int:
        """Give each pending job of memory one chance; say how many are left (M10)."""
        self.background.stop()
        try:
            left = len(self.memory.flush().pending)
            if self.memory.is_sound:
                self.follow()
        except KeyboardInterrupt:  # who will not wait need not
            return 0
        return left


@contextmanager
def open_chat(
    call: Call, voice: TextVoice | JsonVoice, wanted: Wanted
) -> Iterator[Opened]:
    """Open a chat in the project of the working directory.

    `ModelKeyError` where no key is set, `ContextProfileError` for a model whose window
    is neither known nor given.
    """
    name = wanted.model or read_config(home()).text("model")
    profile = context_profile(name, window=wanted.window)
    given = Given(name, wanted.window, profile)
    workbench = Workbench()
    session = f"chat-{Ids(call.clock, call.random).new()}"
    payer = _payer(call, session, _talker(name))
    memory = _memory(call, voice, given, workbench)
    desk = Desk(memory, payer, profile, voice, memory_here().project.root)
    host = Host(
        desk,
        workbench,
        ChatCommands(call, voice),
        intent=wanted.intent or INTENT,
    )
    background = Background(memory, voice.notice, WAITS)
    background.wake()
    try:
        told = call._replace(notify=voice.notice)
        yield Opened(host, background, memory, lambda: let_records_follow(told))
    finally:
        background.stop()
        memory.close(wait=GRACE)


def _talker(name: str) -> Talker:
    access = key_and_place(environment())
    if access.key is None:
        error = ModelKeyError(reason="is not set")
        error.hint = (
            f"set `{KEY_VARIABLE}` to a key of Anthropic's service, and"
            f" `{PLACE_VARIABLE}` where another one is to answer"
        )
        raise error
    number = read_config(home()).number
    prices = number("inputPrice"), number("outputPrice")
    settings = ModelSettings(
        name,
        timeout=ANSWER_SECONDS,
        attempt=ATTEMPT_SECONDS,
        prices=prices if any(prices) else None,
    )
    return open_talker(settings, key=access.key, base_url=access.base_url)


def _payer(call: Call, session: str, talker: Talker) -> Payer:
    number = read_config(home()).number
    caps = Caps(number("spendPerSession"), number("spendPerDay"))
    purse = Purse(
        lambda: open_store(home(), clock=call.clock, random=call.random), caps
    )
    return Payer(session, talker, purse, caps)


def _memory(
    call: Call,
    voice: TextVoice | JsonVoice,
    given: Given,
    workbench: Workbench,
) -> Remembering:
    """Find memory, on or off; a person may turn it on where there is none yet."""
    here = memory_here()
    owner = f"chat {call.random(8).hex()}"
    if here.off == "no_folder":
        _let_have_one(call, voice, here.project.name)

    def off() -> Off | None:
        return why_off(here.root, home=home(), environ=environment())

    def tell(notice: Notice) -> None:
        voice.notice(*notice)

    def opened() -> Memory:
        pipeline = _pipeline(call, voice, given)
        return Memory.open(
            here.root,
            clock=call.clock,
            ids=RandomIds(call.random),
            owner=owner,
            pipeline=None if pipeline is None else WhileOn(pipeline, off),
            capacity=given.profile,
            tell=tell,
            before_new_thread=workbench.clear,
        )

    unkept = Unkept(budgets(given.profile), workbench.clear)
    return Remembering(Ways(off, opened, unkept, voice.notice))


def _let_have_one(call: Call, voice: TextVoice | JsonVoice, name: str) -> None:
    """Ask whether a project is to have a memory, and see to it, as `memory on` does."""
    question = f"Remember what is said in {name}? It stays in the project."
    if not (call.asks and call.confirm(question)):
        return
    try:
        memory_on.run(call)
    except CodedError as error:  # the chat goes on without
        voice.notice(error.code, f"{error}; {error.hint}")


def _pipeline(
    call: Call, voice: TextVoice | JsonVoice, given: Given
) -> Pipeline | None:
    """Give what turns words into items; the chat goes on where there is none.

    The window that was given is that of the model that is talked to, and of no other.
    """
    same = read_config(home()).text("model") == given.model
    try:
        return open_pipeline(
            home(),
            environment(),
            clock=call.clock,
            random=call.random,
            window=given.window if same else None,
        )
    except ContextProfileError as error:
        voice.notice(error.code, f"memory jobs wait: {error}")
        return None
