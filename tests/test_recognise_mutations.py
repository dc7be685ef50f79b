"""Tools that move money, data or identity: which they are, what guards them, what repeats them."""

from __future__ import annotations

import pytest
from recognising import RUN, at, loop, stands, subject, subjects, world

from toolbind_lint.recognise.mutations import Mutation, MutationFinder, named
from toolbind_lint.verdicts import Fault

H = "for _ in range(8):"


def mutation(body: str, name: str = "act") -> Mutation | None:
    text = "import requests\nfrom shop import client, db\nTABLE = {}\n" + f"def {name}(key, amount):\n    {body}"
    here = world({"agent.py": text})
    return MutationFinder(here.program, here.tools.catalogue).of(here.function(name))


def faults(tool: str, table: str = "{'pay': pay}", run: str = "", before: str = "", inner: str = "") -> list[Fault]:
    text = loop(
        H,
        module=f"from shop import client, ask\n{tool}\nTOOLS = {table}",
        run=run or RUN_TOOL,
        before=before,
        inner=inner,
    )
    return [f for f in subject(text).verdict("allowlist").beside if f.how.endswith("mutation")]


RUN_TOOL = f"result = {RUN}".replace("handlers", "TOOLS")
PAY = "def pay(invoice, cents):\n    return client.pay(invoice, cents)"


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("refund", "money"),
        ("issue_refund", "money"),
        ("transfer_funds", "money"),
        ("book_flight", "money"),
        ("place_market_order", "money"),
        ("tool_charge", "money"),
        ("delete_user", "identity"),
        ("resetPassword", "identity"),
        ("grant_admin_access", "identity"),
        ("send_email", "data"),
        ("drop_table", "data"),
        ("update_customer_record", "data"),
        ("refund_item", "money"),
        ("book_table", "money"),
        ("refund_policy", None),
        ("get_order", None),
        ("list_users", None),
        ("transfer_to_billing", None),
        ("delete_file", None),
        ("update_plan", None),
        ("create_task", None),
        ("search_flights", None),
        ("send_message", None),
    ],
)
def test_a_name_says_what_is_moved(name: str, moves: str | None) -> None:
    assert named(name) == moves


MOVING = {
    "sql": ("db.execute('DELETE FROM orders WHERE id = 1')", "data", False),
    "sql that adds": ("db.execute('INSERT INTO orders VALUES (1)')", "data", True),
    "sql that counts": ("db.execute('UPDATE stock SET n = n - 1')", "data", True),
    "http": ("return requests.delete(key)", "data", False),
    "a client's method": ("return client.create_payment(amount)", "money", True),
    "behind a helper": ("return inner(key)\ndef inner(key):\n    client.delete_user(key)", "identity", False),
}


@pytest.mark.parametrize(("body", "moves", "again"), MOVING.values(), ids=MOVING.keys())
def test_what_a_function_calls_says_it(body: str, moves: str, again: bool) -> None:
    found = mutation(body)
    assert found is not None
    assert (found.moves, found.again) == (moves, again)


@pytest.mark.parametrize(
    "body",
    [
        "return {'refunded': amount}",
        "return requests.post(key)",
        "rows = []\n    rows.append(amount)\n    return rows",
        "return db.execute('SELECT * FROM orders')",
        "local = {}\n    local[key] = amount\n    return local",
    ],
)
def test_a_function_that_changes_nothing_outside_moves_nothing(body: str) -> None:
    assert mutation(body) is None


def test_a_statement_that_reads_changes_nothing() -> None:
    assert mutation("return db.execute('SELECT * FROM refunds')", "refund") is None
    assert mutation("query = 'SELECT 1'\n    return db.execute(query)", "issue_refund") is None


@pytest.mark.parametrize("body", ["TABLE[key] -= amount", "return client.post(key, amount)", "del TABLE[key]"])
def test_a_name_and_a_change_together_say_it(body: str) -> None:
    assert mutation(body, "issue_refund") is not None
    assert mutation(body.replace("TABLE", "key"), "order_state") is None


def test_what_is_missing_is_named_at_the_tool() -> None:
    (fault,) = faults(PAY)
    words = dict(fault.words)
    assert fault.how == "unguarded-mutation"
    assert (words["call"], words["value"]) == ("pay", "money")
    assert words["param"] == "an idempotency key and an approval step"


KEYED = "def pay(invoice, cents, idempotency_key=''):\n    return client.pay(invoice, cents, idempotency_key)"
GUARDS = {
    "a key": (KEYED, {}, "an approval step"),
    "a person": (PAY, {"inner": "if not ask_approval(call):\n    continue"}, "an idempotency key"),
    "a prompt": (
        "def pay(invoice, cents):\n    if input('pay? ') == 'y':\n        return client.pay(invoice, cents)",
        {},
        "an idempotency key",
    ),
    "a decorator": (f"@ask(requires_approval=True)\n{PAY}", {}, "an idempotency key"),
    "a decorator that asks nobody": (
        f"@ask(requires_approval=False)\n{PAY}",
        {},
        "an idempotency key and an approval step",
    ),
    "a hook": (PAY, {"inner": "before_tool(call)"}, "an idempotency key"),
    "calls that were seen": (
        PAY,
        {"before": "processed_calls = set()", "inner": "if call.id in processed_calls:\n    continue"},
        "an approval step",
    ),
    "a number of a confirmation": (
        "def pay(invoice, cents):\n    return client.pay(invoice, confirmation_id=cents)",
        {},
        "an idempotency key and an approval step",
    ),
}


