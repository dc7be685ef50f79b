"""What part a value plays: a reply, the calls in it, a call's name and arguments, a tool, its result, the time.

``probe(x)`` in a source marks the expression that a test asks about; ``reply`` is an OpenAI reply, ``message`` its
message and ``call`` one of its calls.
"""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from recognising import Files, World, world

from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.roles import Turn

ASK = "client.chat.completions.create(model='m', messages=messages, tools=tools)"


def body(text: str, rest: str = "", before: str = "") -> str:
    """A function in which a model was asked and a call is at hand."""
    return f"""\
import json, time, asyncio, re, functools, copy
from datetime import datetime
from openai import OpenAI
client = OpenAI()
{dedent(before)}
def run(messages, tools, handlers):
    reply = {ASK}
    message = reply.choices[0].message
    for call in message.tool_calls:
{indent(dedent(text), " " * 8)}
{dedent(rest)}
"""


def roles(text: str, rest: str = "", before: str = "") -> str:
    """The roles of what is probed, sorted, as one text."""
    return roles_in(body(text, rest, before))


def roles_in(files: Files, path: str = "agent.py") -> str:
    here = world(files)
    for name in sorted(here.project.candidates()):
        for number in here.project.candidates()[name]:
            here.finder.mark(here.module(name), number)
    call, function = here.call("probe", path)
    return " ".join(sorted(here.tools.roles.of(call.args[0].value, function)))


# ---- reading a reply


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("probe(reply)", "reply"),
        ("probe(message)", "reply"),
        ("probe(message.content)", "reply"),
        ("probe(reply.choices[0].message)", "reply"),
        ("probe(message.tool_calls)", "calls"),
        ("probe(message.tool_calls or [])", "calls"),
        ("probe(message['tool_calls'])", "calls"),
        ("probe(message.get('tool_calls'))", "calls"),
        ("probe(message.get('tool_calls', []))", "calls"),
        ("probe(getattr(message, 'tool_calls', None))", "calls"),
        ("probe(list(message.tool_calls))", "calls"),
        ("probe(call)", "call"),
        ("probe(message.tool_calls[0])", "call"),
        ("probe(next(iter(message.tool_calls)))", "call"),
        ("probe(call.function)", "call"),
        ("probe(call.function.name)", "name"),
        ("probe(call['function']['name'])", "name"),
        ("probe(call.function.arguments)", "args"),
        ("probe(json.loads(call.function.arguments))", "args"),
        ("probe(reply.choices[0].finish_reason)", "finish"),
        ("probe(message.function_call)", "call"),
        ("probe(message.function_call.name)", "name"),
        ("probe([c for c in message.tool_calls])", "calls"),
        ("probe([c.function.name for c in message.tool_calls])", "name"),
        ("probe(call.id)", ""),
        ("probe(messages)", ""),
        ("probe(len(message.tool_calls))", ""),
        ("probe('text')", ""),
        ("probe(tools)", ""),
    ],
)
def test_what_is_read_out_of_a_reply_has_its_part(text: str, wanted: str) -> None:
    assert roles(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n = call.function.name\nprobe(n)", "name"),
        ("n, a = call.function.name, call.function.arguments\nprobe(a)", "args"),
        ("f = call.function\nprobe(f.name)", "name"),
        ("n = call.function.name.strip()\nprobe(n)", "name"),
        ("n = call.function.name.lower()\nprobe(n)", "name"),
        ("n = str(call.function.name)\nprobe(n)", "name"),
        ("n = call.function.name if x else 'none'\nprobe(n)", "name"),
        ("n = 'tool_' + call.function.name\nprobe(n)", "name"),
        ("n = f'tool_{call.function.name}'\nprobe(n)", "name"),
        ("if (n := call.function.name):\n    probe(n)", "name"),
        ("a = json.loads(call.function.arguments or '{}')\nprobe(a)", "args"),
        ("try:\n    a = json.loads(call.function.arguments)\nexcept ValueError:\n    a = {}\nprobe(a)", "args"),
        ("for i, c in enumerate(message.tool_calls):\n    probe(c)", "call"),
        ("m = copy.deepcopy(message)\nprobe(m.tool_calls)", "calls"),
        ("calls = message.tool_calls\nfor c in calls[:3]:\n    probe(c.function.name)", "name"),
        ("d = message.model_dump()\nprobe(d['tool_calls'][0]['function']['name'])", "name"),
    ],
)
def test_a_part_is_followed_through_names(text: str, wanted: str) -> None:
    assert roles(text) == wanted


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("work(call.function.name)", "def work(n):\n    probe(n)"),
        ("work(named=call.function.name)", "def work(*, named):\n    probe(named)"),
        ("work(tools, call.function.name)", "def work(tools, n):\n    deeper(n)\ndef deeper(n):\n    probe(n)"),
        ("box.work(call.function.name)", "class Box:\n    def work(self, n):\n        probe(n)\nbox = Box()"),
        ("work(call)", "def work(c):\n    probe(c.function.name)"),
    ],
)
def test_a_part_is_followed_into_the_functions_that_get_it(text: str, rest: str) -> None:
    assert roles(text, rest) == "name"


