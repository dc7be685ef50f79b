"""Names and contents of linted code that try to be more than text, in every format, read by real parsers."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt  # comes with rich
from report_samples import at

from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Crash, Finding, Fingerprint, Report
from toolbind_lint.report import FORMATS, Options, render
from toolbind_lint.verdicts import Envelope, Evidence, Fault, Subject, Verdict

ATTACKS = {
    "newline": "a\nb.py",
    "command": "x\n::error file=y::owned",
    "command on one line": "::error::owned",
    "old command": "##[error]owned",
    "set-output": "\r\n::set-output name=x::y",
    "ansi": "\x1b[2J\x1b]0;owned\x07",
    "c1": "\x9b31m",
    "script": "</script><script>alert(1)</script>",
    "html": '<img src=x onerror="alert(1)">',
    "comment": "<!-- hidden",
    "link": "[click](https://evil.example)",
    "bare link": "https://evil.example/x www.evil.example",
    "image": "![x](https://evil.example/p.png)",
    "mention": "@everyone #1 GH-1",
    "table": "| a | b |",
    "fence": "```\n# heading\n```",
    "backticks": "a`b``c",
    "heading": "\n# owned\n",
    "emphasis": "**bold** _it_ ~~no~~",
    "percent": "%0A::error::owned",
    "percent of percent": "%250A",
    "commas": "a,file=b,line=1::x",
    "xml": "]]><evil/>&xxe;",
    "quotes": "\"'--",
    "bidi": "\u202egnp.exe\u2066x\u2069",
    "zero width": "a\u200bb\ufeff",
    "separator": "a\u2028b\u2029c\x85d",
    "surrogate": "a\udce9b\udfff",
    "nul": "a\x00b",
    "noncharacter": "a\uffffb",
    "entity": "&lt;b&gt;&#x3c;b&#x3e;",
    "placeholder": "{0} {1} %s",
}

attacks = pytest.mark.parametrize("text", ATTACKS.values(), ids=list(ATTACKS))
DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def report(text: str) -> Report:
    """A report in which everything that can come from linted code is ``text``."""
    path = f"src/{text}"
    place = at(path, 3, 5, 9)
    subject = Subject(
        id="s",
        kind="tool-loop",
        place=place,
        header=place,
        function=text,
        label=text,
        framework="",
        shape="x",
        verdicts=(
            Verdict("cap", "missing", (Fault("none", place),)),
            Verdict("wall", "held", (), (Evidence(place, text, text),)),
        ),
        envelope=Envelope(turns=text),
        witness=(Step(place, text),),
    )
    finding = Finding(
        code="TB101",
        name="no-step-cap",
        severity="error",
        confidence="high",
        how="none",
        gate="cap",
        message=text,
        help=text,
        place=place,
        loops=("s",),
        related=(Step(place, text), Step(Place(path, 4, 1, 4, 2), text)),
        trail=(Step(place, text),),
        function=text,
        kind="tool-loop",
        fingerprint=Fingerprint("a" * 16, "b" * 16),
    )
    hidden = finding._replace(disposition="suppressed", reason=text)
    return Report(
        root=".",
        findings=(finding, finding._replace(severity="review", kind="change"), hidden),
        subjects=(subject,),
        files_checked=1,
        files_screened=0,
        unreadable=(Unreadable(place, "syntax", text, True),),
        crashes=(Crash(path, text, text),),
        sources=((path, (text, text, text, text, text)),),
        notes=(text,),
    )


@attacks
@pytest.mark.parametrize("format", FORMATS)
def test_no_format_lets_a_control_through(format: str, text: str) -> None:
    out = render(report(text), format, Options(verbose=True, show_gates=True))
    assert not DANGEROUS.search(out)
    out.encode("utf-8")


@attacks
@pytest.mark.parametrize("format", ["text", "concise", "github"])
def test_no_line_of_a_log_is_a_command_of_theirs(format: str, text: str) -> None:
    lines = render(report(text), format, Options(verbose=True, show_gates=True)).split("\n")
    commands = [line for line in lines if line.startswith("::")]
    assert not [line for line in lines if "##[" in line]
    if format != "github":
        assert commands == []
        return
    for command in commands:
        match = re.fullmatch(r"::(error|warning|notice) ([^\n]*?)::([^\n]*)", command)
        assert match is not None
        fields = dict(part.split("=", 1) for part in match[2].split(","))
        assert set(fields) <= {"title", "file", "line", "endLine", "col", "endColumn"}
        assert fields["title"] in {"TB101 no-step-cap", "toolbind-lint crashed"}
        for value in (*fields.values(), match[3]):
            assert not re.search(r"%(?!25|0A|0D|3A|2C)", value)
            assert "\n" not in value
        # What the runner decodes is one line of theirs and our own line breaks, which begin no command.
        decoded = match[3].replace("%0A", "\n").replace("%25", "%")
        assert len(decoded.split("\n")) <= 2


@attacks
@pytest.mark.parametrize("format", ["json", "jsonl", "sarif", "gitlab"])
def test_json_is_json_and_ascii(format: str, text: str) -> None:
    out = render(report(text), format)
    assert out.isascii()
    for part in out.splitlines() if format == "jsonl" else [out]:
        json.loads(part)
    assert "</script" not in out or format in {"json", "jsonl", "sarif", "gitlab"}


@attacks
def test_messages_of_sarif_have_no_links_and_paths_are_uris(text: str) -> None:
    (run,) = json.loads(render(report(text), "sarif"))["runs"]
    messages: list[str] = []
    uris: list[str] = []

    def collect(value: object, key: str = "") -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                collect(inner, name)
        elif isinstance(value, list):
            for inner in value:
                collect(inner, key)
        elif isinstance(value, str):
            (uris if key == "uri" else messages).append(value) if key in {"uri", "text", "justification"} else None

    collect({"results": run["results"], "invocations": run["invocations"]})
    assert not [m for m in messages if re.search(r"\]\(", m)]
    for uri in uris:
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)
        assert unquote(uri, errors="surrogateescape").startswith("src/")


@attacks
def test_xml_holds_text_only(text: str) -> None:
    root = ElementTree.fromstring(render(report(text), "junit"))
    assert {element.tag for element in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "error"}
    assert root.get("failures") == "2"


@attacks
def test_markdown_holds_our_markup_only(text: str) -> None:
    out = render(report(text), "markdown")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(out)
    plain = MarkdownIt("gfm-like", {"linkify": False}).parse(render(report("plain"), "markdown"))

    def shape(tokens: list[object]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        found = []
        for token in tokens:
            inner = [
                (child.type, child.content if child.type == "html_inline" else "")
                for child in token.children or ()  # type: ignore[attr-defined]
                if child.type not in {"text", "text_special"}
            ]
            found.append((token.type, tuple(pair for pair in inner if pair[1] not in {"<code>", "</code>"})))  # type: ignore[attr-defined]
        return found

    assert shape(list(tokens)) == shape(list(plain))
    assert not re.search(r"https?:|www\.|(?<!&#64;)@\w", out)


def test_a_cell_cannot_be_closed() -> None:
    rows = [line for line in render(report("a | b \\| c"), "markdown").splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows[:3]} == {5}
