"""What is said on each way through a loop: the graph of paths with the points at which a call may be answered.

The plain graph keeps what bounds and handlers need. A transcript needs more: each message that is added, each value
that is yielded, and each call into other code that may do one of these with what it is given.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Builder, Context, Frame, Graph, Point
from toolbind_lint.recognise.program import ClassRef, External, Function
from toolbind_lint.recognise.roles import ARGS, CALL, CALLS, ERROR, ERROR_TEXT, NAME, REPLY, RESULT, TOOL, last_name

MAX_DEEP = 3

GROW = frozenset({"append", "extend", "add", "insert", "appendleft", "update", "setdefault", "put", "put_nowait"})
_HARMLESS = re.compile(
    r"^_*(log|print|pprint|debug|info|warn|error|exception|critical|trace|emit|notify|display|show|render|echo|on_|"
    r"report|track|sleep|set_attribute|set_status|record_exception|add_event|capture|incr|observe|time|monotonic|"
    r"perf_counter|isinstance|len|str|repr|int|float|bool|type|hasattr|getattr|get|items|keys|values|split|strip|"
    r"lower|upper|startswith|endswith|join|format|format_exc|loads|dumps|copy|model_dump|start|stop|end|cancel|"
    r"secho|spinner|progress|publish|metric|count|audit)"
)
_TELLS = re.compile(r"message|result|answer|respon|observation|tool|repair|fix|sanit|clean|heal|histor|transcript")
_OTHER_SIDE = re.compile(r"(Human|User|System|AI|Assistant|Developer)\w*(Message|Prompt|Content|Turn)?")


class SayingBuilder(Builder):
    """Builds the graph of a loop with a ``say`` point wherever something may be told to the model.

    The ``op`` of such a point is add (to a list), put (under a key or into a field), hand (to other code) or yield.
    """

    def expr(self, expr: ir.Expr | None, after: Point, ctx: Context) -> Point:
        """The entry of the evaluation of an expression; what is yielded is said."""
        if isinstance(expr, ir.Yield) and expr.value is not None and (ctx.yields is None or expr.delegates):
            said = self._say(expr, (expr.value,), after, ctx)
            said.op = "yield"
            return super().expr(expr, said, ctx)
        return super().expr(expr, after, ctx)

    def _outside(self, call: ir.Call, after: Point, ctx: Context) -> Point:
        made = super()._outside(call, after, ctx)
        given = tuple(a.value for a in call.args)
        if isinstance(call.func, ir.Attr) and call.func.name in GROW:
            added = self._say(call, given, made, ctx)
            added.op, added.cell = "add", self.cell(call.func.base, ctx.frame)
            return added
        if not given or not self._may_tell(call, ctx.frame.function):
            return made
        handed = self._say(call, given, made, ctx)
        handed.op = "hand"
        return handed

    def _sets(
        self,
        stmt: ir.Node,
        targets: Sequence[ir.Expr],
        value: ir.Expr | None,
        value_frame: Frame,
        after: Point,
        ctx: Context,
    ) -> Point:
        entry = super()._sets(stmt, targets, value, value_frame, after, ctx)
        kept = [t for t in targets if isinstance(t, (ir.Attr, ir.Subscript))]
        if kept and value is not None and not isinstance(value, ir.Const):
            entry = self._say(stmt, (value,), entry, ctx)
            entry.value_frame = value_frame
            entry.op = "put"
            entry.cell = self.cell(kept[0].base if isinstance(kept[0], ir.Subscript) else kept[0], ctx.frame)
        return entry

    def _augment(self, stmt: ir.Aug, after: Point, ctx: Context) -> Point:
        entry = super()._augment(stmt, after, ctx)
        if isinstance(stmt.value, ir.Const) or stmt.op != "+":
            return entry
        said = self._say(stmt, (stmt.value,), entry, ctx)
        said.op, said.cell = "add", self.cell(stmt.target, ctx.frame)
        return said

    def _say(self, node: ir.Node, values: tuple[ir.Expr, ...], after: Point, ctx: Context) -> Point:
        made = self.point("say", node, ctx.frame, ctx.loops)
        made.value = values[-1] if len(values) == 1 else ir.Seq(node.span, "tuple", values)
        made.value_frame = ctx.frame
        made.to.append(("", after))
        return made

    def _may_tell(self, call: ir.Call, function: Function) -> bool:
        """Whether a call that is not laid in may tell the model something of what it is given."""
        if _HARMLESS.match(last_name(call.func)):
            return False
        targets = self.program.targets(call, function)
        if targets:
            return any(self._keeps(t, 0) for t in targets)
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, External):
                root = meaning.name.partition(".")[0]
                return root not in sys.stdlib_module_names
            if isinstance(meaning, ClassRef):
                return False  # made, and not said yet
        return True

    def _keeps(self, function: Function, depth: int) -> bool:
        """Whether a function of the project yields, keeps or hands on what it is given."""
        notes, key = self.program.notes, ("keeps", function.key, depth)
        if key not in notes:
            notes[key] = self._keeps_itself(function, depth)
        return bool(notes[key])

    def _keeps_itself(self, function: Function, depth: int) -> bool:
        for node in function.nodes:
            if isinstance(node, ir.Yield):
                return True
            if isinstance(node, (ir.Assign, ir.Aug)):
                targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
                if any(isinstance(t, (ir.Attr, ir.Subscript)) for t in targets):
                    return True
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in GROW:
                return True
            if isinstance(node, ir.Call) and depth < MAX_DEEP:
                if any(self._keeps(t, depth + 1) for t in self.program.targets(node, function)):
                    return True
        return False


def build(case: Case) -> tuple[Graph, SayingBuilder]:
    """The graph of a case with its ``say`` points."""
    builder = SayingBuilder(case.tools.program, case.tools.roles, case.tools.catalogue)
    if isinstance(case.node, (ir.While, ir.For)):
        return builder.loop(case.node, case.function), builder
    return builder.recursion(case.function), builder


class Speech:
    """What the points of a case say: an answer to a call, the reply itself, or something else."""

    def __init__(self, case: Case) -> None:
        catalogue = case.tools.catalogue
        self.case = case
        self.roles = case.tools.roles
        self.program = case.tools.program
        self.result_roles = catalogue.words("result-message", "roles")
        keys = catalogue.words("result-message", "keys")
        self.id_keys = frozenset(k for k in keys if k.endswith(("_id", "Id")))
        self.answer_keys = self.id_keys | frozenset(k for k in keys if "esult" in k or k.endswith("_response"))
        self.text_keys = catalogue.words("reply", "text") - {"content"}
        self.classes = frozenset(c.rpartition(".")[2] for c in catalogue.words("result-message", "classes"))

    def names_calls(self, functions: Sequence[Function]) -> bool:
        """Whether an answer of these functions says which call it answers, as a provider that keeps pairs asks for."""
        return any(self._names_call(node) for function in functions for node in function.nodes)

    def _names_call(self, node: ir.Node) -> bool:
        if isinstance(node, ir.DictE):
            return any(isinstance(k, ir.Const) and k.value in self.answer_keys for k, _ in node.items)
        if isinstance(node, ir.Call):
            return last_name(node.func) in self.classes or any(a.name in self.id_keys for a in node.args)
        if isinstance(node, ir.Assign):
            indices = [t.index for t in node.targets if isinstance(t, ir.Subscript)]
            return any(isinstance(i, ir.Const) and i.value in self.id_keys for i in indices)
        return False

    def answers(self, point: Point) -> bool:
        """Whether a point may answer a call."""
        if point.kind != "say" or point.value is None:
            return False
        function = (point.value_frame or point.frame).function
        if point.op == "hand":
            return self._hands_on(point, point.value, function)
        return self._may_answer(point.value, function)

    def _hands_on(self, point: Point, value: ir.Expr, function: Function) -> bool:
        """Whether a call into other code is given what an answer is made of."""
        if isinstance(point.node, ir.Call) and _TELLS.search(last_name(point.node.func)):
            return True
        for item in value.items if isinstance(value, ir.Seq) else (value,):
            if isinstance(item, ir.DictE) and self._message_answers(item):
                return True
            if self.roles.of(item, function) & {RESULT, ERROR, ERROR_TEXT, CALL, CALLS, TOOL}:
                return True
        return False

    def _may_answer(self, value: ir.Expr, function: Function) -> bool:
        if isinstance(value, (ir.Await, ir.Starred)):
            return self._may_answer(value.value, function)
        if isinstance(value, ir.Seq):
            return any(self._may_answer(i, function) for i in value.items)
        if isinstance(value, ir.Const):
            return False
        if isinstance(value, ir.DictE):
            return self._message_answers(value)
        roles = self.roles.of(value, function)
        if isinstance(value, ir.Call) and _OTHER_SIDE.fullmatch(last_name(value.func)):
            return any(a.name in self.id_keys for a in value.args)
        if roles and roles <= {NAME, ARGS}:
            return False  # a note of what was called
        return not roles or bool(roles & {RESULT, ERROR_TEXT, CALL}) or not roles & {REPLY, CALLS}

    def _message_answers(self, value: ir.DictE) -> bool:
        if any(isinstance(k, ir.Const) and k.value in self.answer_keys for k, _ in value.items):
            return True
        role = value.get("role")
        if role is None or not isinstance(role, ir.Const):
            return True
        if role.value in self.result_roles:
            return True
        content = value.get("content")
        told = isinstance(content, (ir.Const, ir.FString, ir.Bin))
        text = isinstance(content, ir.Call) and last_name(content.func) in {"str", "dumps", "format", "join"}
        return role.value == "user" and not told and not text

    def stores_reply(self, point: Point) -> bool:
        """Whether a point adds a reply, its calls included, to what the model is sent."""
        if point.kind != "say" or point.value is None:
            return False
        values = point.value.items if isinstance(point.value, ir.Seq) else (point.value,)
        function = (point.value_frame or point.frame).function
        return any(self._is_reply(v, function) for v in values)

    def _is_reply(self, value: ir.Expr, function: Function) -> bool:
        roles = self.roles.of(value, function)
        if isinstance(value, ir.DictE) and not any(CALLS in self.roles.of(v, function) for _, v in value.items):
            # Its text alone, or a content of which the calls are a part.
            content = value.get("content")
            return (
                isinstance(content, (ir.Name, ir.Attr))
                and REPLY in self.roles.of(content, function)
                and not self._is_text(content)
            )
        return bool(roles & {REPLY, CALLS}) and not roles & {RESULT, ERROR_TEXT} and not self._is_text(value)

    def _is_text(self, value: ir.Expr) -> bool:
        """Whether only the text of a reply is read."""
        return isinstance(value, ir.Attr) and value.name in self.text_keys