@pytest.mark.parametrize(
    ("text", "rest", "wanted"),
    [
        ("probe(named(call))", "def named(c):\n    return c.function.name", "name"),
        (
            "n, a = parts(call)\nprobe(a)",
            "def parts(c):\n    return c.function.name, json.loads(c.function.arguments)",
            "args",
        ),
        ("probe(ask(messages, tools))", f"def ask(messages, tools):\n    return {ASK}", "reply"),
        ("for c in each(message):\n    probe(c)", "def each(m):\n    for c in m.tool_calls:\n        yield c", "call"),
        (
            "probe(box.last)",
            "class Box:\n    def __init__(self, tool_call):\n"
            "        self.last = tool_call.function.name\nbox = Box(None)",
            "name",
        ),
    ],
)
def test_a_part_is_followed_out_of_the_functions_that_give_it(text: str, rest: str, wanted: str) -> None:
    # The parameter `c` gets the call of the function above.
    assert wanted in roles(text, rest).split() or wanted == roles(text, rest)


def test_a_part_is_followed_into_another_file() -> None:
    files = {
        "agent.py": body(
            "work(call.function.name, json.loads(call.function.arguments))", before="from hands import work"
        ),
        "hands.py": "TOOLS = {}\ndef work(wanted, given):\n    probe(given)\n"
        "    return TOOLS[wanted](**given)  # tool\n",
    }
    assert roles_in(files, "hands.py") == "args"


# ---- replies of other vendors


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("for b in r.content:\n    if b.type == 'tool_use':\n        probe(b)", "call reply"),
        ("for b in r.content:\n    if b.type == 'tool_use':\n        probe(b.name)", "name reply"),
        ("for b in r.content:\n    if b.type == 'tool_use':\n        probe(b.input)", "args reply"),
        ("for b in r.content:\n    if b['type'] == 'tool_use':\n        probe(b['input'])", "args reply"),
        ("for b in r.content:\n    if b.type in ('tool_use', 'x'):\n        probe(b.name)", "name reply"),
        ("for b in r.content:\n    if isinstance(b, ToolUseBlock):\n        probe(b.name)", "name reply"),
        ("calls = [b for b in r.content if b.type == 'tool_use']\nfor c in calls:\n    probe(c.name)", "name reply"),
        ("c = next((b for b in r.content if b.type == 'tool_use'), None)\nprobe(c.input)", "args reply"),
        ("probe(r.stop_reason)", "finish"),
        ("for b in r.content:\n    if b.type == 'text':\n        probe(b.name)", "reply"),
    ],
)
def test_blocks_of_a_reply_are_told_apart_by_their_type(text: str, wanted: str) -> None:
    source = f"""\
from anthropic import Anthropic
from anthropic.types import ToolUseBlock
client = Anthropic()
def run(messages, tools):
    r = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
{indent(text, "    ")}
"""
    found = set(roles_in(source).split())
    assert set(wanted.split()) - {"reply"} <= found
    if wanted == "reply":
        assert not found & {"name", "call", "args"}


