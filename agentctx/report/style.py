"""How a report looks: on a phone, a screen and paper, by day and by night."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --quiet: #545c66; --link: #0a4ea3;
  --line: #d3d8de; --mark: #eef1f4; --alarm: #8a1c1c; --alarmed: #fdeeec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e6e8ea; --quiet: #a9b1ba; --link: #8abaff;
    --line: #3a4149; --mark: #262b31; --alarm: #ffb9ae; --alarmed: #381e1b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
header, nav, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.5em 0 .5em; }
h1 { font-size: 1.7rem; margin-top: 1rem; }
h2 { font-size: 1.35rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; }
h4 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, .wide:focus-visible, main:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip {
  position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem;
  background: var(--paper); border: 1px solid var(--link); z-index: 1;
}
.skip:focus { top: .5rem; }
nav ul { padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
nav li { list-style: none; }
nav a { display: inline-block; padding: .3rem 0; }
article { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .8rem;
  margin: 1rem 0; }
.told { white-space: pre-wrap; unicode-bidi: isolate; margin: .3rem 0; }
blockquote { margin: .3rem 0; padding-left: .8rem;
  border-left: 2px dotted var(--quiet); }
.quiet { color: var(--quiet); }
.marks { padding: 0; margin: .2rem 0; display: flex; flex-wrap: wrap; gap: .3rem; }
.marks li { list-style: none; background: var(--mark); border-radius: .3rem;
  padding: 0 .4rem; font-size: .875rem; }
.alarm { color: var(--alarm); background: var(--alarmed); padding: .5rem .8rem;
  border-left: 4px solid currentColor; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
details { margin: .3rem 0; }
summary { cursor: pointer; padding: .2rem 0; }
dl { margin: .3rem 0; }
dl div { display: flex; flex-wrap: wrap; gap: 0 .6rem; }
dt { color: var(--quiet); min-width: 7rem; }
dd { margin: 0; flex: 1 1 12rem; min-width: 0; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; min-width: 20rem; overflow-wrap: normal; }
caption { text-align: start; font-weight: 600; padding-bottom: .3rem; }
th, td { text-align: start; vertical-align: top; padding: .25rem .8rem .25rem 0;
  border-bottom: 1px solid var(--line); font-weight: 400; max-width: 24rem; }
thead th { font-weight: 600; }
tbody th { overflow-wrap: anywhere; min-width: 7rem; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
footer { color: var(--quiet); border-top: 1px solid var(--line); margin-top: 2rem;
  padding-bottom: 2rem; }
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff; --ink: #000000; --quiet: #3d444c; --link: #000000;
    --line: #b5bbc2; --mark: #ffffff; --alarm: #5c0f0f; --alarmed: #ffffff;
  }
  body { font-size: 10pt; }
  nav, .skip { display: none; }
  header, main, footer { max-width: none; padding: 0; }
  article, tr { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  .wide { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
"""Contrast of every text is at least 4.5:1, in both schemes and in print."""
