"""Tool loops whose turn or whose calls are seen by what surrounds them, in programs that name no library."""

from __future__ import annotations

import ast

import pytest
from recognising import subjects

from toolbind_lint.source import SyntaxFault, parse_ast

STREAMED = """\
from openai import OpenAI

client = OpenAI()


def answer(messages, tools):
    while True:
        {start}
        for chunk in client.chat.completions.create(model="m", messages=messages, tools=tools, stream=True):
            delta = chunk.choices[0].delta
            {collect}
        messages.append({{"role": "assistant", "tool_calls": {collected}}})
        for call in {collected}:
            result = TOOLS[call{name}](call{arguments})
            messages.append({{"role": "tool", "content": result}})
        if not {collected}:
            return messages


TOOLS = {{"search": print}}
"""

PIECES = """for piece in delta.tool_calls or []:
                if piece.index not in calls:
                    calls[piece.index] = {"id": "", "function": {"name": "", "arguments": ""}}
                calls[piece.index]["function"]["arguments"] += piece.function.arguments"""


@pytest.mark.parametrize(
    ("start", "collect", "collected", "name", "arguments"),
    [
        ("calls = []", "calls.extend(delta.tool_calls or [])", "calls", ".function.name", ".function.arguments"),
        ("calls = []", "calls += delta.tool_calls or []", "calls", ".function.name", ".function.arguments"),
        (
            "calls = list()",
            "for call in delta.tool_calls or []:\n                calls.append(call)",
            "calls",
            ".function.name",
            ".function.arguments",
        ),
        ("calls = {}", PIECES, "calls.values()", '["function"]["name"]', '["function"]["arguments"]'),
    ],
    ids=["extend", "augment", "append", "pieces"],
)
def test_calls_put_together_from_a_stream_are_dispatched(
    start: str, collect: str, collected: str, name: str, arguments: str
) -> None:
    code = STREAMED.format(start=start, collect=collect, collected=collected, name=name, arguments=arguments)
    (found,) = subjects({"a.py": code})
    assert (found.kind, found.header.line, [d.place.line for d in found.dispatches]) == (
        "tool-loop",
        7,
        [code[: code.index("result =")].count("\n") + 1],
    )


SPOKEN = {
    "agents/base.py": """\
class Agent:
    def __init__(self, llm):
        self.llm = llm

    def __call__(self, message):
        return self.forward(message)

    def forward(self, message):
        prompt = [message]
        return self.llm.chat(prompt)
""",
    "agents/tools.py": """\
class Executor:
    def __init__(self, actions):
        self.actions = {a.name: a for a in actions}

    def __call__(self, message):
        tool_name = message["name"]
        return self.actions[tool_name](message["parameters"])
""",
    "agents/react.py": """\
from agents.base import Agent
from agents.tools import Executor


class React:
    def __init__(self, llm, actions):
        self.agent = Agent(llm)
        self.executor = Executor(actions)

    def run(self, message):
        for _ in range(9):
            message = self.agent(message)
            if message.get("done"):
                return message
            message = self.executor(message)
        return message
""",
}


def test_a_model_is_known_by_what_it_is_called_and_an_object_by_its_call() -> None:
    found = [s for s in subjects(SPOKEN) if s.kind == "tool-loop"]
    assert [(s.place.path, s.header.line) for s in found] == [("agents/react.py", 11)]
    assert [t.place.path for t in found[0].turns] == ["agents/base.py"]


def test_a_conversation_with_something_else_is_no_turn() -> None:
    files = {**SPOKEN, "agents/base.py": SPOKEN["agents/base.py"].replace("self.llm.chat", "self.parser.chat")}
    assert [s for s in subjects(files) if s.kind == "tool-loop"] == []


EVALUATED = """\
import copy
from openai import OpenAI

client = OpenAI()
TOOLS = {{"search": print}}


def ask(history, tools):
    params = {{"model": "m", "messages": [{{"role": "system", "content": "s"}}] + history, "tools": tools}}
    return client.chat.completions.create(**params)


def run(messages, tools):
    history = {kept}
    for _ in range(8):
        message = ask(history, tools).choices[0].message
        history.append(message)
        for call in message.tool_calls:
            history.append({{"role": "tool", "content": TOOLS[call.function.name](call.function.arguments)}})
    return history


def again(n, cases, tools):
    for case in cases:
        for _ in range(n):
            print(run(case["conversation"], tools))


def chat(messages, tools):
    while True:
        messages.extend(run(messages, tools))
"""


def test_a_run_repeated_on_a_copy_of_the_same_conversation_is_no_loop() -> None:
    found = subjects({"a.py": EVALUATED.format(kept="copy.deepcopy(messages)")})
    assert [(s.kind, s.function) for s in found] == [("tool-loop", "run"), ("tool-loop", "chat")]


def test_a_run_that_adds_to_the_conversation_it_is_given_is_one() -> None:
    found = subjects({"a.py": EVALUATED.format(kept="messages")})
    assert ("tool-loop", "again") in [(s.kind, s.function) for s in found]