@pytest.mark.parametrize(("tool", "parts", "missing"), GUARDS.values(), ids=GUARDS.keys())
def test_a_guard_is_seen_in_the_tool_and_around_it(tool: str, parts: dict[str, str], missing: str) -> None:
    (fault,) = faults(tool, **parts)
    assert dict(fault.words)["param"] == missing


def test_with_both_nothing_is_said() -> None:
    assert faults(KEYED, inner="if not ask_approval(call):\n    continue") == []


def test_of_a_table_that_nobody_sees_nothing_is_said() -> None:
    assert faults(PAY, table="load_tools()") == []


ATTEMPTS = "for _ in range(3):\n    try:\n        {run}\n        break\n    except OSError:\n        {then}"


@pytest.mark.parametrize(("then", "again"), [("continue", True), ("result = None", True), ("raise", False)])
def test_a_loop_that_tries_again_repeats_the_tool(then: str, again: bool) -> None:
    found = faults(PAY, run=ATTEMPTS.format(run=RUN_TOOL, then=then))
    assert ("retried-mutation" in [f.how for f in found]) is again


def test_the_loop_over_the_calls_is_no_retry() -> None:
    found = faults(PAY, run=f"try:\n    {RUN_TOOL}\nexcept OSError:\n    continue")
    assert "retried-mutation" not in [f.how for f in found]


def test_a_retry_stands_at_what_repeats() -> None:
    tool = f"from tenacity import retry\n@retry(stop=3)\n{PAY}"
    text = loop(H, module=f"from shop import client\n{tool}\nTOOLS = {{'pay': pay}}", run=RUN_TOOL)
    beside = subject(text).verdict("allowlist").beside
    (fault,) = (f for f in beside if f.how == "retried-mutation")
    assert at(fault, text) == "@retry(stop=3)"
    keyed = faults(f"from tenacity import retry\n@retry(stop=3)\n{KEYED}")
    assert [f.how for f in keyed] == ["unguarded-mutation"]


AGENT = """
from agents import Agent, Runner{more}
from shop import client
{decorator}
def pay(invoice: str, cents: int):
    return client.pay(invoice, cents)
agent = Agent(name="a", tools=[{tools}])
Runner.run_sync(agent, "x", max_turns=3)
"""


@pytest.mark.parametrize(
    ("more", "decorator", "tools", "count"),
    [
        (", function_tool", "@function_tool", "pay", 1),
        (", function_tool", "@function_tool", "", 1),
        (", function_tool as tool", "@tool", "pay", 1),
        ("", "", "pay", 1),
        (", function_tool", "", "function_tool(pay)", 1),
        ("", "", "", 0),
    ],
)
def test_a_function_that_is_bound_is_judged_once(more: str, decorator: str, tools: str, count: int) -> None:
    found = subjects(AGENT.format(more=more, decorator=decorator, tools=tools))
    tools_found = [s for s in found if s.kind == "binding"]
    assert [s.function for s in tools_found] == ["pay"] * count


def test_a_file_that_speaks_of_approval_leaves_it_open() -> None:
    text = AGENT.format(more=", function_tool", decorator="@function_tool(needs_approval=True)", tools="pay")
    (found,) = (s for s in subjects(text) if s.kind == "binding")
    (fault,) = found.verdict("allowlist").beside
    assert dict(fault.words)["param"] == "an idempotency key"


def test_the_gate_stands_as_it_stood() -> None:
    text = loop(H, module=f"from shop import client\n{PAY}\nTOOLS = {{'pay': pay}}", run=RUN_TOOL)
    assert (
        stands(text, "allowlist").split()[0]
        == stands(text.replace("client.pay(", "client.get("), "allowlist").split()[0]
    )


@pytest.mark.parametrize(
    ("given", "missing"), [("", "an idempotency key and an approval step"), (", ref=1", "an approval step")]
)
def test_a_project_says_itself_what_moves_something(given: str, missing: str) -> None:
    tool = f"from acme import desk\ndef act(x):\n    return desk.settle(x{given})\nTOOLS = {{'act': act}}"
    text = loop(H, module=tool, run=RUN_TOOL)
    assert subject(text).verdict("allowlist").beside == ()
    rows = [{"mutation": [{"call": "acme.desk.settle", "moves": "money", "key": ["ref"]}]}]
    (fault,) = subject(text, tables=rows).verdict("allowlist").beside
    assert dict(fault.words)["param"] == missing
