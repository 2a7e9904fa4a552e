"""A forgotten fact is not learned again, in other words neither (A2.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import ForgottenError
from agentctx.records.model import Replacement
from agentctx.records.remove import delete_record
from agentctx.records.write import add_record, supersede_record
from tests.agentctx.facts import ELSEWHERE, HERE, add, fact, heard
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A2.9")

REWORDED = [
    (
        "Use Postgres for the queue",
        "The job queue lives in Postgres because we already run it",
        "The queue uses Postgres",
        "Jobs are queued in Postgres, which we run already",
    ),
    (
        "Retry limit is five",
        (
            "The gateway retries a failed upload five times, then parks "
            "the reading in the dead letter table"
        ),
        "Five retries for uploads",
        (
            "A failed upload is retried by the gateway five times and "
            "then the reading goes to the dead letter table"
        ),
    ),
    (
        "Never deploy on Friday",
        (
            "Deployments to production happen Monday through Thursday "
            "only; Friday is frozen"
        ),
        "Friday deploy freeze",
        (
            "Production deployments are frozen on Friday and only happen "
            "Monday to Thursday"
        ),
    ),
    (
        "Tabs are four spaces",
        "Python code is indented by four spaces, and the formatter enforces it",
        "Indentation",
        "The formatter enforces indentation of Python code by four spaces",
    ),
    (
        "API keys live in Vault",
        (
            "Secrets such as API keys are read from Vault at start, "
            "never from environment variables"
        ),
        "Secrets from Vault",
        (
            "At start the service reads API keys and other secrets from "
            "Vault, not from environment variables"
        ),
    ),
    (
        "使用Postgres作为队列",
        "任务队列放在Postgres里，因为我们已经在运行它",
        "队列用Postgres",
        "因为已经在运行Postgres，所以任务队列放在它里面",
    ),
    (
        "周五不部署",
        "生产环境只在周一到周四部署，周五冻结",
        "周五冻结部署",
        "周五冻结，生产环境的部署只在周一到周四进行",
    ),
    (
        "读数以UTC存储",
        "所有传感器的读数都以UTC时间存储，网关负责转换",
        "传感器读数用UTC",
        "网关负责转换，传感器的读数以UTC时间存储",
    ),
    (
        "Очередь в Postgres",
        "Очередь заданий хранится в Postgres, потому что он у нас уже работает",
        "Postgres для очереди",
        "Задания очереди хранятся в Postgres: он уже работает у нас",
    ),
    (
        "Не деплоим в пятницу",
        (
            "Развёртывание в продакшен только с понедельника по четверг, "
            "в пятницу заморозка"
        ),
        "Заморозка в пятницу",
        "В пятницу заморозка, развёртывание в продакшен идёт с понедельника по четверг",
    ),
    (
        "Показания в UTC",
        "Показания всех датчиков хранятся в UTC, преобразует их шлюз",
        "Датчики и UTC",
        "Шлюз преобразует показания датчиков, хранятся они в UTC",
    ),
    (
        "キューはPostgres",
        "ジョブキューはPostgresに置く。すでに運用しているためである",
        "Postgresのキュー",
        "すでに運用しているPostgresにジョブキューを置く",
    ),
    (
        "金曜日はデプロイしない",
        "本番環境へのデプロイは月曜から木曜までとし、金曜は凍結する",
        "金曜の凍結",
        "金曜は凍結し、本番環境へのデプロイは月曜から木曜までとする",
    ),
    (
        "測定値はUTCで保存",
        "すべてのセンサーの測定値はUTCで保存し、ゲートウェイが変換する",
        "センサーのUTC",
        "ゲートウェイが変換し、センサーの測定値はUTCで保存する",
    ),
]

OTHERS = [
    ("Use Redis for the cache", "The page cache lives in Redis with a time to live"),
    ("Retry pauses double", "The gateway doubles its pause after each failed upload"),
    ("Deploy notes", "Deployments are announced in the channel of the team"),
    ("Line length", "Python lines have at most a hundred characters"),
    ("Postgres is version 16", "Production runs Postgres 16 with logical replication"),
    ("缓存用Redis", "页面缓存放在Redis里，每小时清空一次"),
    ("周五开会", "每周五下午团队开会，讨论下周的工作"),
    ("Кэш в Redis", "Кэш страниц хранится в Redis и живёт один час"),
    ("Совещание в пятницу", "Каждую пятницу команда обсуждает планы"),
    ("キャッシュはRedis", "ページのキャッシュはRedisに置き、一時間で消す"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "home") as opened:
        yield opened


def forget(store: Store, title: str, body: str) -> None:
    delete_record(store, HERE, add(store, title, body).id)


@pytest.mark.parametrize("pair", REWORDED, ids=lambda pair: pair[0])
def test_a_forgotten_fact_is_refused_in_its_words_and_in_others(
    store: Store, pair: tuple[str, str, str, str]
) -> None:
    title, body, other_title, other_body = pair
    forget(store, title, body)
    for new in (heard(title, body), heard(other_title, other_body)):
        with pytest.raises(ForgottenError):
            add_record(store, HERE, new)
    assert not store.db.execute("SELECT 1 FROM records").fetchall()


@pytest.mark.parametrize("pair", REWORDED, ids=lambda pair: pair[0])
def test_a_later_statement_of_the_developer_overrides_it(
    store: Store, pair: tuple[str, str, str, str]
) -> None:
    title, body, other_title, other_body = pair
    forget(store, title, body)
    add(store, other_title, other_body)
    assert not store.db.execute("SELECT 1 FROM tombstones").fetchall()
    add_record(store, HERE, heard(title, body))


def test_other_facts_of_the_project_are_learned(store: Store) -> None:
    for title, body, _, _ in REWORDED:
        forget(store, title, body)
    for title, body in OTHERS:
        add_record(store, HERE, heard(title, body))
    assert store.db.execute("SELECT count(*) FROM records").fetchone()[0] == len(OTHERS)


@pytest.mark.parametrize(
    "body",
    [
        "The gateway retries a failed upload 7 times and parks it for 30 minutes",
        "The gateway retries a failed upload 5 times and parks it for 90 minutes",
    ],
)
def test_other_numbers_make_another_fact(store: Store, body: str) -> None:
    said = "The gateway retries a failed upload 5 times and parks it for 30 minutes"
    forget(store, "Retries", said)
    assert add_record(store, HERE, heard("Retries", body)).record.body == body


@pytest.mark.parametrize("confidence", ["explicit", "inferred"])
def test_a_model_cannot_override_it_however_sure(store: Store, confidence: str) -> None:
    forget(store, *REWORDED[0][:2])
    new = heard(*REWORDED[0][:2], source="mcp_tool", confidence=confidence)
    with pytest.raises(ForgottenError):
        add_record(store, HERE, new)


def test_a_model_cannot_bring_it_back_by_superseding(store: Store) -> None:
    record = add(store, "Something else", "Entirely different")
    title, body = REWORDED[0][:2]
    forget(store, title, body)
    new = Replacement(body=body, title=title, source="mcp_tool", trust="model")
    with pytest.raises(ForgottenError):
        supersede_record(store, HERE, record.id, new)


def test_another_project_may_learn_it(store: Store) -> None:
    forget(store, *REWORDED[0][:2])
    learnt = add_record(store, ELSEWHERE, heard(*REWORDED[0][:2])).record
    assert (learnt.project_id, learnt.body) == (ELSEWHERE, REWORDED[0][1])


def test_words_too_few_to_compare_are_compared_whole(store: Store) -> None:
    forget(store, "Redis", "Redis.")
    add_record(store, HERE, heard("Redis", "Redis cluster"))
    with pytest.raises(ForgottenError):
        add_record(store, HERE, heard("redis", " REDIS. "))


def test_a_global_fact_is_forgotten_globally(store: Store) -> None:
    title, body = REWORDED[0][:2]
    new = fact(title, body, scope="global", type="preference")
    record = add_record(store, HERE, new).record
    delete_record(store, HERE, record.id)
    with pytest.raises(ForgottenError):
        add_record(store, ELSEWHERE, heard(title, body, scope="global"))
