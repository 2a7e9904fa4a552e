"""The terms of a text, shared by index and query."""

from __future__ import annotations

import itertools
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.lexical import (
    EXACT_WEIGHT,
    WORD_WEIGHT,
    QueryTerm,
    WantedTerms,
    has_negation,
    names,
    negation_count,
    numbers,
    plain_words,
    query_terms,
    terms,
    tokens,
)
from corpus.scripts import outline
from corpus.stems import stem
from corpus.wordlists import CAPITAL_NAMES

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"

WORDS = st.text(
    alphabet=st.sampled_from(
        "aBcZ09_.-/\\:@#'&,%+ \n\u00ad\u200b\u0301\u0306\u0308éÉßİıёйЁЙяЯʼ’"
        "第版犬がきデー々ﾞﾃ\u3099사자\u1100\u1161ทยี่ำกمदा्﷽ﷺ①½㎏㍿ﬁＡ．１٣๓\ud800😀"
    ),
    max_size=40,
)
TEXTS = st.one_of(st.text(), WORDS)


ENGLISH_STARTS = (
    "y ye say gener past commun arsen hop hopp agre tr sk proceed skies bab"
)
ENGLISH_ENDS = """
    s es ies ied ed eed eedly ing ingly y ly li al ational ization izer fulness ousli
    ment ement ent ant ion sion tion ism ist iti ous ive ize ll le e er or ic able ible
    ance ence ogist logi alli bli ably x k th
"""
RUSSIAN_STARTS = "истор запис прочита красив бега дел"
RUSSIAN_ENDS = "ия ии ию ой ого ему ая ые ал ала ющий вшись ся ость ейше ь"


def weights(query: str, *, cap: int = 256) -> dict[str, int]:
    return {term.text: term.weight for term in query_terms(query, cap=cap)}


@pytest.mark.requirement("P6.3")
@given(text=TEXTS)
@settings(max_examples=500)
def test_the_terms_of_a_text_are_those_of_its_tokens_in_order(text: str) -> None:
    found = tokens(text)
    assert terms(text) == [term for token in found for term in token.terms]
    assert terms(text) == terms(text)
    assert all(token.text == text[token.start : token.end] for token in found)
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))
    assert all(term for token in found for term in token.terms)


@pytest.mark.requirement("P6.3")
@given(text=TEXTS)
@settings(max_examples=500)
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    composed = terms(unicodedata.normalize("NFC", text))
    assert terms(text) == composed
    assert terms(unicodedata.normalize("NFD", text)) == composed


@pytest.mark.requirement("P6.3")
@given(text=st.text(alphabet=st.characters(max_codepoint=0x7F)))
@settings(max_examples=500)
def test_case_does_not_matter_where_it_marks_no_hump(text: str) -> None:
    lower, upper = text.lower(), text.upper()
    if not any(token.text.strip(".@#'%+_") in CAPITAL_NAMES for token in tokens(upper)):
        assert terms(lower) == terms(upper)


@pytest.mark.requirement("P6.3")
@given(text=TEXTS)
@settings(max_examples=300)
def test_a_query_finds_the_text_it_is(text: str) -> None:
    found = query_terms(text, cap=10_000)
    assert {term.text for term in found} <= set(terms(text))
    assert bool(found) == bool(terms(text))
    assert len({term.text for term in found}) == len(found)
    assert all(0 < term.weight <= WORD_WEIGHT for term in found)
    assert [term.token for term in found] == sorted(term.token for term in found)
    given_by = tokens(text)
    assert all(term.text in given_by[term.token].terms for term in found)


