"""Which functions move money, data or identity, and whether a second call would move it again.

By what they call (rows of the catalogue, statements of SQL, a client's method that says so) and, where only the name of
the function says it, by whether anything outside of it is changed at all. What an agent keeps for itself (notes,
plans, files of its own) is not meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import External, Function, Program
from toolbind_lint.recognise.roles import dotted, last_name, snake

Moves = Literal["money", "data", "identity"]

MAX_DEPTH = 2
MAX_FUNCTIONS = 12

_PREFIX = re.compile(r"^_*(?:(?:async|do|tool|run|handle|execute|perform|try|call|fn|action|api)_)*")
_SUFFIX = re.compile(r"(?:_(?:tool|async|sync|handler|fn|function|action|impl|node))+$")

_MONEY_ALONE = "pay|charge|refund|withdraw|deposit|purchase|reimburse|payout|debit|wire"
_MONEY = (
    "payments?|refunds?|funds|money|invoices?|transfers?|charges?|subscriptions?|payouts?|purchases?|orders?|trades?|"
    "transactions?|credits?|bookings?|reservations?|flights?|hotels?|tickets?|loans?|coupons?|gift_?cards?|shares|"
    "stocks?|crypto"
)
_MONEY_ACTS = (
    "make|create|process|issue|submit|place|send|cancel|approve|initiate|schedule|apply|book|reserve|confirm|"
    "buy|sell|transfer|pay|charge|refund|execute|purchase|redeem|swap"
)
_IDENTITY = (
    "users?|accounts?|passwords?|roles?|permissions?|access|members?|memberships?|credentials?|api_?keys?|"
    "identity|identities|admins?|employees?|mfa|privileges?"
)
_IDENTITY_ACTS = (
    "create|add|delete|remove|update|modify|change|reset|set|grant|revoke|assign|disable|enable|suspend|"
    "deactivate|activate|invite|ban|unban|promote|rotate|register|provision|lock|unlock"
)
_DATA = (
    "records?|rows?|tables?|databases?|customers?|contacts?|leads?|inventory|stock|products?|deals?|issues?|"
    "tickets?|shipments?|addresses|address|patients?|assets?|buckets?|objects?|instances?|servers?|volumes?|clusters?|"
    "deployments?|appointments?|events?|orders?|pages?|posts?|cases?|claims?|opportunit(?:y|ies)"
)
_DATA_ACTS = (
    "delete|drop|purge|erase|truncate|destroy|wipe|remove|update|insert|create|upsert|modify|write|archive|"
    "publish|merge|cancel|close|terminate|add|edit"
)
_SENT = "emails?|e_mails?|mails?|sms|text_messages?|fax|tweets?|letters?|invitations?|invites?|campaigns?|newsletters?"
_SENT_ACTS = "send|post|publish|reply|forward|mail|broadcast|email"

_NAMES: tuple[tuple[Moves, re.Pattern[str]], ...] = (
    ("money", re.compile(rf"^(?:{_MONEY_ALONE})(?:_(?:items?|products?|customers?|cards?|accounts?|users?))?$")),
    ("money", re.compile(r"^(?:order|buy|sell|book|reserve)_(?:items?|products?|tables?|rooms?|seats?|cars?|rides?)$")),
    ("money", re.compile(rf"^(?:{_MONEY_ACTS})_(?:\w+_)?(?:{_MONEY})(?:_|$)")),
    ("identity", re.compile(rf"^(?:{_IDENTITY_ACTS})_(?:\w+_)?(?:{_IDENTITY})$")),
    ("data", re.compile(rf"^(?:{_SENT_ACTS})_(?:\w+_)?(?:{_SENT})$")),
    ("data", re.compile(rf"^(?:{_DATA_ACTS})_(?:\w+_)?(?:{_DATA})$")),
)
_OWN = re.compile(
    r"(?:^|_)(?:memory|memories|notes?|todos?|tasks?|plans?|threads?|sessions?|history|caches?|files?|dirs?|folders?|"
    r"drafts?|lines?|texts?|cells?|blocks?|cursors?|scratch\w*|context|conversations?|messages?|prompts?|steps?|agents?|"
    r"temp|tmp|tests?|mock|example|html|json|code|chunks?|embeddings?|index(?:es)?|nodes?|edges?|widgets?|slides?)(?:_|$)"
)
_REPEATABLE = re.compile(
    r"^(?:delete|drop|purge|erase|truncate|destroy|wipe|remove|disable|enable|revoke|cancel|set|deactivate|activate|"
    r"suspend|ban|unban|grant|assign|reset|update|modify|change|archive|close|terminate|lock|unlock|edit|upsert)(?:_|$)"
)
_SQL = re.compile(
    r"^\s*(insert\s+into|update\s+\S+\s+set|delete\s+from|drop\s+table|truncate\s+(?:table\s+)?\S+)", re.I
)
_SELECTS = re.compile(r"^\s*(?:select|show|describe|explain|pragma|with)\b", re.I)
_RELATIVE = re.compile(r"set\s+(\w+)\s*=\s*\1\s*[-+]", re.I)
_OUTSIDE = re.compile(
    r"^(?:post|put|patch|delete|request|execute|executemany|commit|save|insert\w*|update\w*|send\w*|write\w*|create\w*|"
    r"submit\w*|publish\w*|add|remove\w*|transfer\w*|charge\w*|refund\w*|pay\w*|fetch|call|invoke|run|delete\w*)$"
)


class Mutation(NamedTuple):
    """What a function moves, the node that does it, and the row that knows it.

    ``again`` says that a second call moves it a second time: what sets or deletes does the same once more.
    """

    moves: Moves
    node: ir.Node
    function: Function
    again: bool
    row: Row | None = None


def named(name: str) -> Moves | None:
    """What a name says that the thing it names moves."""
    word = _PREFIX.sub("", snake(name))
    word = _SUFFIX.sub("", word)
    for moves, pattern in _NAMES:
        if pattern.search(word):
            return None if moves != "money" and _OWN.search(word) else moves
    return None


class MutationFinder:
    """Answers for the functions of one program."""

    def __init__(self, program: Program, catalogue: Catalogue) -> None:
        self.program = program
        self.catalogue = catalogue
        self._known: dict[str, Mutation | None] = {}

    def of(self, function: Function) -> Mutation | None:
        """What a function moves, itself or by what it calls; None where it moves nothing that is seen."""
        if function.key not in self._known:
            self._known[function.key] = self._find(function)
        return self._known[function.key]

    def reached(self, function: Function) -> list[Function]:
        """A function and the functions of the project that it calls."""
        found = {function.key: function}
        queue = [(function, 0)]
        while queue and len(found) < MAX_FUNCTIONS:
            top, depth = queue.pop(0)
            for call in top.calls if depth < MAX_DEPTH else ():
                for target in self.program.targets(call, top):
                    if target.key not in found and len(found) < MAX_FUNCTIONS:
                        found[target.key] = target
                        queue.append((target, depth + 1))
        return list(found.values())

    def _find(self, function: Function) -> Mutation | None:
        functions = self.reached(function)
        said = named(function.node.name)
        own = _OWN.search(_PREFIX.sub("", snake(function.node.name)))
        for top in functions:
            for node in top.nodes:
                found = self._by_itself(node, top, bool(own))
                if found is not None:
                    return found if said is None else found._replace(moves=said)
        if said is None:
            return None
        again = not _REPEATABLE.search(_PREFIX.sub("", snake(function.node.name)))
        for top in functions:
            for node in top.nodes:
                if self._changes(node, top):
                    return Mutation(said, node, top, again or isinstance(node, ir.Aug))
        return None

    # ---- what says it by itself

    def _by_itself(self, node: ir.Node, function: Function, own: bool) -> Mutation | None:
        if not isinstance(node, ir.Call):
            return None
        row = self._row(node, function)
        if row is not None and not (own and row.one("moves") == "data"):
            return Mutation(cast(Moves, row.one("moves")), node, function, not row.flags.get("repeatable", False), row)
        if own:
            return None
        text = self._statement(node, function)
        if text:
            first = text.split()[0].lower()
            return Mutation("data", node, function, first == "insert" or bool(_RELATIVE.search(text)))
        name = last_name(node.func)
        said = named(name) if isinstance(node.func, ir.Attr) else None
        if said is not None and not self.program.targets(node, function) and not self._is_container(node, function):
            return Mutation(said, node, function, not _REPEATABLE.search(snake(name)))
        return None

    def _row(self, call: ir.Call, function: Function) -> Row | None:
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, External):
                row = self.catalogue.find("mutation", meaning.name)
                if row is not None:
                    return row
        path = dotted(call.func)
        return self.catalogue.by_method("mutation", path) if path and not self.program.targets(call, function) else None

    def _statement(self, call: ir.Call, function: Function) -> str:
        """The SQL that a call is given and that changes something."""
        if last_name(call.func) not in {"execute", "executemany", "run", "fetch", "fetchrow", "raw", "text", "query"}:
            return ""
        return next((text for text in self._texts(call, function) if _SQL.search(text)), "")

    def _texts(self, call: ir.Call, function: Function) -> Iterator[str]:
        """The texts that the first argument of a call may be."""
        for arg in call.args[:1]:
            for value, _ in self.program.values(arg.value, function):
                wrapped = isinstance(value, ir.Call) and value.args and last_name(value.func) == "text"
                spelled = value.args[0].value if wrapped and isinstance(value, ir.Call) else value
                text = spelled.text if isinstance(spelled, ir.FString) else getattr(spelled, "value", "")
                if isinstance(text, str):
                    yield text

    def _reads(self, call: ir.Call, function: Function) -> bool:
        """Whether a call is given a statement of SQL that only reads."""
        return any(_SELECTS.search(text) for text in self._texts(call, function))

    def _is_container(self, call: ir.Call, function: Function) -> bool:
        base = call.func.base if isinstance(call.func, ir.Attr) else None
        values = [v for v, _ in self.program.values(base, function)] if base is not None else []
        return bool(values) and all(isinstance(v, (ir.Seq, ir.DictE, ir.Const)) for v in values)

    # ---- what changes anything outside of a function

    def _changes(self, node: ir.Node, function: Function) -> bool:
        if isinstance(node, ir.Call):
            if self.program.targets(node, function) or self._reads(node, function):
                return False
            return bool(_OUTSIDE.search(last_name(node.func))) and self._is_outside(node, function)
        targets: tuple[ir.Expr, ...] = ()
        if isinstance(node, (ir.Assign, ir.Delete)):
            targets = node.targets
        elif isinstance(node, ir.Aug):
            targets = (node.target,)
        return any(self._outlives(target, function) for target in targets)

    def _is_outside(self, call: ir.Call, function: Function) -> bool:
        """Whether a method is one of a client, a session, a store, and not of a local list."""
        if not isinstance(call.func, ir.Attr):
            return any(isinstance(m, External) for m in self.program.resolve(call.func, function))
        names = [m.name for m in self.program.resolve(call.func, function) if isinstance(m, External)]
        if any(name.startswith(("builtins.", "json.", "re.", "logging.")) for name in names):
            return False
        root = call.func.base
        while isinstance(root, (ir.Attr, ir.Subscript, ir.Call)):
            root = root.func if isinstance(root, ir.Call) else root.base
        return isinstance(root, ir.Name) and not self._is_container(call, function)

    def _outlives(self, target: ir.Expr, function: Function) -> bool:
        """Whether what is assigned to is kept outside of the function: ``BALANCES[name] -= 1``."""
        if not isinstance(target, (ir.Subscript, ir.Attr)):
            return False
        root: ir.Expr = target
        while isinstance(root, (ir.Attr, ir.Subscript)):
            root = root.base
        if not isinstance(root, ir.Name):
            return False
        if root.id == function.self_name:
            return True
        bindings = self.program.lookup(root.id, function)
        if any(b.scope.toplevel or b.kind == "import" for b in bindings):
            return True
        inner = [b.value for b in bindings if b.kind in {"assign", "element"} and b.value is not None]
        # `account = ACCOUNTS[name]`: a part of what is kept.
        return any(self._is_part(value, function) for value in inner)

    def _is_part(self, value: ir.Expr, function: Function) -> bool:
        for node in ir.walk(value):
            if isinstance(node, ir.Name):
                bindings = self.program.lookup(node.id, function)
                if any(b.scope.toplevel and b.kind == "assign" for b in bindings) or node.id == function.self_name:
                    return isinstance(value, (ir.Subscript, ir.Call))
        return False
