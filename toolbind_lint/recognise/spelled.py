"""What the word under which a piece of a reply is kept says that it is: a tool's name, arguments, a command to run.

A model that is told of its tools in the prompt answers with a text, or a table made of one; the code that takes it
apart says by its own words what it found.
"""

from __future__ import annotations

import re

from toolbind_lint.recognise import ir

_NAMES = re.compile(r"(?:^|_)(?:tool|function|func|fn|action|command|cmd)(?:_?(?:name|type|id))?$")
_ARGUMENTS = re.compile(r"(?:^|_)(?:args?|arguments?|inputs?|params|parameters|kwargs|payload)$")
_PARSERS = re.compile(
    r"_*(?:a|async_|safe_|try_)?(?:parse|extract|detect|clean|strip|split|unquote|repair|loads$|load$|literal_eval)"
)
_SHELLS = re.compile(r"(?:.*/)?(?:ba|z|da|k)?sh$|(?:.*/)?python[\d.]*$|cmd(?:\.exe)?$|powershell$|pwsh$")


def is_name(expr: ir.Expr) -> bool:
    """Whether a value is kept under a word for a tool's name: ``tool_name``, ``step["action"]``."""
    return bool(_NAMES.search(_word(expr)))


def are_arguments(expr: ir.Expr) -> bool:
    """Whether a value is kept under a word for arguments: ``action_input``, ``call["args"]``."""
    return bool(_ARGUMENTS.search(_word(expr)))


def parses(name: str) -> bool:
    """Whether a function of this name takes a text apart: what it gives is still what the text said."""
    return _PARSERS.match(name.lower()) is not None


def command(call: ir.Call) -> ir.Expr | None:
    """The text that a call which starts a process runs as a command, where it is the whole of it.

    ``run(x, shell=True)``, ``run(["bash", "-c", x])``; a text that is one argument of a fixed program is no command.
    """
    given = [a.value for a in call.args if a.name is None and not a.star]
    if len(given) == 1 and isinstance(given[0], ir.Seq):
        given = list(given[0].items)
    if len(given) == 1 and isinstance(given[0], (ir.Name, ir.Attr, ir.Call, ir.Subscript)):
        return given[0]
    if len(given) >= 3 and _says(given[0], _SHELLS) and isinstance(given[1], ir.Const):
        return given[-1] if str(given[1].value).endswith("c") else None
    return None


def _says(expr: ir.Expr, pattern: re.Pattern[str]) -> bool:
    return isinstance(expr, ir.Const) and isinstance(expr.value, str) and pattern.match(expr.value) is not None


def _word(expr: ir.Expr) -> str:
    """The last word of a name, a field or a constant key, in small letters and parted by ``_``."""
    word: object = ""
    if isinstance(expr, (ir.Await, ir.Starred)):
        return _word(expr.value)
    if isinstance(expr, ir.Name):
        word = expr.id
    elif isinstance(expr, ir.Attr):
        word = expr.name
    elif isinstance(expr, ir.Subscript) and isinstance(expr.index, ir.Const):
        word = expr.index.value
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in {"get", "pop"}:
        key = expr.args[0].value if expr.args else None
        word = key.value if isinstance(key, ir.Const) else ""
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in {"strip", "lower"}:
        return _word(expr.func.base)
    if not isinstance(word, str):
        return ""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).replace(" ", "_").replace("-", "_").lower()