# ---- tools and results


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("probe(handlers[call.function.name])", "tool"),
        ("probe(handlers.get(call.function.name))", "tool"),
        ("tool = handlers[call.function.name]\nprobe(tool)", "tool"),
        ("probe(handlers['tools'][call.function.name])", "tool"),
        ("probe(getattr(handlers, call.function.name))", "tool"),
        ("probe(globals()[call.function.name])", "tool"),
        ("probe(eval(call.function.name))", "tool"),
        ("probe(handlers[call.function.name](1))", "result"),
        ("probe(handlers[call.function.name].run(1))", "result"),
        ("probe(str(handlers[call.function.name](1)))", "result"),
        ("out = handlers[call.function.name](1)\nprobe(out)", "result"),
        ("out = handlers[call.function.name](1)\nprobe({'content': out})", "result"),
        ("out = handlers[call.function.name](1)\nprobe(out['x'].y)", "result"),
        ("tool = next(t for t in tools if t.name == call.function.name)\nprobe(tool)", "tool"),
        ("probe(handlers['search'])", ""),
        ("probe(handlers[0])", ""),
        ("probe(message.choices[0])", "reply"),
    ],
)
def test_what_is_looked_up_by_the_models_name_is_a_tool_and_gives_a_result(text: str, wanted: str) -> None:
    assert roles(text) == wanted


# ---- time and errors


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("probe(time.monotonic())", "clock"),
        ("probe(time.time())", "clock jumping-clock"),
        ("probe(datetime.now())", "clock jumping-clock"),
        ("t = time.perf_counter()\nprobe(t)", "clock"),
        ("t = time.monotonic() + 9\nprobe(t)", "clock"),
        ("t = time.monotonic()\nprobe(time.monotonic() - t)", "clock"),
        ("t = time.monotonic()\nlate = time.monotonic() - t > 9\nprobe(late)", "clock"),
        ("probe(int(time.time()))", "clock jumping-clock"),
        ("probe(max(0, time.monotonic()))", "clock"),
        ("probe(asyncio.get_running_loop().time())", "clock"),
        ("probe(time.sleep(1))", ""),
        ("probe(datetime.fromisoformat('x'))", ""),
    ],
)
def test_a_reading_of_the_clock_is_known(text: str, wanted: str) -> None:
    assert roles(text) == wanted


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        ("e", "error"),
        ("str(e)", ""),
        ("f'{e}'", "error-text"),
        ("e.code", "error-text"),
    ],
)
def test_an_exception_and_its_text_are_known(use: str, wanted: str) -> None:
    found = roles(f"try:\n    x()\nexcept ValueError as e:\n    probe({use})").split()
    assert wanted in found or (not wanted and set(found) <= {"error", "error-text"})


# ---- the names of parameters


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(tool_name):\n    probe(tool_name)", "name"),
        ("def f(function_name, x):\n    probe(function_name)", "name"),
        ("def f(tool_call):\n    probe(tool_call)", "call"),
        ("def f(tool_call):\n    probe(tool_call.function.name)", "name"),
        ("def f(tool_calls):\n    probe(tool_calls)", "calls"),
        ("def run_tool(name, arguments):\n    probe(name)", "name"),
        ("def run_tool(name, arguments):\n    probe(arguments)", "args"),
        ("class ToolBox:\n    def execute(self, name, args):\n        probe(name)", "name"),
        ("def run_tool(name):\n    probe(name)", ""),
        ("def rename(name, arguments):\n    probe(name)", ""),
        ("def run_tool(path, arguments):\n    probe(path)", ""),
    ],
)
def test_a_dispatcher_is_known_by_the_names_of_its_parameters(text: str, wanted: str) -> None:
    assert roles_in(text) == wanted


# ---- turns


def turns(files: Files) -> list[Turn]:
    here = world(files)
    for name in sorted(here.project.candidates()):
        for number in here.project.candidates()[name]:
            here.finder.mark(here.module(name), number)
    return [t for function in here.functions() for t in here.tools.roles.turns_in(function)]


