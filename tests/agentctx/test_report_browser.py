"""A report in a real browser: silent, narrow, legible, and told to whoever listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentctx.report.page import page
from tests.agentctx.chromium import PROGRAM, Browser, browser
from tests.agentctx.reported import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.requirement("A12"),
    pytest.mark.skipif(
        PROGRAM is None,
        reason="Chromium is not installed: Debian's package `chromium` has it",
    ),
]

NARROW = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}

CONTRAST = """
(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (one) => {
    const [r, g, b] = one.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return null;
  };
  for (const one of document.querySelectorAll('details')) one.open = true;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    const [one, other] = [rgb(getComputedStyle(node).color), paper(node)].map(light);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([ratio, node.tagName, walker.currentNode.data.slice(0, 30)]);
  }
  found.sort((one, other) => one[0] - other[0]);
  return {count: found.length, worst: found[0], paper: paper(document.body)};
})()
"""

WIDTH = """
(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const root = document.scrollingElement;
  window.scrollTo(1000, 0);
  return [window.innerWidth, root.clientWidth, root.scrollWidth, window.scrollX];
})()
"""


FOLDED = "[...document.querySelectorAll('details > :not(summary)')]"
SEEN = "(one) => one.checkVisibility() && one.getBoundingClientRect().height > 0"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    one = folder / "report.html"
    one.write_text(page(Place(folder).report(everywhere=True)), encoding="utf-8")
    return one


@pytest.fixture(scope="module")
def chromium(path: Path) -> Iterator[Browser]:
    with browser(path.parent / "profile") as one:
        yield one


def test_it_loads_without_a_complaint_and_asks_for_nothing(
    chromium: Browser, path: Path
) -> None:
    chromium.open(path)
    asked = [
        one["params"]["request"]["url"]
        for one in chromium.events
        if one.get("method") == "Network.requestWillBeSent"
    ]
    assert asked == [path.as_uri()]
    complaints = {
        "Log.entryAdded",
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
    }
    assert [one for one in chromium.events if one.get("method") in complaints] == []
    assert chromium.value("document.scripts.length") == 0
    assert chromium.value("document.compatMode") == "CSS1Compat"


def test_a_phone_shows_it_without_moving_sideways(
    chromium: Browser, path: Path
) -> None:
    chromium.ask("Emulation.setDeviceMetricsOverride", **NARROW)
    try:
        chromium.open(path)
        inner, client, scroll, moved = chromium.value(WIDTH)
    finally:
        chromium.ask("Emulation.clearDeviceMetricsOverride")
    assert (inner, client, scroll, moved) == (360, 360, 360, 0)


@pytest.mark.parametrize(
    ("media", "scheme", "is_dark"),
    [
        ("screen", "light", False),
        ("screen", "dark", True),
        ("print", "light", False),
        ("print", "dark", False),
    ],
)
def test_every_text_stands_out(
    chromium: Browser, path: Path, media: str, scheme: str, *, is_dark: bool
) -> None:
    chromium.open(path)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chromium.ask("Emulation.setEmulatedMedia", media=media, features=features)
    found = chromium.value(CONTRAST)
    assert found["count"] > 200
    assert found["worst"][0] >= 4.5, found["worst"]
    assert (sum(found["paper"][:3]) < 3 * 128) is is_dark


def test_print_shows_what_is_folded(chromium: Browser, path: Path) -> None:
    chromium.open(path)
    folded = chromium.value(f"{FOLDED}.length")
    assert folded > 5
    assert chromium.value(f"{FOLDED}.filter({SEEN}).length") == 0
    chromium.ask("Emulation.setEmulatedMedia", media="print", features=[])
    assert chromium.value(f"{FOLDED}.filter({SEEN}).length") == folded
    nav = "getComputedStyle(document.querySelector('nav')).display"
    assert chromium.value(nav) == "none"


def test_who_listens_is_told_the_landmarks_and_the_headings(
    chromium: Browser, path: Path
) -> None:
    chromium.open(path)
    nodes = chromium.ask("Accessibility.getFullAXTree")["nodes"]
    seen = [one for one in nodes if not one.get("ignored")]
    roles = [role(one) for one in seen]
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert roles.count(landmark) == 1, landmark
    names = [name(one) for one in seen if role(one) == "heading"]
    assert names[0].startswith("What is known about weather")
    wanted = ("At a glance", "What is known", "How it changed", "What contradicts")
    assert [one for one in wanted if one not in names] == []
    assert roles.count("columnheader") > 20
    assert roles.count("rowheader") > 10
    unnamed = [one for one in seen if role(one) in NAMED and not name(one)]
    assert [(role(one), one["nodeId"]) for one in unnamed] == []


def test_the_keyboard_reaches_the_report_first(chromium: Browser, path: Path) -> None:
    chromium.open(path)
    key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
    chromium.ask("Input.dispatchKeyEvent", type="keyDown", **key)
    chromium.ask("Input.dispatchKeyEvent", type="keyUp", **key)
    assert chromium.value("document.activeElement.className") == "skip"
    top = "document.activeElement.getBoundingClientRect().top"
    assert chromium.value(top) >= 0
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    chromium.ask("Input.dispatchKeyEvent", type="keyDown", **enter)
    chromium.ask("Input.dispatchKeyEvent", type="keyUp", **enter)
    assert chromium.value("document.activeElement.id") == "report"


NAMED = {"table", "article", "link", "navigation", "heading", "DisclosureTriangle"}
"""Roles of things that have a name, or nobody knows what they are."""


def role(node: dict[str, Any]) -> str:
    return str(node.get("role", {}).get("value"))


def name(node: dict[str, Any]) -> str:
    return str(node.get("name", {}).get("value", ""))