@given(text=TEXTS)
@settings(max_examples=300)
def test_nothing_a_text_holds_makes_the_other_readings_fail(text: str) -> None:
    assert numbers(text) == numbers(text)
    assert names(text) == names(text)
    assert has_negation(text) == (negation_count(text) > 0)
    assert len(plain_words(text)) == len(tokens(text))
    assert len(outline(text)) == len(text)


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        pytest.param("CAFÉ", "cafe", id="accent"),
        pytest.param("Ёлка", "елка", id="cyrillic diaeresis"),
        pytest.param("Άνθρωπος", "ανθρωποσ", id="greek tonos and final sigma"),
        pytest.param("straße", "STRASSE", id="sharp s"),
        pytest.param("Łódź", "lodz", id="stroke"),
        pytest.param("ｆｕｌｌ　ｗｉｄｔｈ", "full width", id="full width"),
        pytest.param("ﾃﾞｰﾀ", "データ", id="half-width kana"),
        pytest.param("ﬁle", "file", id="ligature"),
        pytest.param("so\u00adft", "soft", id="soft hyphen"),
        pytest.param("zero\u200bwidth", "zerowidth", id="zero-width space"),
        pytest.param("\u2068bidi\u2069 wo\u2060rd", "bidi word", id="bidi, joiner"),
        pytest.param("\ufeffword", "word", id="byte order mark"),
        pytest.param("records’ user’s", "record user", id="possessive"),
        pytest.param("п’ять", "пʼять", id="apostrophe of a word"),
        pytest.param("user‑name", "user-name", id="non-breaking hyphen"),
        pytest.param("٣", "3", id="arabic digit"),
        pytest.param("1,200", "1200", id="grouped digits"),
        pytest.param("1_000", "1000", id="grouped as in code"),
        pytest.param("v2.0.1", "2.0.1", id="version"),
        pytest.param("foo\\_bar", "foo_bar", id="markdown escape"),
        pytest.param("src\\index.py", "src/index.py", id="windows path"),
        pytest.param("histories", "history", id="english plural"),
        pytest.param("Indexing", "indexed", id="english endings"),
        pytest.param("истории", "историю", id="russian cases"),
        pytest.param("getUserName", "getusername", id="humps, as one word"),
        pytest.param("IDs", "ID", id="plural of an acronym"),
    ],
)
def test_what_is_written_is_found_by_what_is_meant(written: str, meant: str) -> None:
    assert weights(written).keys() & set(terms(meant))
    assert weights(meant).keys() & set(terms(written))
    heaviest = max(weights(meant), key=lambda term: weights(meant)[term])
    assert heaviest in terms(written)


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUserName", "getusernam get user name"),
        ("HTTPServer", "httpserver http server"),
        ("getURLsFor", "geturlsfor get url"),
        ("max_tokens", "max_tokens max token"),
        ("MAX_TOKENS", "max_tokens max token"),
        ("max-tokens", "max-tokens max token"),
        ("config.max_tokens", "config.max_tokens config max_tokens max token"),
        ("ns::nameOf", "ns::nameof ns nameof name"),
        ("@scope/pkg", "@scope/pkg scope/pkg scope pkg"),
        ("foo-bar2", "foo-bar2 foo bar2 bar 2"),
        ("src/index.py", "src/index.py src index.py index py"),
        ("sha256", "sha256 sha 256"),
        ("__init__", "__init__ init"),
        ("_emphasised_", "emphasis"),
        ("bob@example.com", "bob@example.com bob example.com exampl com"),
        ("O'Brien", "o'brien o brien"),
        ("МойКласс", "мойкласс мой класс"),
        ("C++ C# F#", "c++ c# f#"),
        (".NET", ".net net"),
        ("3.11.7", "3.11.7 3.11"),
        ("python3.11", "python3.11 python 3.11"),
        ("PEP-0484", "pep-0484 pep 484"),
        ("2026-11-30", "2026-11-30 2026-11 2026"),
        ("history/2026-11-30-x.md", "history/2026-11-30-x.md histori"),
        ("10%", "10% 10"),
        ("#123", "#123 123"),
        ("a3f9c2e1b4", "a3f9c2e1b4"),
        ("IT", "it"),
    ],
)
def test_a_name_is_found_whole_and_by_its_parts(name: str, expected: str) -> None:
    found = terms(name)
    assert found[: len(expected.split())] == expected.split()
    assert len(found) == len(expected.split()) or "/" in name