OPENAI = "from openai import OpenAI\nclient = OpenAI()\n"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("messages=m, tools=T", "yes"),
        ("messages=m, functions=T", "yes"),
        ("messages=m", "no"),
        ("messages=m, tools=None", "no"),
        ("messages=m, tools=[]", "no"),
        ("messages=m, **params", "unknown"),
        ("messages=m, **{'tools': T}", "yes"),
        ("messages=m, **known", "yes"),
        ("messages=m, **filled", "yes"),
    ],
)
def test_whether_tools_are_on_offer_is_known(arguments: str, wanted: str) -> None:
    before = "known = {'tools': T}\n    filled = {}\n    filled['tools'] = T"
    (found,) = turns(
        OPENAI + f"def f(m, T, params):\n    {before}\n    return client.chat.completions.create({arguments})\n"
    )
    assert found.tools == wanted


@pytest.mark.parametrize(
    ("text", "callee"),
    [
        (OPENAI + "client.chat.completions.create(messages=[])", "openai.OpenAI().chat.completions.create"),
        (OPENAI + "client.with_options(timeout=1).responses.create(input=[])", "openai.OpenAI().responses.create"),
        ("import openai\nopenai.chat.completions.create(messages=[])", "openai.chat.completions.create"),
        ("import litellm\nlitellm.completion(messages=[])", "litellm.completion"),
        (
            "import anthropic\nanthropic.Anthropic().messages.create(messages=[])",
            "anthropic.Anthropic().messages.create",
        ),
        ("def f(thing, m):\n    return thing.chat.completions.create(messages=m, tools=[])", "chat.completions.create"),
        (
            "class A(OpenAI):\n    def go(self):\n        return self.responses.create(input=[])",
            "openai.OpenAI().responses.create",
        ),
    ],
)
def test_a_turn_is_known_by_its_resolved_name(text: str, callee: str) -> None:
    before = "from openai import OpenAI\n" if "class A" in text else ""
    assert [turn.callee for turn in turns(before + text)] == [callee]


@pytest.mark.parametrize(
    "text",
    [
        "def f(store):\n    return store.messages.create(body='x')",
        "def f(thing):\n    return thing.responses.create(name='x')",
        "def f(thing):\n    return thing.completions.create(messages=1)",
        OPENAI + "client.files.create(file='x')",
        "class C:\n    class chat:\n        class completions:\n"
        "            @staticmethod\n            def create(messages): ...\n"
        "C.chat.completions.create(messages=[])",
    ],
)
def test_a_call_of_the_same_name_on_something_else_is_no_turn(text: str) -> None:
    assert turns(text) == []


def test_a_turn_that_nobody_knows_is_known_by_its_reply() -> None:
    text = "def f(brain, m):\n    answer = brain.think(m)\n    for call in answer.tool_calls:\n        print(call)\n"
    (found,) = turns(text)
    assert (found.callee, found.row, found.tools) == ("brain.think", None, "unknown")


def test_a_reply_that_nobody_reads_calls_from_is_no_turn() -> None:
    assert turns("def f(brain, m):\n    answer = brain.think(m)\n    return answer.text  # tool_calls\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(path):\n    data = json.loads(path)\n    return data['tool_calls']",
        "def f(message):\n    return message.tool_calls",
        "def f(m):\n    answer = Message(m)\n    return answer.tool_calls",
        "def f(m):\n    answer = dict(m)\n    return answer['tool_calls']",
        "def f(pool, job):\n    answer = pool.submit(job)\n    return answer.result()['tool_calls']",
    ],
)
def test_reading_calls_out_of_data_makes_no_turn(text: str) -> None:
    assert turns("import json\n" + text) == []


# ---- dispatches


