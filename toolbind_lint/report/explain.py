"""A rule's page, built from its folder: what and why, what fires and what does not, how to mend or silence it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from toolbind_lint.findings import Severity
from toolbind_lint.report import DEFAULTS, PIPE_WIDTH, Options
from toolbind_lint.report.plain import wrap

PROSE_WIDTH = 100
"""Longer lines are hard to read, however wide the terminal."""


_PLAIN_WORDS = {"subject": "the loop", "function": "the function", "at": "n"}


class HowLike(Protocol):
    """How a rule speaks of one way to fail."""

    @property
    def severity(self) -> Severity:
        """Of this way to fail."""

    @property
    def message(self) -> str:
        """A template: ``{word}``, and ``[[...]]`` for what may fall away."""

    @property
    def help(self) -> str:
        """A template, too."""


class ExampleLike(Protocol):
    """A program that the rule reports, or must not."""

    @property
    def caption(self) -> str:
        """What it shows, in a line."""

    @property
    def text(self) -> str:
        """The program."""

    @property
    def bad(self) -> bool:
        """Whether the rule reports it."""

    @property
    def fixed(self) -> str | None:
        """The mended program."""


class RulePage(Protocol):
    """What a page and the table need of a rule."""

    @property
    def code(self) -> str:
        """``TB101``."""

    @property
    def name(self) -> str:
        """``no-step-cap``."""

    @property
    def severity(self) -> Severity:
        """The heaviest of its hows."""

    @property
    def gate(self) -> str:
        """The gate, or an empty string."""

    @property
    def polarity(self) -> str:
        """``presence`` or ``absence``."""

    @property
    def judges(self) -> Sequence[str]:
        """Kinds of subjects."""

    @property
    def serves(self) -> Sequence[str]:
        """The demands that it checks."""

    @property
    def since(self) -> str:
        """The version that brought it."""

    @property
    def preview(self) -> bool:
        """Whether it is off unless named."""

    @property
    def summary(self) -> str:
        """A line."""

    @property
    def why(self) -> str:
        """Markdown."""

    @property
    def instead(self) -> str:
        """Markdown: how to mend it."""

    @property
    def hows(self) -> Mapping[str, HowLike]:
        """Ways to fail, in order."""

    def examples(self) -> Sequence[ExampleLike]:
        """The programs of its folder, the bad ones first."""


class _Block(NamedTuple):
    """A part of the page. ``prose`` is Markdown; ``code`` names its language."""

    kind: Literal["title", "head", "caption", "prose", "python", "toml"]
    text: str


def render(rule: RulePage, options: Options = DEFAULTS) -> str:
    """The page: rendered Markdown where colour is on (a terminal), plain text where not (a pipe).

    ``verbose`` shows every example as a program, otherwise the shortest of a kind stands for the others.
    """
    return _rich(rule, options) if options.colour else _plain(rule, options)


def markdown(rule: RulePage, every: bool = True) -> str:
    """The page as Markdown, with ``every`` example as a program or the shortest of a kind."""
    signs = {"title": "# ", "head": "## ", "caption": "### ", "prose": ""}
    parts = []
    for kind, text in _blocks(rule, every):
        parts.append(f"{signs[kind]}{text}" if kind in signs else f"```{kind}\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def _blocks(rule: RulePage, every: bool) -> list[_Block]:
    examples, hows = rule.examples(), rule.hows.items()
    return [
        _Block("title", f"{rule.code} {rule.name}"),
        _Block("prose", rule.summary),
        _Block("prose", _about(rule)),
        _Block("head", "Why"),
        _Block("prose", rule.why),
        *_programs("What fires", [example for example in examples if example.bad], every),
        *_programs("What stays silent", [example for example in examples if not example.bad], every),
        _Block("head", "How to fix"),
        _Block("prose", rule.instead),
        *_mended(examples, every),
        _Block("head", "What it says"),
        _Block("prose", "\n".join(f"* {how} ({spoken.severity}): {_words(spoken)}" for how, spoken in hows)),
        *_silencing(rule),
    ]


def _about(rule: RulePage) -> str:
    parts = [rule.severity, f"fires on {rule.polarity}"]
    if rule.gate:
        parts += [f"gate {rule.gate}", f"judges {', '.join(rule.judges)}"]
    return " · ".join([*parts, f"since {rule.since}", *(["preview"] if rule.preview else [])])


def _words(spoken: HowLike) -> str:
    """Message and help without the marks of a template, each word that a finding fills in by its plain name."""
    text = " ".join(part.rstrip(".") + "." for part in (spoken.message, spoken.help) if part)
    text = re.sub(r"\[\[(.*?)\]\]", r"\1", text, flags=re.DOTALL)
    return " ".join(re.sub(r"\{([a-z_]+)\}", lambda match: _PLAIN_WORDS.get(match[1], match[1]), text).split())


def _programs(title: str, examples: Sequence[ExampleLike], every: bool) -> list[_Block]:
    """What the examples show, a line each, and the shortest as a program; or ``every`` program."""
    if not examples:
        return []
    blocks = [_Block("head", title)]
    if not every:
        captions = "\n".join(f"* {example.caption}" for example in examples)
        shortest = min(examples, key=lambda example: (example.text.count("\n"), example.text))
        return [*blocks, _Block("prose", captions), _Block("python", _program(shortest.text, shortest.caption))]
    for example in examples:
        blocks += [_Block("caption", example.caption), _Block("python", _program(example.text, example.caption))]
    return blocks


def _program(text: str, caption: str) -> str:
    """A program without the caption that it begins with, its expectation as an arrow."""
    first, _, rest = text.strip("\n").partition("\n")
    if caption in first and first.lstrip().startswith(('"""', "#")):
        text = rest
    return re.sub(r"# expect: *", "# <- ", text).strip("\n")