@pytest.mark.requirement("P6.3")
def test_prose_finds_a_name_and_a_spelling_its_variants() -> None:
    store = set(terms("class RecordStore: ..."))
    assert weights("record stores").keys() <= store
    assert {"max", "token"} <= weights("max-tokens").keys() & set(terms("max_tokens"))
    assert weights("PEP 484").keys() <= set(terms("see pep-0484"))


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        pytest.param("项目的数据库设计文档", "数据库", id="zh word"),
        pytest.param("项目的数据库设计文档", "库", id="zh single character"),
        pytest.param("データベースを設計する", "設計", id="ja"),
        pytest.param("犬は走る", "犬が", id="ja lone kanji, other particle"),
        pytest.param("사용자를 추가한다", "사용자", id="ko with particle"),
        pytest.param("การออกแบบฐานข้อมูล", "ฐานข้อมูล", id="th"),
        pytest.param("ການອອກແບບຖານຂໍ້ມູນ", "ຖານຂໍ້ມູນ", id="lo"),
        pytest.param("ការរចនាមូលដ្ឋានទិន្នន័យ", "ទិន្នន័យ", id="km"),
        pytest.param("ဒေတာဘေ့စ်ဒီဇိုင်း", "ဒီဇိုင်း", id="my"),
        pytest.param("第3版を見る", "第3版", id="digits inside"),
        pytest.param("使用Python开发", "python", id="latin inside"),
        pytest.param("人々とサーバー", "人々", id="iteration mark"),
    ],
)
def test_scripts_without_spaces_are_found_inside_a_run(text: str, query: str) -> None:
    assert weights(query).keys() & set(terms(text))


@pytest.mark.requirement("P6.3")
def test_a_run_gives_overlapping_pairs_and_a_query_no_needless_characters() -> None:
    assert terms("数据库") == ["数据", "据库", "数", "据", "库"]
    assert query_terms("数据库") == (QueryTerm("数据", 75, 0), QueryTerm("据库", 75, 0))
    assert query_terms("库") == (QueryTerm("库", 100, 0),)
    assert terms("サーバー") == ["サー", "ーバ", "バー"]
    assert terms("설계서") == ["설계", "계서", "설"]


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize("word", ["मराठी", "مَدْرَسَة", "שָׁלוֹם", "தமிழ்"])
def test_marks_of_other_scripts_stay_and_never_split_a_word(word: str) -> None:
    assert len(terms(word)) == 1
    assert terms(word) == [unicodedata.normalize("NFKC", word)]


@pytest.mark.requirement("P6.3")
def test_a_mark_ranks_the_exact_form_and_short_i_is_a_letter() -> None:
    assert weights("café") == {"cafe": WORD_WEIGHT, "café": EXACT_WEIGHT}
    assert weights("cafe") == {"cafe": WORD_WEIGHT}
    assert terms("мой") == ["мой"]
    assert terms("мои") == ["мои"]


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize(
    "text",
    [
        "what is the",
        "don't isn't",
        "и не в его ещё",
        "为什么",
        "です",
        "... -- !?",
        "",
        " ",
    ],
)
def test_stop_words_and_punctuation_give_no_terms(text: str) -> None:
    assert terms(text) == []
    assert query_terms(text) == ()


