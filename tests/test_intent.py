"""Whether a query asks for the past."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.intent import asks_for_history

PAST = [
    "old design", "OLD design", "what was the previous limit", "history of the parser",
    "what did we use for storage", "we used to cache it", "deprecated flags",
    "superseded decisions", "formerly known as", "the originally planned scope",
    "obsolete API", "legacy import", "what used to be the default", "in the past",
    "an earlier version of the plan", "out-of-date notes", "how long ago",
    "история решений", "в истории проекта", "как было раньше", "Ранее принятые решения",
    "устаревшие решения", "старого формата", "предыдущей версии", "прежняя схема",
    "历史记录", "以前的设计", "旧版接口", "舊版設計", "曾经用过什么",
    "过去的决定", "已弃用的选项",
    "過去の設計", "以前の方針", "旧仕様", "古い設計", "かつての構成",
    "従来の方法", "変更履歴",
    "wie war es früher", "FRUEHER", "die alten Regeln", "veraltete Entscheidungen",
    "ehemaliger Plan", "damals", "die Geschichte des Formats",
    "l'ancien format", "les anciennes décisions", "autrefois", "décisions précédentes",
    "l'historique du projet", "format obsolète",
    "¿cómo era antes?", "la versión anterior", "decisiones antiguas", "historial",
    "cómo solía funcionar", "formato obsoleto",
]  # fmt: skip

PRESENT = [
    "", " ", "?", "fold", "threshold", "bold", "scold", "gold", "holder", "folder",
    "household", "storefront", "prehistory", "pastel", "paste", "origin remote",
    "original file", "run before commit", "what is the tool used to build", "old_value",
    "get_previous_page", "is_deprecated", "files older than a day", "3 days old",
    "what is used to parse Markdown", "current limit", "formerlyx", "historyless",
    "старт сервера", "старший разработчик", "почему не прошла проверка", "пораньше",
    "историк", "текущая схема",
    "仍旧有效吗", "依旧支持", "可以前往", "所以前端怎么写", "通过去除空格",
    "当前设计", "折旧计算",
    "復旧手順", "現在の設計", "復旧",
    "halten", "die Spalten", "Alternative", "Alter der Datei", "Verwaltung",
    "mot de passe", "avant le commit", "patience", "financier",
    "antes del commit", "antes de guardar", "elefantes", "interior",
]  # fmt: skip


@pytest.mark.requirement("P7.7")
@pytest.mark.parametrize("query", PAST)
def test_a_query_with_a_word_of_the_past_asks_for_history(query: str) -> None:
    assert asks_for_history(query)


@pytest.mark.requirement("P7.7")
@pytest.mark.parametrize("query", PRESENT)
def test_a_query_that_only_holds_the_letters_does_not(query: str) -> None:
    assert not asks_for_history(query)


@pytest.mark.requirement("P7.7")
@given(query=st.text())
def test_any_query_gets_an_answer(query: str) -> None:
    assert asks_for_history(query) == asks_for_history(query)


@pytest.mark.requirement("P7.7")
@given(
    before=st.text(alphabet="abcdefgh", min_size=1, max_size=5),
    after=st.text(alphabet="qwxz", min_size=1, max_size=5),
)
def test_letters_around_a_word_make_it_another_word(before: str, after: str) -> None:
    assert not asks_for_history(f"{before}history{after}")
    assert not asks_for_history(f"obsolete{after}")
