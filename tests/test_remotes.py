"""A repository has one text however its remote is written, and no other one has it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.remotes import normalise

pytestmark = pytest.mark.requirement("A2.4")

SAME: dict[str, tuple[str, ...]] = {
    "github.com/acme/widget": (
        "https://github.com/acme/widget",
        "https://github.com/acme/widget/",
        "https://github.com/acme/widget.git",
        "https://github.com/acme/widget.git/",
        "https://github.com/acme//widget.git",
        "https://github.com/acme/./widget.git",
        "https://github.com/other/../acme/widget.git",
        "http://github.com/acme/widget.git",
        "HTTPS://GitHub.com/Acme/Widget.GIT",
        "https://github.com:443/acme/widget.git",
        "https://github.com:/acme/widget.git",
        "https://github.com./acme/widget",
        "https://someone@github.com/acme/widget.git",
        "https://someone:ghp_token@github.com/acme/widget.git",
        "https://some:p@ss@github.com/acme/widget.git",
        "https://x-access-token:abc@github.com/acme/widget",
        "https://github.com/%61cme/widget%2Egit",
        "https://github.com/acme%2Fwidget",
        "https://github.com/acme/widget?access_token=abc",
        "  https://github.com/acme/widget.git\t",
        "https:\\\\github.com\\acme\\widget.git",
        "git://github.com/acme/widget.git",
        "git+https://github.com/acme/widget.git",
        "ssh://git@github.com/acme/widget.git",
        "ssh://git@github.com:22/acme/widget.git",
        "ssh://github.com/acme/widget",
        "ssh://git@github.com:2222/acme/widget.git",
        "git+ssh://git@github.com/acme/widget.git",
        "ssh+git://git@github.com/acme/widget.git",
        "ssh://git@ssh.github.com:443/acme/widget.git",
        "git@github.com:acme/widget.git",
        "git@github.com:acme/widget",
        "git@github.com:/acme/widget.git",
        "git@github.com:acme/widget.git/",
        "git@github.com:acme/widget/.git",
        "git@github.com:acme\\widget.git",
        "GIT@GITHUB.COM:ACME/WIDGET.git",
        "github.com:acme/widget",
        "[github.com]:acme/widget.git",
        "[git@github.com:22]:acme/widget.git",
        "[github.com:22]:/acme/widget.git",
        "git@[github.com:22]:acme/widget.git",
    ),
    "gitlab.com/group/sub/widget": (
        "https://gitlab.com/group/sub/widget.git",
        "git@gitlab.com:group/sub/widget.git",
        "ssh://git@altssh.gitlab.com:443/group/sub/widget.git",
        "https://oauth2:glpat-x@gitlab.com/group/sub/widget.git",
    ),
    "bitbucket.org/acme/widget": (
        "https://acme@bitbucket.org/acme/widget.git",
        "git@bitbucket.org:acme/widget.git",
        "ssh://git@altssh.bitbucket.org:443/acme/widget.git",
    ),
    "dev.azure.com/org/my proj/widget": (
        "https://org@dev.azure.com/org/my%20proj/_git/widget",
        "https://dev.azure.com/org/My%20Proj/_git/Widget",
        "https://user:pat@dev.azure.com/org/my proj/_git/widget/",
        "https://dev.azure.com/org/my%20proj/_git/_full/widget",
        "https://dev.azure.com/org/my%20proj/_git/_optimized/widget",
        "git@ssh.dev.azure.com:v3/org/my%20proj/widget",
        "git@ssh.dev.azure.com:v3/org/my proj/widget",
        "ssh://git@ssh.dev.azure.com/v3/org/my%20proj/widget",
        "ssh://git@ssh.dev.azure.com:22/v3/org/my%20proj/widget",
        "https://org.visualstudio.com/my%20proj/_git/widget",
        "https://org.visualstudio.com/DefaultCollection/my%20proj/_git/widget",
        "org@vs-ssh.visualstudio.com:v3/org/my%20proj/widget",
        "ssh://org@vs-ssh.visualstudio.com:22/my%20proj/_ssh/widget",
        "ssh://org@vs-ssh.visualstudio.com/DefaultCollection/my%20proj/_ssh/widget",
        "ssh://org@org.visualstudio.com:22/my%20proj/_git/widget",
    ),
    "dev.azure.com/org/widget/widget": (
        "https://dev.azure.com/org/_git/widget",
        "https://org.visualstudio.com/_git/widget",
        "https://dev.azure.com/org/widget/_git/widget",
        "git@ssh.dev.azure.com:v3/org/widget/widget",
    ),
    "tfs.corp/tfs/main/proj/_git/widget": (
        "https://tfs.corp:8080/tfs/Main/Proj/_git/Widget",
        "ssh://tfs.corp:22/tfs/main/proj/_ssh/widget",
        "http://user@tfs.corp/tfs/main/proj/_git/widget/",
    ),
    "git-codecommit.eu-west-1.amazonaws.com/v1/repos/widget": (
        "https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/widget",
        "ssh://KEYID@git-codecommit.eu-west-1.amazonaws.com/v1/repos/widget",
    ),
    "[2001:db8::1]/acme/widget": (
        "https://[2001:db8::1]/acme/widget.git",
        "https://[2001:DB8:0:0::1]:8443/acme/widget.git",
        "ssh://git@[2001:db8::0001]:22/acme/widget.git",
        "git@[2001:db8::1]:acme/widget.git",
        "[git@2001:db8::1]:acme/widget.git",
    ),
    "192.0.2.7/acme/widget": (
        "https://192.0.2.7:3000/acme/widget.git",
        "git@192.0.2.7:acme/widget.git",
    ),
    "xn--mnchen-3ya.example/bücher/straße": (
        "https://münchen.example/bücher/straße.git",
        "https://MÜNCHEN.example/b%C3%BCcher/stra%C3%9Fe",
        "https://xn--mnchen-3ya.example/bu\u0308cher/straße.git",
        "git@münchen.example:bücher/straße.git",
    ),
    "server/share/widget": (
        "\\\\server\\share\\widget.git",
        "//server/share/widget.git",
        "file://server/share/widget.git",
        "file://SERVER/Share/Widget",
    ),
    "host.example/~jo/widget": (
        "host.example:~jo/widget.git",
        "ssh://host.example/~jo/widget.git",
        "ssh://jo@host.example/%7Ejo/widget",
    ),
}

OTHERS = (
    "https://github.com/acme/widgets",
    "https://github.com/acme/widget.github.io",
    "https://github.com/fork/widget",
    "https://github.com/acme/widget.wiki",
    "https://github.example/acme/widget",
    "https://github.com.example/acme/widget",
    "https://www.github.com/acme/widget",
    "https://gitlab.com/group/widget",
    "https://gitlab.com/sub/widget",
    "https://dev.azure.com/org/other/_git/widget",
    "https://dev.azure.com/other/my%20proj/_git/widget",
    "https://dev.azure.com/org/myproj/_git/widget",
    "https://git.example/?p=one.git",
    "https://git.example/?p=two.git",
    "https://git.example/git/%ff",
    "https://[2001:db8::2]/acme/widget",
)

NONE = {
    "empty": "",
    "blank": "   ",
    "absolute": "/srv/git/widget.git",
    "relative": "../widget.git",
    "here": "./widget",
    "plain name": "widget",
    "home": "~/git/widget.git",
    "colon in a relative path": "./a:b/widget",
    "colon behind a slash": "git/a:b",
    "drive": "C:\\work\\widget.git",
    "drive with slashes": "c:/work/widget.git",
    "drive alone": "C:",
    "relative to a drive": "C:widget",
    "file": "file:///srv/git/widget.git",
    "file of this host": "file://localhost/srv/git/widget.git",
    "file on a drive": "file:///C:/work/widget.git",
    "file on a drive with two slashes": "file://C:/work/widget.git",
    "file on a drive with a bar": "file:///C|/work/widget.git",
    "device path": "\\\\?\\C:\\work\\widget",
    "no host": "https:///acme/widget",
    "no path": "https://github.com",
    "no path but a slash": "https://github.com/",
    "only the suffix": "https://github.com/.git",
    "no path in short form": "git@github.com:",
    "password with a slash": "https://user:pa/ss@github.com/acme/widget",
    "port that is none": "https://github.com:http/acme/widget",
    "command": "ext::sh -c date",
    "helper": "hg::https://example.org/widget",
    "option as a host": "-oProxyCommand=date:widget",
    "option as a URL's host": "ssh://-oProxyCommand=date/widget",
    "NUL": "https://github.com/acme/wid\0get",
    "hidden NUL": "https://github.com/acme/wid%00get",
    "hidden line": "https://github.com/acme%0Awidget",
    "line": "https://github.com/acme\nwidget",
    "blank in the host": "https://git hub.com/acme/widget",
    "open bracket": "https://[2001:db8::1/acme/widget",
    "no address": "https://[2001:zz::1]/acme/widget",
    "not UTF-8": "https://github.com/acme/wid\udcffget",
    "too long": "https://github.com/" + "a" * 5000,
    "impossible name": "https://" + "ü" * 200 + ".example/a/b",
}


def text_of(url: str) -> str | None:
    return normalise(url, real_host=lambda host: host)


@pytest.mark.parametrize(
    ("expected", "url"),
    [
        pytest.param(expected, url, id=f"{number:02} {url!a}")
        for expected, urls in SAME.items()
        for number, url in enumerate(urls)
    ],
)
def test_every_spelling_of_a_repository_gives_its_one_text(
    expected: str, url: str
) -> None:
    assert text_of(url) == expected


def test_different_repositories_have_different_texts() -> None:
    texts = [text_of(url) for url in OTHERS] + list(SAME)
    assert None not in texts
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("url", NONE.values(), ids=NONE.keys())
def test_what_names_no_repository_on_a_host_has_no_text(url: str) -> None:
    assert text_of(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://jo:hunter2@github.com/acme/widget.git",
        "https://hunter2@github.com/acme/widget.git",
        "https://github.com/acme/widget.git?private_token=hunter2",
        "https://jo:hunter2@[::1]/acme/widget",
        "hunter2@github.com:acme/widget.git",
    ],
)
def test_credentials_never_reach_the_text(url: str) -> None:
    text = text_of(url)
    assert text is not None
    assert "hunter2" not in text


def test_an_ssh_alias_is_resolved_only_where_ssh_is_spoken() -> None:
    def real_host(host: str) -> str:
        return "git.example.org" if host == "Work" else host

    found = [
        normalise(url, real_host=real_host)
        for url in ("Work:a/b.git", "ssh://git@Work/a/b", "[jo@Work:22]:a/b")
    ]
    assert found == ["git.example.org/a/b"] * 3
    assert normalise("https://Work/a/b", real_host=real_host) == "work/a/b"


def test_an_alias_may_stand_for_an_address() -> None:
    assert normalise("w:a", real_host=lambda _: "::1") is None
    assert normalise("ww:a/b", real_host=lambda _: "0::1") == "[::1]/a/b"


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(url: str) -> None:
    text = text_of(url)
    kinds = {unicodedata.category(char) for char in text or ""}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}


@given(
    st.from_regex(r"[a-z0-9]{1,8}(/[a-z0-9._~ -]{1,8}){1,3}", fullmatch=True),
    st.sampled_from(("https://{}", "ssh://git@{}:22", "git://{}", "http://u:p@{}")),
)
def test_a_text_is_the_text_of_itself_as_a_url(path: str, form: str) -> None:
    text = text_of(f"https://git.example/{path}")
    if text is not None:
        assert text_of(form.format("git.example") + text.removeprefix("git.example"))
        again = text_of(f"https://{text}.git")
        assert again == text