def test_a_name_never_counts_more_by_its_parts_than_whole() -> None:
    found = weights("corpus/index/store.py")
    parts = [weight for term, weight in found.items() if "/" not in term]
    assert found["corpus/index/store.py"] == WORD_WEIGHT
    assert sum(parts) <= WORD_WEIGHT


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize("cap", [0, 1, 3, 10, 64])
def test_under_a_cap_both_kinds_of_script_keep_a_third(cap: int) -> None:
    spaced = " ".join(f"word{number}x" for number in range(200))
    unspaced = "".join(chr(0x4E00 + number) for number in range(200))
    for query in (f"{spaced} {unspaced}", f"{unspaced} {spaced}"):
        found = query_terms(query, cap=cap)
        runs = sum(not term.text.isascii() for term in found)
        assert len(found) == cap
        assert runs >= cap // 3
        assert cap - runs >= cap // 3
        assert [term.token for term in found] == sorted(term.token for term in found)
    assert len(query_terms(spaced, cap=cap)) == cap
    assert len(query_terms(unspaced, cap=cap)) == cap


def test_a_term_given_twice_keeps_its_first_place_and_greatest_weight() -> None:
    found = query_terms("RecordStore other store")
    assert [term for term in found if term.text == "store"] == [
        QueryTerm("store", WORD_WEIGHT, 0)
    ]


def test_offsets_hold_in_text_that_normalisation_makes_longer() -> None:
    text = "ﷺ ½ ﬁle İx done"
    assert [text[token.start : token.end] for token in tokens(text)] == text.split()
    assert tokens(text)[-1].terms == ("done",)


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("keep 3 backups", "keep 5 backups"),
        ("on Python 3.11", "on Python 3.12"),
        ("due 2026-11-30", "due 2026-11-29"),
        ("see v2", "see v3"),
        ("limit 10%", "limit 20%"),
        ("retry three times", "retry two times"),
        ("保留三个版本", "保留四个版本"),
    ],
)
def test_texts_that_differ_in_a_number_are_told_apart(one: str, other: str) -> None:
    assert numbers(one) != numbers(other)


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("the cache is shared", "the cache is not shared"),
        ("it does lock", "it doesn't lock"),
        ("it does lock", "it doesn’t lock"),
        ("always retry", "never retry"),
        ("кэш общий", "кэш не общий"),
        ("缓存共享", "缓存不共享"),
        ("共有する", "共有しない"),
        ("wird geteilt", "wird nicht geteilt"),
        ("il partage", "il ne partage pas"),
        ("se comparte", "nunca se comparte"),
    ],
)
def test_texts_that_differ_in_a_negation_are_told_apart(
    positive: str, negative: str
) -> None:
    assert not has_negation(positive)
    assert has_negation(negative)
    assert negation_count(f"{negative}. {negative}") == 2 * negation_count(negative)


@pytest.mark.parametrize(
    "text", ["knot", "notice", "nothingness", "非常快", "特别说明"]
)
def test_a_word_that_holds_a_negation_negates_nothing(text: str) -> None:
    assert not has_negation(text)


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("owned by Alice", "owned by Bob"),
        ("Alice owns it", "Bob owns it"),
        ("see load_index here", "see load_store here"),
        ("in src/a.py", "in src/b.py"),
        ("отвечает Анна", "отвечает Иван"),
        ("use the API", "use the CLI"),
        ("担当はサーバー", "担当はクライアント"),
    ],
)
def test_texts_that_differ_in_a_name_are_told_apart(one: str, other: str) -> None:
    assert names(one) != names(other)
    assert names(one.replace(" ", "\n")) == names(one)


def test_plain_prose_names_nothing() -> None:
    assert names("the cache is shared by all of them, 42 times") == frozenset()


