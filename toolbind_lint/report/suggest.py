"""The configuration that answers the unknown calls of a report, as TOML to paste."""

from __future__ import annotations

from toolbind_lint.facts import Place
from toolbind_lint.findings import Report
from toolbind_lint.report import Options
from toolbind_lint.report.places import Reader
from toolbind_lint.report.plain import count, one_line


def render(report: Report, options: Options) -> str:
    """One table for each unknown call, with where it stands; a comment alone where there is none."""
    reader = Reader(report, options)
    calls: dict[tuple[str, str], tuple[set[str], dict[Place, None], set[str]]] = {}
    for subject in report.subjects:
        for fault in subject.unknown:
            words = dict(fault.words)
            entry = calls.setdefault((words["key"], words["call"]), (set(), {}, set()))
            entry[0].update(words["proves"].split())
            entry[1][fault.place] = None
            entry[2].add(subject.id)
    if not calls:
        return "# No call into unknown code runs the tools of a loop.\n"
    lines = ["# Read each function, and leave in `proves` only what it holds."]
    for (key, name), (gates, places, loops) in sorted(calls.items()):
        at = ", ".join(reader.line(place) for place in sorted(places)[:3])
        lines += ["", f"# runs the tools of {count(len(loops), 'loop')}: {one_line(at)}"]
        lines += ["[[tool.toolbind-lint.dispatch]]", f"{key} = {_quoted(name)}"]
        lines.append(f"proves = [{', '.join(_quoted(gate) for gate in sorted(gates))}]")
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """A TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{one_line(escaped)}"'
