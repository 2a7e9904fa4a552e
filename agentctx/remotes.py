"""One repository, one text, however its remote is written (A2.4).

`https://User@Host:443/Owner/Repo.git/` and `git@host:owner/repo` are both
`host/owner/repo`. Scheme, credentials and port say how to reach a repository and not
which one it is. What names no repository on a host (a path on this machine, a relative
path, a broken URL) has no such text.
"""

from __future__ import annotations

import re

from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    RealHost = Callable[[str], str]

MAX_CHARACTERS = 4096

_URL = pattern(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_DRIVE = pattern(r"/?[a-z][:|](?:/|$)", re.IGNORECASE)
_CONTROL = pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HOST = pattern(r"[^\s/@:\[\]%?#,;'\"`<>|\\^{}()!$&*+=~-][^\s/@:\[\]%?#'\"`<>|\\]*")
_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")
_SECRET = pattern(r"token|secret|passw|key|auth|sig", re.IGNORECASE)
_SSH = {"ssh", "git+ssh", "ssh+git"}

_SAME_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "visualstudio.com",
}
"""Hosts that are another way to reach a known one."""

_AZURE = "dev.azure.com"
_OLD_AZURE = "visualstudio.com"
_AZURE_MARKS = {"_git", "_ssh"}
_V3_PARTS = 4


class _Address(NamedTuple):
    host: str
    path: str
    over_ssh: bool
    user: str = ""


def normalise(url: str, *, real_host: RealHost) -> str | None:
    """Give the text of the repository that `url` means, or None when it means none.

    `real_host` answers what the ssh configuration calls a host.
    """
    text = url.strip()
    if not text or len(text) > MAX_CHARACTERS or _CONTROL.search(text):
        return None
    address = _address(text.replace("\\", "/"))
    if address is None:
        return None
    named = address.host
    if address.over_ssh and not named.startswith("["):
        named = real_host(named)
    host = _host(named)
    parts = _parts(address.path)
    if host is None or not parts:
        return None
    host = _SAME_HOST.get(host, host)
    if host == _OLD_AZURE:  # over ssh the organisation was the user
        host = f"{address.user.lower()}.{host}"
    host, parts = _at_azure(host, parts)
    return "/".join([host, *parts])


def _address(text: str) -> _Address | None:
    """Divide a URL, a share or ssh's short form; None for a path on this machine."""
    match = _URL.fullmatch(text)
    if match is not None:
        return _of_url(match[1].lower(), match[2])
    if text.startswith("//"):
        return _of_share(text[2:])
    before, colon, path = text.partition(":")
    if text.startswith("[") or "@[" in before:
        return _of_brackets(text)
    if not colon or "/" in before or _DRIVE.match(text) or path.startswith(":"):
        return None
    user, _, host = before.rpartition("@")
    return _Address(host, path, over_ssh=True, user=user) if len(host) > 1 else None


def _of_url(scheme: str, rest: str) -> _Address | None:
    if scheme == "file":
        return _of_share(rest)
    authority, _, path = rest.partition("/")
    user, _, named = authority.rpartition("@")
    host = _without_port(named)
    if host is None:
        return None
    user = user.partition(":")[0]
    return _Address(_unquoted(host), _without_secrets(path), scheme in _SSH, user)


def _of_share(rest: str) -> _Address | None:
    """Read what follows `//`: a share on another machine, or a path on this one."""
    host, _, path = rest.partition("/")
    if host.lower() in {"", ".", "?", "localhost"} or _DRIVE.match(f"{host}/"):
        return None
    return _Address(host, path, over_ssh=False)


def _of_brackets(text: str) -> _Address | None:
    """Read `[host:port]:path` and `user@[address]:path`, as git does."""
    before, closed, path = text.rpartition("]:")
    inner = before.partition("[")[2]
    if not closed or not inner:
        return None
    inner = inner.rpartition("@")[2]
    if inner.count(":") > 1:
        return _Address(f"[{inner}]", path, over_ssh=True)
    host = _without_port(inner)
    return None if host is None else _Address(host, path, over_ssh=True)


def _without_port(authority: str) -> str | None:
    """Take the port off; None when what stands there is no port."""
    if authority.startswith("["):
        inner, closed, port = authority.partition("]")
        host = inner + closed
        if not closed or (port and not port.startswith(":")):
            return None
        port = port[1:]
    else:
        host, _, port = authority.partition(":")
    return host if not port or (port.isascii() and port.isdigit()) else None


def _without_secrets(path: str) -> str:
    """Take out of a query what only lets one in."""
    path, _, query = path.partition("?")
    kept = [
        part
        for part in query.split("&")
        if part and not _SECRET.search(part.partition("=")[0])
    ]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _host(named: str) -> str | None:
    if ":" in named:
        return _numbered(named.strip("[]"))
    host = named.lower().rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) else None


def _numbered(address: str) -> str | None:
    """Write an IPv6 address in its one short form."""
    import ipaddress  # noqa: PLC0415 - hardly any remote needs it

    try:
        return f"[{ipaddress.IPv6Address(_unquoted(address))}]"
    except ValueError:
        return None


def _parts(path: str) -> list[str]:
    """Give the parts of a repository's path, unified; none for a path we refuse."""
    text = _unquoted(path).replace("\\", "/").lower()
    if _CONTROL.search(text):
        return []
    if not text.isascii():
        import unicodedata  # noqa: PLC0415 - few paths need it

        text = unicodedata.normalize("NFC", text)
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    if parts and parts[-1] == ".git":
        parts.pop()
    elif parts:
        parts[-1] = parts[-1].removesuffix(".git")
    return parts


def _unquoted(text: str) -> str:
    """Take the percent signs out; where they hide no UTF-8 they stay."""
    if "%" not in text:
        return text
    content = _PERCENT.sub(
        lambda found: bytes.fromhex(found[1].decode("ascii")),
        text.encode("utf-8", "surrogateescape"),
    )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return text


def _at_azure(host: str, parts: list[str]) -> tuple[str, list[str]]:
    """Bring the spellings of Azure DevOps to `dev.azure.com/org/project/repository`."""
    old = host.endswith(f".{_OLD_AZURE}")
    if parts[0] == "v3" and len(parts) == _V3_PARTS and (old or host == _AZURE):
        return _AZURE, parts[1:]
    mark = next((number for number, one in enumerate(parts) if one in _AZURE_MARKS), -1)
    if mark < 0 or mark + 1 >= len(parts):
        return host, parts
    before = parts[:mark]
    after = parts[mark + 1 :]
    if len(after) > 1 and after[0] in {"_full", "_optimized"}:
        del after[0]
    if old:
        before.insert(0, host.removesuffix(f".{_OLD_AZURE}"))
    if not old and host != _AZURE:  # a server of one's own
        return host, [*before, "_git", *after]
    before = [part for part in before if part != "defaultcollection"]
    if len(before) == 1:  # the project is called as its repository is
        before.append(after[-1])
    return _AZURE, [*before, *after]
