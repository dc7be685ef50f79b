"""Calls into code that nobody knows, which carry the tools of a loop: the gates that they hide, and the answer."""

from __future__ import annotations

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External
from toolbind_lint.recognise.roles import dotted
from toolbind_lint.verdicts import GATES, Fault, Verdict

HIDDEN = ("tool-timeout", "allowlist", "schema")
"""The gates that a call which runs the tools can hold, in the order of a configuration's `proves`."""


def unknown_calls(case: Case, verdicts: tuple[Verdict, ...]) -> tuple[Fault, ...]:
    """The calls of a subject that hand a tool's name and arguments to unknown code, where a gate is unknown for it."""
    unknown = {v.gate for v in verdicts if v.state == "unknown"}
    gates = [gate for gate in HIDDEN if gate in unknown]
    if not gates:
        return ()
    out: dict[str, Fault] = {}
    for point in sorted(case.dispatches, key=lambda p: (p.node.span, p.number)):
        if point.dispatch is None or point.dispatch.form != "handed-on" or not isinstance(point.node, ir.Call):
            continue
        key, name = _named(case, point, point.node)
        if name and name not in out:
            proves = ", ".join(f'"{gate}"' for gate in gates)
            said = ", ".join(gate.replace("-", " ") for gate in GATES if gate in gates)
            words = (
                ("call", name),
                ("key", key),
                ("proves", " ".join(gates)),
                ("gates", said),
                ("config", f'dispatch = [{{ {key} = "{name}", proves = [{proves}] }}]'),
            )
            out[name] = Fault("dispatch", place_of(case, point), words)
    return tuple(out.values())


def _named(case: Case, point: Point, call: ir.Call) -> tuple[str, str]:
    """How a configuration names a callee: by its dotted name, or by the end of its path where its owner is unknown."""
    for meaning in case.tools.program.resolve(call.func, point.frame.function):
        if isinstance(meaning, External):
            return "call", meaning.name
    path = dotted(call.func)
    return "method", ".".join(path.split(".")[-2:]).removeprefix("self.")