def dispatches(here: World) -> list[Dispatch]:
    return [d for function in here.functions() for d in here.tools.roles.dispatches_in(function)]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("handlers[call.function.name](1)", "table"),
        ("handlers.get(call.function.name)(1)", "table"),
        ("handlers[call.function.name].invoke(1)", "table"),
        ("tool = next(t for t in tools if t.name == call.function.name)\ntool.run(1)", "table"),
        ("getattr(handlers, call.function.name)(1)", "attribute"),
        ("globals()[call.function.name](1)", "namespace"),
        ("vars(handlers)[call.function.name](1)", "namespace"),
        ("eval(call.function.name)(1)", "code"),
        ("handlers.call_tool(call.function.name, {})", "server"),
        ("if call.function.name == 'a':\n    open(1)", "chain"),
        ("if call.function.name in ('a', 'b'):\n    open(1)", "chain"),
        ("match call.function.name:\n    case 'a':\n        open(1)", "chain"),
        ("registry.perform(call.function.name, json.loads(call.function.arguments))", "handed-on"),
        ("search(**json.loads(call.function.arguments))", "fixed"),
    ],
)
def test_a_dispatch_has_a_form(text: str, form: str) -> None:
    before = "from lib import registry\ndef search(q):\n    return q\n"
    found = dispatches(world(body(text, before=before)))
    assert form in [dispatch.form for dispatch in found]


@pytest.mark.parametrize(
    "text",
    [
        "handlers['search'](1)",
        "handlers[0](1)",
        "getattr(handlers, 'run')(1)",
        "getattr(message, 'tool_calls', None)",
        "print(call.function.name, call.function.arguments)",
        "messages.append(call)",
        "json.dumps(call.function.arguments)",
        "handlers.call_tool('search', {})",
        "if call.function.name == other:\n    open(1)",
        "if call.id == 'a':\n    open(1)",
        "if call.function.name == 'a':\n    x = 1",
        "len(call.function.name)",
        "self.note('call', {'name': call.function.name, 'arguments': call.function.arguments})",
        "x = self.note(data={'name': call.function.name, 'arguments': call.function.arguments})",
        "self.note(call.function.name, call.function.arguments)",
        "Started(handlers[call.function.name], call.function.arguments)",
        "self.metrics.setdefault(call.function.name, 0).add_call(call.function.arguments)",
        "self.metrics[call.function.name].add_call(call.function.arguments)",
        "x = handlers[call.function.name].args_schema.validate_args(call.function.arguments)",
        "x = json.dumps(handlers[call.function.name]).weigh(call.function.arguments)",
        "x = weigh(call.function.arguments)",
    ],
)
def test_what_the_model_does_not_choose_is_no_dispatch(text: str) -> None:
    before = "def weigh(text) -> int:\n    return len(text)\n"
    assert dispatches(world(body(text, before=before))) == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("handlers[call.function.name](1)", "call.function.name"),
        ("n = call.function.name\nhandlers[n](1)", "n"),
        ("getattr(handlers, call.function.name)(1)", "call.function.name"),
        ("handlers.call_tool(name=call.function.name, arguments={})", "call.function.name"),
        ("if call.function.name == 'a':\n    open(1)", "call.function.name"),
    ],
)
def test_a_dispatch_knows_the_expression_with_the_name(text: str, key: str) -> None:
    from toolbind_lint.recognise.values import text_of

    assert [text_of(dispatch.key) for dispatch in dispatches(world(body(text)))] == [key]


def test_a_lookup_before_the_call_is_kept() -> None:
    (found,) = dispatches(world(body("tool = handlers[call.function.name]\nx = 1\ntool(1)")))
    assert found.lookup is not None
    assert found.lookup.span[0] < found.node.span[0]


def test_a_chain_is_one_dispatch() -> None:
    text = (
        "if call.function.name == 'a':\n    open(1)\nelif call.function.name == 'b':\n"
        "    open(2)\nelse:\n    raise KeyError"
    )
    assert len(dispatches(world(body(text)))) == 1


@pytest.mark.parametrize("test", ["block.type != 'tool_use'", "block.type not in ('tool_use',)"])
def test_behind_a_test_that_skips_other_items_stand_the_calls(test: str) -> None:
    text = f"""\
from anthropic import Anthropic
client = Anthropic()
def run(messages, tools):
    reply = client.messages.create(model='m', max_tokens=9, messages=messages, tools=tools)
    for block in reply.content:
        if {test}:
            continue
        probe(block.name)
"""
    assert "name" in roles_in(text).split()
    assert "name" not in roles_in(text.replace(test, "block.text")).split()