def _mended(examples: Sequence[ExampleLike], every: bool) -> list[_Block]:
    blocks = []
    mended = [(example.caption, example.fixed) for example in examples if example.fixed is not None]
    for caption, text in mended if every else mended[:1]:
        blocks += [_Block("caption", f"{caption.rstrip('.')}, mended:"), _Block("python", _program(text, caption))]
    return blocks


def _silencing(rule: RulePage) -> list[_Block]:
    where = (
        "On the line of the finding, alone on the line above, or on a loop's header for that loop; "
        "`ignore-file` in the head of a file is for the whole file. A reason is required."
    )
    configuration = (
        f'[tool.toolbind-lint]\nignore = ["{rule.code}"]\nseverity = {{ {rule.code} = "advice" }}\n\n'
        f'[tool.toolbind-lint.per-file-ignores]\n"scripts/**" = ["{rule.code}"]'
    )
    return [
        _Block("head", "Suppress"),
        _Block("python", f"# toolbind: ignore[{rule.code}] why this one is right as it is"),
        _Block("prose", where),
        _Block("head", "Configure"),
        _Block("toml", configuration),
        _Block("prose", "A severity in the configuration may lower the rule's own."),
    ]


def _plain(rule: RulePage, options: Options) -> str:
    """Headings in capitals, prose wrapped, programs indented: nothing that depends on the terminal."""
    width = min(options.width, PROSE_WIDTH)
    lines: list[str] = []
    for kind, text in _blocks(rule, options.verbose):
        if kind in {"title", "head"}:
            rows = [text.upper() if kind == "head" else text]
        elif kind in {"caption", "prose"}:
            rows = _prose(text, width)
        else:
            rows = [f"    {row}" for row in text.split("\n")]
        lines += ["", *rows] if lines else rows
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _prose(text: str, width: int) -> list[str]:
    """Markdown as plain text: paragraphs and list items wrapped, fenced code as it is, without its fences."""
    rows: list[str] = []
    fenced, waiting, indent = False, "", ""
    for line in [*text.strip().split("\n"), ""]:
        item = re.match(r"\s*([*-]|\d+\.) +", line)
        if waiting and (not line.strip() or item or line.lstrip().startswith("```")):
            first, *others = wrap(waiting, width - len(indent))
            rows += [first, *(indent + row for row in others)]
            waiting, indent = "", ""
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            rows.append(f"    {line}")
        elif not line.strip():
            rows.append("")
        elif item:
            waiting, indent = " ".join(line.split()), " " * len(item[0].lstrip())
        else:
            waiting = f"{waiting} {' '.join(line.split())}".strip()
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _rich(rule: RulePage, options: Options) -> str:
    """Through rich, in the terminal's own sixteen colours, headings to the left."""
    from io import StringIO

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Heading, Markdown
    from rich.text import Text
    from rich.theme import Theme

    class LeftHeading(Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            self.text.justify = "left"
            if self.tag != "h1":
                yield Text("")
            yield self.text

    class Page(Markdown):
        elements = {**Markdown.elements, "heading_open": LeftHeading}  # noqa: RUF012 (declared so by rich)

    plain = Theme({"markdown.code": "cyan", "markdown.h1": "bold", "markdown.h2": "bold", "markdown.h3": "italic"})
    out = StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard",
        theme=plain,  # rich's own sets code on black, which a light terminal shows as bars
        width=min(options.width, PIPE_WIDTH + 2),  # programs are up to a hundred and twenty columns wide
        legacy_windows=False,
    )
    console.print(Page(markdown(rule, options.verbose), code_theme="ansi_dark", hyperlinks=False))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    kept = [line for before, line in zip(["", *lines], lines, strict=False) if line or before]
    return "".join(f"{line}\n" for line in kept)