@pytest.mark.requirement("P6.2", "P6.3", "P7.9")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "a", "A", "1", ".", "_", " ", "漢", "ก", "\u0301", "\ud800", "aя漢ก가1_é",
        "a.b.", "a_b_", "a-b-", "aB", "a1", "a'", "a::", "@a", "#1", "1,", "a\u00ad",
        "é.", "бА", "İ", "2026-11-30-", "1,000", "aA1/", "カ\u3099", "😀", "a++",
    ],
)  # fmt: skip
def test_words_after_a_long_run_are_found_and_a_query_has_no_other_terms(
    unit: str,
) -> None:
    text = unit * (40_000 // len(unit)) + " frozen pumps 42"
    found = terms(text)
    assert found[-3:] == ["frozen", "pump", "42"]
    assert {term.text for term in query_terms(text)} <= set(found)


def test_a_very_long_word_is_found_and_a_very_long_name_by_its_parts() -> None:
    assert terms("x" * 1_000_000) == terms("x" * 2_000_000) != []
    assert set(terms("alpha.beta." * 50_000)) == {"alpha", "beta"}


@pytest.mark.requirement("P6.3")
def test_stems_are_those_of_the_library() -> None:
    from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415
    from snowballstemmer.russian_stemmer import RussianStemmer  # noqa: PLC0415

    for algorithm, starts, ends in (
        (EnglishStemmer(), ENGLISH_STARTS, ENGLISH_ENDS),
        (RussianStemmer(), RUSSIAN_STARTS, RUSSIAN_ENDS),
    ):
        words = [a + z for a in starts.split() for z in ends.split() if len(a + z) > 3]
        assert [stem(word) for word in words] == list(map(algorithm.stemWord, words))


@given(word=st.text(alphabet="abcdeghilmnorstuvyz", min_size=4, max_size=14))
@settings(max_examples=1_000)
def test_any_word_has_the_stem_of_the_library(word: str) -> None:
    from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415

    assert stem(word) == EnglishStemmer().stemWord(word)


@pytest.mark.parametrize("word", ["use", "b2b", "sha256", "слово2", "miхed", "漢字"])
def test_words_that_have_no_stem_stay(word: str) -> None:
    assert stem(word) == word


def test_the_stemmer_is_loaded_only_when_a_stem_is_needed() -> None:
    code = (
        "import sys, corpus.lexical as lexical\n"
        "lexical.terms('42 漢字 of')\n"
        "loaded = lambda: {m for m in sys.modules if m.startswith('snowball')}\n"
        "assert not loaded()\n"
        "lexical.terms('stores')\n"
        "assert 'snowballstemmer.english_stemmer' in loaded()\n"
        "assert 'snowballstemmer.turkish_stemmer' not in loaded()\n"
        "import snowballstemmer\n"
        "assert snowballstemmer.stemmer('turkish')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 0


@pytest.mark.requirement("P6.3")
def test_real_documents_give_terms() -> None:
    if not DATA.is_dir():
        pytest.skip("the folder of real documents is not here")
    for path in sorted(DATA.rglob("*.md"))[::4]:
        text = path.read_bytes().decode("utf-8", errors="replace")
        found = terms(text)
        assert found == [term for token in tokens(text) for term in token.terms]
        query = text[:1_000]
        assert {term.text for term in query_terms(query)} <= set(terms(query))


@pytest.mark.requirement("P6.3", "P7.2")
@given(st.text(max_size=200), st.text(max_size=40))
def test_wanted_terms_are_found_where_all_terms_are(text: str, query: str) -> None:
    wanted = frozenset(term.text for term in query_terms(query))
    everything = terms(text)
    found = WantedTerms(wanted).of(text)
    assert [w for w in found if w in wanted] == [w for w in everything if w in wanted]
    assert len(found) <= len(everything) + len(text.split())


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize("word", ["dying", "skies", "gently", "news", "youth", "only"])
def test_a_wanted_word_with_an_exceptional_stem_is_found(word: str) -> None:
    wanted = frozenset(term.text for term in query_terms(word))
    assert wanted & set(WantedTerms(wanted).of(f"a b {word} c"))


@pytest.mark.requirement("P6.3")
@given(st.text("登録再読込的了是のをーカナ一龥", min_size=1, max_size=12))
def test_common_runs_take_a_shorter_way_to_the_same_terms(run: str) -> None:
    assert terms(run) == terms(f"\u00ad{run}")
