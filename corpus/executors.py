"""Where the work on many corpora is done: processes of ours, or a Dask cluster."""

from __future__ import annotations

import logging
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.refusals import (
    ExecutorError,
    ExecutorMissingError,
    ExecutorUnreachableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

LOCAL = "local"

PATIENCE = 10
"""Seconds to wait for a cluster, and for the first of its workers."""

_DASK = re.compile(r"dask:((?:(?:tcp|tls|ws|wss)://)?[^\s/:@]+:[0-9]{1,5})")
_SHOWN = 80
_TALKATIVE = ("distributed", "distributed.client", "tornado")


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """At most `jobs` processes on this machine."""

    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The Dask cluster whose scheduler listens at `address`."""

    address: str


def parse_executor(text: str, *, jobs: int | None = None) -> Local | Cluster:
    """Read `local` or `dask:ADDRESS`, or raise `ExecutorError`.

    `jobs` is for `local`: as many as this process has CPUs when it is None.
    """
    if text == LOCAL:
        return Local(jobs=jobs or usable_cpus())
    match = _DASK.fullmatch(text)
    if match is None:
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        raise ExecutorError(executor=shown)
    return Cluster(address=match[1])


def usable_cpus() -> int:
    """Count the CPUs this process may use, one at least."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


@contextmanager
def opened_executor(place: Local | Cluster) -> Iterator[Executor]:
    """Have the executor for as long as the block lasts; an exception ends its work.

    Raises `ExecutorMissingError` and `ExecutorUnreachableError`.
    """
    if isinstance(place, Cluster):
        with _cluster(place.address) as executor:
            yield executor
    else:
        from corpus.workers import Workers  # noqa: PLC0415 - loads multiprocessing

        with Workers(place.jobs) as executor:
            yield executor


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        import distributed  # noqa: PLC0415 - an extra, and slow to load
    except ImportError:
        raise ExecutorMissingError from None
    for name in _TALKATIVE:  # what they log on stderr is in our rows and failures
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, RuntimeError):
        reason = "no scheduler answers there"
        raise ExecutorUnreachableError(address=address, reason=reason) from None
    try:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            reason = "it has no worker"
            raise ExecutorUnreachableError(address=address, reason=reason) from None
        executor: Executor = client.get_executor(pure=False)
        yield executor
    finally:
        with suppress(OSError, TimeoutError):  # the cluster is gone
            client.close()
