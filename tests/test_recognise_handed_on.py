"""Tools that are run far from where their names were read: through executors, planners, files by name, inner loops."""

from __future__ import annotations

from recognising import subjects

EXECUTOR = {
    "agent.py": """\
import asyncio

from openai import OpenAI
from mcp import ClientSession

client = OpenAI()


class Executor:
    async def _execute(self, task, *args):
        async def run_task(task):
            return await task(*args)

        return await run_task(task)

    async def execute(self, task, *args):
        return await self._execute(task, *args)


class Agent:
    def __init__(self, session: ClientSession):
        self.session = session
        self.executor = Executor()

    async def remote(self, name, arguments):
        return await self.session.call_tool(name=name, arguments=arguments)

    async def ping(self):
        return 1

    async def call(self, name, arguments):
        await self.executor.execute(self.ping)
        return await self.executor.execute(self.remote, name, arguments)

    async def run(self, messages, tools):
        for _ in range(8):
            reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            messages.append(reply)
            if not reply.tool_calls:
                return reply.content
            for call in reply.tool_calls:
                given = await self.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": given})
"""
}

PLANNED = {
    "agent.py": """\
import importlib.util
import json

from openai import OpenAI

client = OpenAI()


def plan_for(task):
    said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": task}])
    return json.loads(said.choices[0].message.content)


def run_step(step):
    name = step["tool"]
    spec = importlib.util.spec_from_file_location(name, f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler = getattr(module, name)
    return handler(**step["args"])


def run(task):
    plan = plan_for(task)
    rounds = 0
    seen = []
    while plan and rounds < 5:
        step = plan.pop(0)
        seen.append(run_step(step))
        rounds += 1
        plan = plan_for(f"{task}: {seen}")
    return seen
"""
}

NESTED = {
    "agent.py": """\
from openai import OpenAI

client = OpenAI()


class Agent:
    def done(self):
        return False

    def generate(self, messages, tools, handlers):
        for _ in range(4):
            reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            messages.append(reply)
            if not reply.tool_calls:
                return reply.content
            for call in reply.tool_calls:
                given = getattr(handlers, call.function.name)(call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": given})

    def run(self, messages, tools, handlers):
        rounds = 0
        while rounds < 9 and not self.done():
            answer = self.generate(messages, tools, handlers)
            messages.append({"role": "user", "content": answer})
            rounds += 1
"""
}

COUNTED = {
    "agent.py": """\
class Counter:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def size(self, messages, tools):
        return len(self.tokenizer.apply_chat_template(messages, tools=tools))


def run(counter, messages, tools, handlers, name):
    while counter.size(messages, tools) < 9000:
        messages.append(handlers[name]())
"""
}


def test_what_an_executor_is_handed_is_run_by_it() -> None:
    (found,) = subjects(EXECUTOR)
    allowlist = next(v for v in found.verdicts if v.gate == "allowlist")
    assert next((f.how, f.place.line) for f in allowlist.faults) == ("whole-server", 26)


def test_a_plan_that_names_files_of_code() -> None:
    found = next(s for s in subjects(PLANNED) if s.kind == "tool-loop")
    allowlist = next(v for v in found.verdicts if v.gate == "allowlist")
    assert [f.how for f in allowlist.faults] == ["code-by-name"]


def test_an_inner_loop_owns_the_names_and_waits_of_its_tools() -> None:
    inner, outer = sorted((s for s in subjects(NESTED) if s.kind == "tool-loop"), key=lambda s: s.place.line)
    held = {v.gate: v for v in inner.verdicts}
    assert held["allowlist"].faults and held["tool-timeout"].faults
    held = {v.gate: v for v in outer.verdicts}
    assert not held["allowlist"].faults and not held["tool-timeout"].faults
    assert held["wall"].faults


def test_who_lays_out_or_counts_a_request_asks_nobody() -> None:
    assert not subjects(COUNTED)
