"""Open the pipeline of memory, where there is a model to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.config import read_config
from agentctx.errors import ModelKeyError, ModelPlaceError
from agentctx.extraction.asking import Caps
from agentctx.extraction.memory.modelled import EXTRACTION_FORM, SECONDS, ModelPipeline
from agentctx.extraction.memory.purse import Purse
from agentctx.failures import note_failure
from agentctx.llm.access import key_and_place
from agentctx.llm.claude import open_model
from agentctx.llm.model import ModelSettings
from agentctx.llm.prices import most_cost_of, price_of
from agentctx.llm.question import prompt_tokens_of
from agentctx.memory.budgets import context_profile
from agentctx.records.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentctx.clock import Clock
    from agentctx.config import Config


def open_pipeline(
    home: str,
    environ: Mapping[str, str],
    *,
    clock: Clock,
    random: Callable[[int], bytes],
    window: int | None = None,
) -> ModelPipeline | None:
    """Give the pipeline; None without a key, or where no model is wanted.

    `home` holds the settings, and the store of records where account is kept. Raises
    `ContextProfileError` for a model whose context window is neither known nor given.
    """
    config = read_config(home)
    access = key_and_place(environ)
    if access.key is None or not config.flag("llm"):
        return None
    name, number = config.text("model"), config.number
    settings = _settings(config)
    capacity = context_profile(name, window=window).capacity
    try:
        model = open_model(settings, key=access.key, base_url=access.base_url)
    except (ModelKeyError, ModelPlaceError) as error:
        note_failure(home, "memory", error.code, now=clock())
        return None
    caps = Caps(number("spendPerSession"), number("spendPerDay"))
    purse = Purse(lambda: open_store(home, clock=clock, random=random), caps)
    return ModelPipeline(model, purse, capacity)


def least_cost(config: Config) -> float:
    """Say what memory's shortest question reserves, in US dollars.

    Where not even that fits under a cap, jobs wait.
    """
    settings = _settings(config)
    price = price_of(settings.model, settings.prices)
    read = prompt_tokens_of(EXTRACTION_FORM)
    times = 2 if settings.retries > 0 else 1
    return times * most_cost_of(read, EXTRACTION_FORM.max_tokens, price)


def _settings(config: Config) -> ModelSettings:
    prices = config.number("inputPrice"), config.number("outputPrice")
    return ModelSettings(
        config.text("model"),
        timeout=SECONDS,
        attempt=SECONDS,
        prices=prices if any(prices) else None,
    )