WITH_A_STREAM = EVALUATED.format(kept="copy.deepcopy(messages)").replace(
    "def run(messages, tools):\n",
    """\
def streamed(messages, tools):
    history = copy.deepcopy(messages)
    while True:
        message = ask(history, tools).choices[0].message
        history.append(message)
        yield {"delta": message.content}
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            history.append({"role": "tool", "content": TOOLS[call.function.name](call.function.arguments)})


def run(messages, tools, stream=False):
    if stream:
        return streamed(messages=messages, tools=tools)
""",
)


def test_a_run_of_its_own_behind_a_run_is_no_turn() -> None:
    read = "from a import run\n\n\ndef named(tools):\n    return run([], tools).messages[-1]['tool_calls']\n"
    found = subjects({"a.py": WITH_A_STREAM, "b.py": read})
    assert [(s.kind, s.function) for s in found] == [
        ("tool-loop", "streamed"),
        ("tool-loop", "run"),
        ("tool-loop", "chat"),
    ]


INTERFACE = {
    "base.py": """\
from typing import Protocol


class Model(Protocol):
    def query(self, messages, tools): ...
""",
    **{
        f"{name}.py": f"""\
import litellm


class {name.title()}:
    def query(self, messages, tools):
        return litellm.completion(model="{name}", messages=messages, tools=tools).choices[0].message
"""
        for name in ("one", "two", "three", "four")
    },
    "agent.py": """\
from base import Model

TOOLS = {"search": print}


class Agent:
    def __init__(self, model: Model, tools):
        self.model = model
        self.tools = tools
        self.messages = []

    def ask(self):
        return self.model.query(self.messages, self.tools)

    def run(self):
        while True:
            message = self.ask()
            self.messages.append(message)
            for call in message.tool_calls:
                self.messages.append({"role": "tool", "content": TOOLS[call.function.name](call.function.arguments)})
""",
}


def test_a_turn_in_a_file_of_newer_syntax_leads_to_the_loop_that_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> ast.Module:
        if "OpenAI" not in text:
            return parse_ast(text)
        raise SyntaxFault(1, "newer than this interpreter")

    asking = """\
from openai import OpenAI


def ask(messages, tools):
    return OpenAI().chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
"""
    looping = """\
from between import step

TOOLS = {"search": print}


def run(messages, tools):
    while True:
        message = step(messages, tools)
        messages.append(message)
        for call in message.tool_calls:
            messages.append({"role": "tool", "content": TOOLS[call.function.name](call.function.arguments)})
"""
    between = "from asking import ask\n\n\ndef step(messages, tools):\n    return ask(messages, tools)\n"
    files = {"asking.py": asking, "between.py": between, "looping.py": looping}
    monkeypatch.setattr("toolbind_lint.index.parse_ast", refuse)
    assert [(s.kind, s.place.path, s.header.line) for s in subjects(files)] == [("tool-loop", "looping.py", 7)]


def test_a_model_behind_an_interface_that_many_satisfy_is_asked() -> None:
    found = [s for s in subjects(INTERFACE) if s.kind == "tool-loop"]
    assert [(s.place.path, s.header.line) for s in found] == [("agent.py", 16)]


def test_an_object_that_is_built_by_an_attribute_of_the_class_is_called() -> None:
    react = SPOKEN["agents/react.py"].replace("class React:\n", "class React:\n    agent_class = Agent\n\n")
    files = {
        **SPOKEN,
        "agents/react.py": react.replace("self.agent = Agent(llm)", "self.agent = self.agent_class(llm)"),
    }
    found = [s for s in subjects(files) if s.kind == "tool-loop"]
    assert [(s.place.path, s.header.line) for s in found] == [("agents/react.py", 13)]


PACKED = """\
from openai import OpenAI

import house

client = OpenAI()


def answer(messages, tools, host):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        if not reply.tool_calls:
            return reply
        for call in reply.tool_calls:
            asked = house.{record}(tool=call.function.name, given=call.function.arguments)
            result = host.{run}(asked)
            messages.append({{"role": "tool", "content": result}})
    raise TooManySteps
"""


@pytest.mark.parametrize(
    ("record", "run", "found"),
    [
        ("ToolInput", "async_call_tool", True),
        ("Invocation", "execute_tool_call", True),
        ("ToolInput", "describe", False),
        ("ToolInput", "before_call_tool", False),
        ("ToolStartEvent", "handle_tool_event", False),
    ],
)
def test_a_record_of_a_name_and_its_arguments_is_run_by_whoever_says_so(record: str, run: str, found: bool) -> None:
    kinds = [subject.kind for subject in subjects(PACKED.format(record=record, run=run))]
    assert kinds == (["tool-loop"] if found else [])


def test_a_client_kept_in_a_table_of_the_program_asks_all_the_same() -> None:
    code = """
    import json

    import notes

    class House:
        def __init__(self):
            self.data = dict()

    class Talk:
        house: House

        def answer(self, memory, tools, handlers):
            client = self.house.data["talk"]["main"]
            for _ in range(8):
                reply = client.chat(messages=list(memory.messages), tools=tools)["message"]
                calls = reply.get("tool_calls")
                if not calls:
                    return reply
                for call in calls:
                    result = handlers[call["function"]["name"]](**call["function"]["arguments"])
                    memory.messages.append(notes.Note(role="tool", content=json.dumps(result)))
            raise RuntimeError
    """
    assert [subject.kind for subject in subjects(code)] == ["tool-loop"]
