"""Which loops are tool loops or retries, which functions are dispatchers, and what only looks like one."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from recognising import RUN, Files, at, index, kinds, line_of, loop, shipped, stands, subject, subjects, verdict

from toolbind_lint.recognise import Limits, recognise

HEAD = """\
import asyncio, functools, json, queue, time
from concurrent.futures import ThreadPoolExecutor
from openai import OpenAI
client = OpenAI()
pool = ThreadPoolExecutor()
jobs = queue.Queue()
def search(q):
    return {"hits": q}
"""
TURN = "client.chat.completions.create(model='m', messages=messages, tools=tools)"
BOUNDED = loop("for _ in range(8):")


def program(text: str) -> str:
    """A module that begins with the usual imports."""
    return HEAD + dedent(text)


# ---- what looks like a tool loop and is none

ALIKE = {
    "conversation without tools": """
        def main():
            messages = []
            while True:
                messages.append({"role": "user", "content": input()})
                reply = client.chat.completions.create(model="m", messages=messages)
                messages.append(reply.choices[0].message)
                print(reply.choices[0].message.content)
        """,
    "reflection that names no tool": """
        def improve(messages):
            while True:
                reply = client.chat.completions.create(model="m", messages=messages).choices[0].message
                messages.append(reply)
                if "DONE" in reply.content:
                    return reply.content
                messages.append({"role": "user", "content": "better"})
        """,
    "pagination": """
        def pages():
            after = None
            while True:
                page = client.files.list(limit=100, after=after)
                yield from page.data
                if not page.has_more:
                    return
                after = page.data[-1].id
        """,
    "stream reader that collects calls": f"""
        def read(messages, tools):
            calls = []
            for chunk in {TURN[:-1]}, stream=True):
                for part in chunk.choices[0].delta.tool_calls or []:
                    calls.append(part)
            return calls
        """,
    "stream reader that names every event": """
        async def read(stream, websocket):
            async for event in stream:
                if event.type == "response.function_call_arguments.delta":
                    await websocket.send_json({"call": event.delta})
                elif event.type == "tool_call":
                    await websocket.send_json({"tool_call": event.tool_call})
        """,
    "evaluation of single turns": f"""
        def evaluate(cases, tools):
            hits = 0
            for case in cases:
                messages = [{{"role": "user", "content": case.question}}]
                call = {TURN}.choices[0].message.tool_calls[0]
                hits += call.function.name == case.wanted
            return hits
        """,
    "poller that answers no calls": """
        def wait(thread, run_id):
            while True:
                run = client.beta.threads.runs.retrieve(thread_id=thread, run_id=run_id)
                if run.status == "completed":
                    return run
                time.sleep(1)
        """,
    "format converter": """
        def convert(messages):
            out = []
            for message in messages:
                for call in message.tool_calls or []:
                    out.append({"type": "tool_use", "name": call.function.name, "input": call.function.arguments})
            return out
        """,
    "structured output, a few attempts": f"""
        def parse(messages, tools):
            for attempt in range(3):
                reply = {TURN}
                try:
                    return json.loads(reply.choices[0].message.tool_calls[0].function.arguments)
                except ValueError:
                    continue
        """,
    "structured output, told what was wrong": f"""
        def parse(messages, tools):
            while True:
                reply = {TURN}
                try:
                    return json.loads(reply.choices[0].message.tool_calls[0].function.arguments)
                except ValueError as error:
                    messages.append({{"role": "user", "content": str(error)}})
        """,
    "sampler that compares candidates": f"""
        def best(messages, tools, n):
            replies = []
            for _ in range(n):
                replies.append({TURN}.choices[0].message)
            return max(replies, key=lambda r: len(r.tool_calls or []))
        """,
    "event pump": """
        async def pump(bus):
            async for event in bus.subscribe():
                if event.type == "tool_call":
                    await bus.publish(event.tool_call)
        """,
    "loop over unrelated tools": """
        def install(tools):
            for tool in tools:
                tool.run(tool.arguments)
        """,
}


@pytest.mark.parametrize("text", ALIKE.values(), ids=ALIKE.keys())
def test_what_only_looks_like_a_tool_loop_is_none(text: str) -> None:
    assert [kind for kind in kinds(program(text)) if kind[0] != "dispatcher"] == []


def test_the_loop_over_the_calls_of_one_reply_is_no_loop() -> None:
    text = f"""
    def once(messages, tools, handlers):
        message = {TURN}.choices[0].message
        for call in message.tool_calls:
            messages.append({{"role": "tool", "content": {RUN}}})
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content
    """
    assert kinds(program(text)) == [("dispatcher", "once")]


AROUND = {
    "prompt": """
        def main(tools, handlers):
            messages = []
            while True:
                messages.append({"role": "user", "content": input("> ")})
                print(run(messages, tools, handlers))
        """,
    "prompt behind a helper": """
        def ask():
            line = input("> ")
            return {"role": "user", "content": line}
        def main(tools, handlers):
            messages = []
            while True:
                messages.append(ask())
                print(run(messages, tools, handlers))
        """,
    "websocket": """
        async def serve(websocket, tools, handlers):
            messages = []
            while True:
                messages.append(await websocket.receive_json())
                await websocket.send_json(run(messages, tools, handlers))
        """,
    "queue": """
        import queue
        jobs = queue.Queue()
        def work(tools, handlers):
            messages = []
            while True:
                messages.append(jobs.get())
                print(run(messages, tools, handlers))
        """,
}


@pytest.mark.parametrize("text", AROUND.values(), ids=AROUND.keys())
def test_what_waits_for_a_person_around_a_bounded_run_is_no_loop(text: str) -> None:
    assert kinds(BOUNDED + "\n" + dedent(text)) == [("tool-loop", "run")]


AFRESH = {
    "evaluation": """
        def evaluate(cases, tools, handlers):
            for case in cases:
                print(run([{"role": "user", "content": case}], tools, handlers))
        """,
    "evaluation with a transcript of its own": """
        def evaluate(cases, tools, handlers):
            for case in cases:
                messages = [{"role": "user", "content": case}]
                print(run(messages, tools, handlers))
        """,
    "worker": """
        def serve(requests, tools, handlers):
            while True:
                job = requests.next_job()
                job.finish(run([job.text], tools, handlers))
        """,
}


@pytest.mark.parametrize("text", AFRESH.values(), ids=AFRESH.keys())
def test_a_loop_that_starts_a_bounded_run_afresh_on_each_pass_is_none(text: str) -> None:
    assert kinds(BOUNDED + "\n" + dedent(text)) == [("tool-loop", "run")]


def test_a_prompt_that_one_branch_skips_is_a_loop() -> None:
    text = f"""
    def main(tools, handlers):
        messages, asked = [], True
        while True:
            if asked:
                messages.append({{"role": "user", "content": input()}})
            message = {TURN}.choices[0].message
            messages.append(message)
            asked = not message.tool_calls
            for call in message.tool_calls or []:
                messages.append({{"role": "tool", "content": {RUN}}})
    """
    assert kinds(program(text)) == [("tool-loop", "main")]


def test_a_poller_that_answers_calls_is_a_tool_loop() -> None:
    text = f"""
    def wait(thread, run_id, handlers):
        while True:
            run = client.beta.threads.runs.retrieve(thread_id=thread, run_id=run_id)
            if run.status == "completed":
                return run
            if run.status == "requires_action":
                outputs = []
                for call in run.required_action.submit_tool_outputs.tool_calls:
                    outputs.append({{"tool_call_id": call.id, "output": {RUN}}})
                client.beta.threads.runs.submit_tool_outputs(thread_id=thread, run_id=run_id, tool_outputs=outputs)
            time.sleep(1)
    """
    assert kinds(program(text)) == [("tool-loop", "wait")]


# ---- how a turn is asked for


def asked(
    ask: str, before: str = "pass", rest: str = "", reply: str = ".choices[0].message", is_async: bool = False
) -> str:
    """An endless tool loop whose turn is written in some way."""
    return program(
        f"""
    {"async " if is_async else ""}def run(messages, tools, handlers):
        {before}
        while True:
            message = ({ask}){reply}
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({{"role": "tool", "content": {RUN}}})
    """
    ) + dedent(rest)


TURNS = {
    "client of the module": asked(TURN),
    "awaited": asked(f"await {TURN}", is_async=True),
    "client made in the function": asked(
        "c.chat.completions.create(model='m', messages=messages, tools=tools)", "c = OpenAI()"
    ),
    "client with options": asked(
        "client.with_options(timeout=9).chat.completions.create(model='m', messages=messages, tools=tools)"
    ),
    "part of the client": asked(
        "chat.completions.create(model='m', messages=messages, tools=tools)", "chat = client.chat"
    ),
    "bound method": asked(
        "create(model='m', messages=messages, tools=tools)", "create = client.chat.completions.create"
    ),
    "partial": asked(
        "ask(messages=messages)", "ask = functools.partial(client.chat.completions.create, model='m', tools=tools)"
    ),
    "parameters in a dict": asked(
        "client.chat.completions.create(messages=messages, **params)", "params = dict(model='m', tools=tools)"
    ),
    "parameters in a display": asked(
        "client.chat.completions.create(messages=messages, **params)", "params = {'model': 'm', 'tools': tools}"
    ),
    "unknown receiver": asked("anything.chat.completions.create(messages=messages, tools=tools)"),
    "unknown model": asked("model.ask(messages, tools)", reply=""),
    "function of the project": asked(
        "ask(messages, tools)",
        rest="def ask(messages, tools):\n"
        "    return client.chat.completions.create(model='m', messages=messages, tools=tools)\n",
    ),
    "two functions deep": asked(
        "ask(messages, tools)",
        rest="def ask(messages, tools):\n    return inner(messages, tools)\n"
        "def inner(messages, tools):\n"
        "    return client.chat.completions.create(model='m', messages=messages, tools=tools)\n",
    ),
    "function that unpacks": asked(
        "ask(messages, tools)",
        rest="def ask(messages, tools):\n"
        "    reply = client.chat.completions.create(model='m', messages=messages, tools=tools)\n"
        "    return reply.choices[0].message\n",
        reply="",
    ),
    "method of an object": asked(
        "brain.think(messages, tools)",
        rest="class Brain:\n    def __init__(self):\n        self.client = OpenAI()\n"
        "    def think(self, messages, tools):\n"
        "        return self.client.chat.completions.create(model='m', messages=messages, tools=tools)\n"
        "brain = Brain()\n",
    ),
    "litellm": asked("litellm.completion(model='m', messages=messages, tools=tools)", "import litellm"),
    "http": asked(
        "requests.post('https://x', json={'messages': messages, 'tools': tools}).json()", "import requests", reply=""
    ),
}


@pytest.mark.parametrize("text", TURNS.values(), ids=TURNS.keys())
def test_a_loop_is_found_however_its_turn_is_written(text: str) -> None:
    assert kinds(text) == [("tool-loop", "run")]


# ---- how a tool is run


def ran(run: str, before: str = "pass", rest: str = "", is_async: bool = False) -> str:
    """An endless tool loop whose dispatch is written in some way."""
    return (
        program(
            f"""
    {"async " if is_async else ""}def run(messages, tools, handlers):
        {before}
        while True:
            message = {TURN}.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                arguments = json.loads(call.function.arguments)
    """
        )
        + indent(dedent(run), " " * 12)
        + '\n            messages.append({"role": "tool", "content": out})\n'
        + dedent(rest)
    )


MATCH = """\
match call.function.name:
    case "play":
        out = player.play(arguments["title"])
    case _:
        raise LookupError
"""
RUNS = {
    "table": ran("out = handlers[call.function.name](**arguments)"),
    "table, one argument": ran("out = handlers[call.function.name](arguments['x'])"),
    "table, no argument": ran("out = handlers[call.function.name]()"),
    "get": ran("out = handlers.get(call.function.name)(**arguments)"),
    "get and test": ran("tool = handlers.get(call.function.name)\nout = tool(**arguments) if tool else None"),
    "tool object": ran("out = handlers[call.function.name].run(arguments)"),
    "picked from a list": ran(
        "tool = next(t for t in tools if t.name == call.function.name)\nout = tool.run(arguments)"
    ),
    "picked in a loop": ran("for t in tools:\n    if t.name == call.function.name:\n        out = t.invoke(arguments)"),
    "attribute": ran("out = getattr(handlers, call.function.name)(**arguments)"),
    "namespace": ran("out = globals()[call.function.name](**arguments)"),
    "eval": ran("out = eval(call.function.name)(**arguments)"),
    "if chain": ran(
        'if call.function.name == "search":\n    out = search(arguments["q"])\nelse:\n    raise LookupError'
    ),
    "match": ran(MATCH, "from lib import player"),
    "match on what the project has": ran(MATCH, rest="class P:\n    def play(self, t): return t\nplayer = P()\n"),
    "helper with a match": ran(
        "out = work(call.function.name, arguments)",
        rest='def work(name, arguments):\n    match name:\n        case "search" | "find":\n'
        '            return search(arguments["q"])\n        case _:\n            raise LookupError\n',
    ),
    "the one tool, one argument": ran("out = search(arguments['q'])"),
    "the shell": ran("out = subprocess.run(arguments['command'], shell=True)", "import subprocess"),
    "what the model wrote": ran("out = exec(arguments['code'])"),
    "a name that nobody defines": ran("out = from_another_cell(**arguments)"),
    "thread with a lambda": ran(
        "out = await asyncio.to_thread(lambda: handlers[call.function.name](**arguments))", is_async=True
    ),
    "executor with a lambda": ran(
        "out = await asyncio.get_running_loop().run_in_executor(\n"
        "    None, lambda: handlers[call.function.name](**arguments))",
        is_async=True,
    ),
    "name in a tuple": ran('if call.function.name in ("search", "find"):\n    out = search(arguments["q"])'),
    "conditional": ran('out = search(**arguments) if call.function.name == "search" else None'),
    "the one tool": ran("out = search(**arguments)"),
    "name cut behind a separator": ran("out = handlers[call.function.name.split('__')[-1]](**arguments)"),
    "name cut at a dot": ran("out = handlers[call.function.name.rpartition('.')[2]](**arguments)"),
    "name with a sign replaced": ran("out = handlers[call.function.name.replace('-', '_')](**arguments)"),
    "name and server cut apart": ran(
        "server, name = call.function.name.split('__')\nout = handlers[name](**arguments)"
    ),
    "executor": ran("out = pool.submit(handlers[call.function.name], **arguments).result()"),
    "partial": ran("out = functools.partial(handlers[call.function.name], **arguments)()"),
    "thread": ran("out = await asyncio.to_thread(handlers[call.function.name], **arguments)", is_async=True),
    "task": ran("out = await asyncio.create_task(handlers[call.function.name](**arguments))", is_async=True),
    "under a timeout": ran("out = await asyncio.wait_for(handlers[call.function.name](**arguments), 5)", is_async=True),
    "executor with a partial": ran(
        "out = await asyncio.get_running_loop().run_in_executor(\n"
        "    None, functools.partial(handlers[call.function.name], **arguments))",
        is_async=True,
    ),
    "registry from elsewhere": ran("out = registry.execute(call.function.name, arguments)", "from lib import registry"),
    "function from elsewhere": ran("out = run_tool(call.function.name, arguments)", "from lib import run_tool"),
    "server": ran("out = await session.call_tool(call.function.name, arguments)", "session = handlers", is_async=True),
    "helper": ran(
        "out = work(call)",
        rest="TABLE = {}\ndef work(call):\n"
        "    return TABLE[call.function.name](**json.loads(call.function.arguments))\n",
    ),
    "helper that takes a name": ran(
        "out = work(call.function.name, arguments)",
        rest="TABLE = {}\ndef work(name, arguments):\n    return TABLE[name](**arguments)\n",
    ),
    "helper with a chain": ran(
        "out = work(call.function.name, arguments)",
        rest='def work(name, arguments):\n    if name == "search":\n'
        '        return search(arguments["q"])\n    raise LookupError\n',
    ),
    "registry of the project": ran(
        "out = registry.execute(call.function.name, arguments)",
        rest="class Registry:\n    def __init__(self):\n        self.tools = {}\n"
        "    def execute(self, name, arguments):\n"
        "        return self.tools[name](**arguments)\nregistry = Registry()\n",
    ),
}


@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS.keys())
def test_a_loop_is_found_however_its_tool_is_run(text: str) -> None:
    assert [kind for kind in kinds(text) if kind[0] == "tool-loop"] == [("tool-loop", "run")]


@pytest.mark.parametrize(
    "run",
    [
        "out = json.dumps(arguments)",
        "out = str(call.function.name)",
        "print(call.function.name, arguments)\nout = 'ok'",
        "logging.info('%s %s', call.function.name, arguments)\nout = 'ok'",
        "messages.append((call.function.name, arguments))\nout = 'ok'",
        "out = Record(call.function.name, arguments)",
        "out = Record(**arguments)",
    ],
)
def test_a_call_that_only_tells_of_a_call_is_no_dispatch(run: str) -> None:
    rest = "import logging\nclass Record:\n    def __init__(self, *a, **k): ...\n"
    assert kinds(ran(run, rest=rest)) == []


# ---- loops of other shapes

SHAPES = {
    "anthropic": """
        import anthropic
        client = anthropic.Anthropic()
        def run(messages, tools, handlers):
            while True:
                reply = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
                if reply.stop_reason != "tool_use":
                    return reply
                messages.append({"role": "assistant", "content": reply.content})
                results = []
                for block in reply.content:
                    if block.type == "tool_use":
                        text = handlers[block.name](**block.input)
                        results.append({"type": "tool_result", "tool_use_id": block.id, "content": text})
                messages.append({"role": "user", "content": results})
        """,
    "anthropic stream": """
        import anthropic
        client = anthropic.Anthropic()
        def run(messages, tools, handlers):
            while True:
                with client.messages.stream(model="m", max_tokens=9, messages=messages, tools=tools) as stream:
                    for text in stream.text_stream:
                        print(text)
                    reply = stream.get_final_message()
                messages.append({"role": "assistant", "content": reply.content})
                calls = [block for block in reply.content if block.type == "tool_use"]
                if not calls:
                    return reply
                results = [{"type": "tool_result", "content": handlers[c.name](**c.input)} for c in calls]
                messages.append({"role": "user", "content": results})
        """,
    "responses": """
        from openai import OpenAI
        def run(client: OpenAI, items, tools, handlers):
            while True:
                response = client.responses.create(model="m", input=items, tools=tools)
                items += response.output
                calls = [item for item in response.output if item.type == "function_call"]
                if not calls:
                    return response.output_text
                for call in calls:
                    items.append({"type": "function_call_output", "output": handlers[call.name](call.arguments)})
        """,
    "tools in the prompt's text": """
        import re
        from openai import OpenAI
        client = OpenAI()
        TOOLS = {"search": print}
        def run(prompt):
            while True:
                reply = client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
                text = reply.choices[0].message.content
                if "Final Answer" in text:
                    return text
                action = re.search(r"Action: (.*)", text).group(1)
                prompt += text + "Observation: " + TOOLS[action](text)
        """,
    "condition asks the reply": """
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, handlers):
            message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            while message.tool_calls:
                messages.append(message)
                for call in message.tool_calls:
                    messages.append({"role": "tool", "content": handlers[call.function.name](call.function.arguments)})
                message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        """,
    "nested function that calls itself": f"""
        import json
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, handlers):
            def step():
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message.content
                for call in message.tool_calls:
                    messages.append({{"role": "tool", "content": {RUN}}})
                return step()
            return step()
        """,
    "asynchronous generator that delegates to itself": f"""
        import json
        async def step(client, messages, tools, handlers):
            message = (await {TURN}).choices[0].message
            messages.append(message)
            yield message
            for call in message.tool_calls or []:
                messages.append({{"role": "tool", "content": {RUN}}})
            if message.tool_calls:
                async for inner in step(client, messages, tools, handlers):
                    yield inner
        """,
    "gather over the calls": f"""
        import asyncio, json
        async def one(call, handlers):
            return {{"role": "tool", "content": await {RUN}}}
        async def run(client, messages, tools, handlers):
            while True:
                message = (await {TURN}).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message.content
                messages.extend(await asyncio.gather(*[one(call, handlers) for call in message.tool_calls]))
        """,
    "pool over the calls": f"""
        import json
        from concurrent.futures import ThreadPoolExecutor
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, handlers):
            def one(call):
                return {{"role": "tool", "content": {RUN}}}
            while True:
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message
                with ThreadPoolExecutor() as pool:
                    messages.extend(pool.map(one, message.tool_calls))
        """,
    "map over the calls": f"""
        import json
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, handlers):
            def one(call):
                return {{"role": "tool", "content": {RUN}}}
            while True:
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message
                messages.extend(map(one, message.tool_calls))
        """,
    "futures of the calls": f"""
        import json
        from concurrent.futures import ThreadPoolExecutor, as_completed
        from openai import OpenAI
        client = OpenAI()
        def execute(call, handlers):
            return {RUN}
        def run(messages, tools, handlers):
            while True:
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message
                with ThreadPoolExecutor() as pool:
                    futures = {{pool.submit(execute, call, handlers): call for call in message.tool_calls}}
                    for future in as_completed(futures):
                        messages.append({{"role": "tool", "content": future.result()}})
        """,
    "comprehension over the calls": f"""
        import json
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, handlers):
            while True:
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message.content
                messages += [{{"role": "tool", "content": {RUN}}} for call in message.tool_calls]
        """,
    "callback of the caller": f"""
        from openai import OpenAI
        client = OpenAI()
        def run(messages, tools, dispatch):
            while True:
                message = {TURN}.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    return message.content
                for call in message.tool_calls:
                    text = dispatch(call.function.name, call.function.arguments)
                    messages.append({{"role": "tool", "content": text}})
        """,
    "older function call": """
        import json
        from openai import OpenAI
        client = OpenAI()
        def run(messages, functions, handlers):
            while True:
                reply = client.chat.completions.create(model="m", messages=messages, functions=functions)
                message = reply.choices[0].message
                messages.append(message)
                if message.function_call is None:
                    return message.content
                result = handlers[message.function_call.name](**json.loads(message.function_call.arguments))
                messages.append({"role": "function", "name": message.function_call.name, "content": result})
        """,
    "plain dictionaries": """
        import json, requests
        def run(messages, tools, handlers):
            while True:
                data = requests.post("https://x", json={"messages": messages, "tools": tools}).json()
                message = data["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    return message["content"]
                for call in message["tool_calls"]:
                    text = handlers[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
                    messages.append({"role": "tool", "content": text})
        """,
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_a_tool_loop_of_any_shape_is_found_once_and_has_no_cap(text: str) -> None:
    assert stands(dedent(text), "cap") == "missing none"


def ring(check: str) -> str:
    """Two functions that call each other in turn."""
    return program(
        f"""
    def ask(messages, tools, handlers, depth=0):
        message = {TURN}.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        return work(message, messages, tools, handlers, depth)
    def work(message, messages, tools, handlers, depth):
        for call in message.tool_calls:
            messages.append({{"role": "tool", "content": {RUN}}})
        {check}
        return ask(messages, tools, handlers, depth + 1)
    """
    )


def test_a_ring_of_functions_is_told_once() -> None:
    assert kinds(ring("pass")) == [("tool-loop", "ask")]


def test_a_depth_that_a_ring_hands_on_bounds_it() -> None:
    assert stands(ring("if depth > 8: return None"), "cap") == "held"


def test_a_coroutine_that_starts_its_next_step_as_a_task_is_a_loop() -> None:
    text = f"""
    async def step(messages, tools, handlers):
        message = {TURN}.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            messages.append({{"role": "tool", "content": {RUN}}})
        asyncio.create_task(step(messages, tools, handlers))
    """
    assert kinds(program(text)) == [("tool-loop", "step")]


def test_a_loop_at_module_level_is_found() -> None:
    text = f"""
    messages, tools, handlers = [], [], {{}}
    while True:
        message = {TURN}.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            messages.append({{"role": "tool", "content": {RUN}}})
    """
    assert kinds(program(text)) == [("tool-loop", "<module>")]


# ---- over files

BRAIN = """\
from openai import OpenAI
class Brain:
    def __init__(self):
        self.client = OpenAI()
    def think(self, history):
        return self.client.chat.completions.create(model="m", messages=history, tools=TOOLS).choices[0].message
"""
HANDS = """\
import json
HANDLERS = {}
def work(calls, history):
    for call in calls:
        text = HANDLERS[call.function.name](**json.loads(call.function.arguments))
        history.append({"role": "tool", "content": text})
"""
SPREAD = {
    "turn and dispatch in other modules": {
        "agent.py": """\
            from brain import Brain
            from hands import work
            class Agent:
                def __init__(self):
                    self.brain = Brain()
                    self.history = []
                def run(self):
                    while True:
                        thought = self.brain.think(self.history)
                        self.history.append(thought)
                        if not thought.tool_calls:
                            return thought.content
                        work(thought.tool_calls, self.history)
            """,
    },
    "the loop only says step": {
        "agent.py": """\
            from brain import Brain
            from hands import work
            class Agent:
                def __init__(self):
                    self.brain = Brain()
                    self.history = []
                    self.done = False
                def step(self):
                    thought = self.brain.think(self.history)
                    self.history.append(thought)
                    if not thought.tool_calls:
                        self.done = True
                        return
                    work(thought.tool_calls, self.history)
                def run(self):
                    while not self.done:
                        self.step()
            """,
    },
    "the step is a subclass's, in another file": {
        "agent.py": """\
            class Base:
                def step(self):
                    raise NotImplementedError
                def run(self):
                    while not self.step():
                        pass
            """,
        "sub.py": """\
            from agent import Base
            from brain import Brain
            from hands import work
            class Agent(Base):
                def __init__(self):
                    self.brain = Brain()
                    self.history = []
                def step(self):
                    thought = self.brain.think(self.history)
                    self.history.append(thought)
                    if not thought.tool_calls:
                        return True
                    work(thought.tool_calls, self.history)
                    return False
            """,
    },
    "the step is inherited and called by super": {
        "base.py": """\
            from brain import Brain
            from hands import work
            class Base:
                def __init__(self):
                    self.brain = Brain()
                    self.history = []
                def step(self):
                    thought = self.brain.think(self.history)
                    self.history.append(thought)
                    work(thought.tool_calls or [], self.history)
                    return not thought.tool_calls
            """,
        "agent.py": """\
            from base import Base
            class Agent(Base):
                def step(self):
                    print("step")
                    return super().step()
                def run(self):
                    while True:
                        if self.step():
                            break
            """,
    },
    "the model is abstract": {
        "model.py": """\
            from abc import ABC, abstractmethod
            class Model(ABC):
                @abstractmethod
                def think(self, history): ...
            """,
        "openai_model.py": """\
            from model import Model
            from brain import Brain
            class OpenAIModel(Model):
                def __init__(self):
                    self.brain = Brain()
                def think(self, history):
                    return self.brain.think(history)
            """,
        "agent.py": """\
            from hands import work
            from model import Model
            def run(model: Model, history):
                while True:
                    thought = model.think(history)
                    history.append(thought)
                    if not thought.tool_calls:
                        return thought.content
                    work(thought.tool_calls, history)
            """,
    },
}


@pytest.mark.parametrize("files", SPREAD.values(), ids=SPREAD.keys())
def test_a_loop_is_found_when_its_parts_are_in_other_files(files: dict[str, str]) -> None:
    found = subject({"brain.py": BRAIN, "hands.py": HANDS, **files})
    assert found.header.path == "agent.py"
    assert found.verdict("cap").how == "none"
    assert {step.place.path for step in found.turns} == {"brain.py"}
    assert {step.place.path for step in found.dispatches} == {"hands.py"}


def test_a_dispatch_that_a_loop_owns_is_no_subject_of_its_own() -> None:
    files = {"brain.py": BRAIN, "hands.py": HANDS, **SPREAD["turn and dispatch in other modules"]}
    assert kinds(files) == [("tool-loop", "Agent.run")]


def test_a_helper_alone_is_a_dispatcher() -> None:
    assert kinds({"hands.py": HANDS.replace("calls", "tool_calls")}) == [("dispatcher", "work")]


# ---- retries

RETRIES = {
    "return in the try": "while True:\n    try:\n        return {turn}\n    except Exception:\n        pass",
    "continue": "while True:\n    try:\n        return {turn}\n    except Exception:\n"
    "        time.sleep(1)\n        continue",
    "break": "while True:\n    try:\n        reply = {turn}\n        break\n"
    "    except Exception:\n        time.sleep(1)\nreturn reply",
    "else": "while True:\n    try:\n        reply = {turn}\n    except OSError:\n"
    "        continue\n    else:\n        return reply",
    "flag": "ok = False\nwhile not ok:\n    try:\n        reply = {turn}\n        ok = True\n"
    "    except Exception:\n        print('again')\nreturn reply",
    "counted and never compared": "n = 0\nwhile True:\n    try:\n        return {turn}\n    except Exception:\n"
    "        n += 1\n        time.sleep(n)",
}


def retried(body: str) -> str:
    return program("def ask(messages, tools):\n" + indent(body.format(turn=TURN), "    "))


@pytest.mark.parametrize("body", RETRIES.values(), ids=RETRIES.keys())
def test_the_same_request_again_without_end_is_an_unbounded_retry(body: str) -> None:
    text = retried(body)
    assert kinds(text) == [("retry", "ask")]
    assert stands(text, "cap", "retry") == "missing unbounded-retry"


def test_an_unbounded_retry_names_the_request() -> None:
    (fault,) = verdict(retried(RETRIES["continue"]), "cap", "retry").faults
    assert dict(fault.words)["call"] == "openai.OpenAI().chat.completions.create"
    assert [step.message for step in fault.trail] == ["create"]


def test_an_unbounded_decorator_names_what_it_lacks() -> None:
    text = program(f"from tenacity import retry\n@retry\ndef ask(messages, tools):\n    return {TURN}\n")
    (fault,) = verdict(text, "cap", "retry").faults
    assert dict(fault.words) == {"call": "retry", "param": "stop"}
    assert at(fault, text) == "@retry"


BOUNDED_RETRIES = {
    "range": "for n in range(3):\n    try:\n        return {turn}\n    except Exception:\n        time.sleep(1)",
    "raise after n": "n = 0\nwhile True:\n    try:\n        return {turn}\n    except Exception:\n"
    "        n += 1\n        if n > 3:\n            raise",
    "while below": "n = 0\nwhile n < 3:\n    n += 1\n    try:\n        return {turn}\n"
    "    except Exception:\n        time.sleep(1)",
    "deadline": "end = time.monotonic() + 9\nwhile time.monotonic() < end:\n    try:\n"
    "        return {turn}\n    except Exception:\n        time.sleep(1)",
    "finally": "n = 0\nwhile n < 3:\n    try:\n        return {turn}\n    except Exception:\n"
    "        pass\n    finally:\n        n += 1",
}


@pytest.mark.parametrize("body", BOUNDED_RETRIES.values(), ids=BOUNDED_RETRIES.keys())
def test_a_retry_with_an_end_holds(body: str) -> None:
    assert stands(retried(body), "cap", "retry") == "held"


def test_a_handler_that_raises_makes_no_retry() -> None:
    assert kinds(retried("while True:\n    try:\n        return {turn}\n    except Exception:\n        raise")) == []


def test_a_retry_inside_a_tool_loop_is_told_beside_it() -> None:
    module = (
        "def ask(messages, tools):\n    while True:\n        try:\n"
        f"            return {TURN}\n        except Exception:\n            continue"
    )
    text = loop("for _ in range(8):", ask="ask(messages, tools)", module=module)
    assert [(s.kind, s.verdict("cap").state) for s in subjects(text)] == [("retry", "missing"), ("tool-loop", "held")]


def test_a_bounded_run_that_is_tried_again_is_a_retry() -> None:
    text = """
    def keep(tools, handlers):
        while True:
            try:
                return run([], tools, handlers)
            except Exception:
                continue
    """
    found = loop("for _ in range(8):", after="raise RuntimeError('out of steps')") + dedent(text)
    assert kinds(found) == [("tool-loop", "run"), ("retry", "keep")]
    assert stands(found, "cap", "retry") == "missing unbounded-retry"


def test_the_steps_of_a_run_are_no_bound_of_the_retry_around_it() -> None:
    text = """
    def keep(tools, handlers):
        while True:
            try:
                return run([], tools, handlers)
            except Exception:
                continue
    """
    assert stands(BOUNDED + dedent(text), "cap", "retry") == "missing unbounded-retry"


def test_a_dispatch_that_is_tried_again_is_a_retry() -> None:
    text = """\
    def call_tool(session, name, arguments):
        while True:
            try:
                return session.call_tool(name, arguments)
            except ConnectionError:
                continue
    """
    assert stands(text, "cap", "retry") == "missing unbounded-retry"


DECORATORS = {
    "tenacity without stop": ("from tenacity import retry", "@retry", "missing unbounded-retry"),
    "tenacity with a wait only": (
        "from tenacity import retry, wait_fixed",
        "@retry(wait=wait_fixed(1))",
        "missing unbounded-retry",
    ),
    "tenacity that never stops": (
        "from tenacity import retry, stop_never",
        "@retry(stop=stop_never)",
        "missing unbounded-retry",
    ),
    "tenacity by module": ("import tenacity", "@tenacity.retry()", "missing unbounded-retry"),
    "tenacity with stop": ("import tenacity", "@tenacity.retry(stop=tenacity.stop_after_attempt(3))", "held"),
    "tenacity with two stops": (
        "from tenacity import retry, stop_after_attempt, stop_after_delay",
        "@retry(stop=stop_after_attempt(3) | stop_after_delay(9))",
        "held",
    ),
    "tenacity with unknown arguments": ("from tenacity import retry", "@retry(**OPTIONS)", "unknown"),
    "backoff without limit": (
        "import backoff",
        "@backoff.on_exception(backoff.expo, OSError)",
        "missing unbounded-retry",
    ),
    "backoff with tries": ("import backoff", "@backoff.on_exception(backoff.expo, OSError, max_tries=3)", "held"),
    "backoff with no tries": (
        "import backoff",
        "@backoff.on_exception(backoff.expo, OSError, max_tries=None)",
        "missing unbounded-retry",
    ),
}


@pytest.mark.parametrize(("module", "decorator", "wanted"), DECORATORS.values(), ids=DECORATORS.keys())
def test_a_retry_decorator_needs_an_end(module: str, decorator: str, wanted: str) -> None:
    text = program(f"{module}\nOPTIONS = load()\n{decorator}\ndef ask(messages, tools):\n    return {TURN}\n")
    assert stands(text, "cap", "retry") == wanted


def test_a_retry_decorator_over_something_else_is_no_subject() -> None:
    assert kinds(program("from tenacity import retry\n@retry\ndef fetch(url):\n    return client.files.list()\n")) == []


def test_another_decorator_of_the_same_name_is_no_retry() -> None:
    text = program(f"def retry(f):\n    return f\n@retry\ndef ask(messages, tools):\n    return {TURN}\n")
    assert kinds(text) == []


# ---- dispatchers

DISPATCHERS = {
    "table": "def run_tool(tools, tool_name, arguments):\n    return tools[tool_name](**arguments)\n",
    "registry": "class ToolRegistry:\n    def __init__(self):\n        self.tools = {}\n"
    "    def execute(self, name, arguments):\n"
    "        return self.tools[name](**arguments)\n",
    "attribute": "class Box:\n    def run_tool(self, tool_name, arguments):\n"
    "        return getattr(self, tool_name)(**arguments)\n",
    "whole call": "import json\nTOOLS = {}\ndef dispatch(tool_call):\n"
    "    return TOOLS[tool_call.function.name](**json.loads(tool_call.function.arguments))\n",
    "chain": 'def run_tool(tool_name, arguments):\n    if tool_name == "a":\n'
    '        return open(arguments["p"])\n    raise LookupError(tool_name)\n',
    "match": 'def run_tool(tool_name, arguments):\n    match tool_name:\n        case "a":\n'
    '            return open(arguments["p"])\n    raise LookupError(tool_name)\n',
    "callback": "def dispatch(allowlist, tool_name, invoke):\n"
    "    if tool_name not in allowlist:\n        raise LookupError(tool_name)\n"
    "    return invoke()\n",
    "server": "async def call_tool(session, tool_name, arguments):\n"
    "    return await session.call_tool(tool_name, arguments)\n",
    "import": "import importlib\ndef run_tool(tool_name, arguments):\n"
    "    return importlib.import_module(tool_name).run(**arguments)\n",
}


@pytest.mark.parametrize("text", DISPATCHERS.values(), ids=DISPATCHERS.keys())
def test_a_function_that_runs_a_tool_by_its_name_is_a_dispatcher(text: str) -> None:
    assert [kind for kind, _ in kinds(text)] == ["dispatcher"]


@pytest.mark.parametrize(
    "text",
    [
        "def render(name, template):\n    return TEMPLATES[name](template)\n",
        "class Registry:\n    def get(self, name):\n        return self.tools[name]\n",
        "def tool_name(tool):\n    return tool.name\n",
        "def register_tool(tool_name, function):\n    TOOLS[tool_name] = function\n",
        "def describe_tool(tool_name):\n    return DESCRIPTIONS[tool_name]\n",
        "async def call(session, arguments):\n    return await session.call_tool('search', arguments)\n",
        "def handle(event, tools):\n    return HANDLERS[event.type](event)\n",
    ],
)
def test_a_lookup_of_something_else_is_no_dispatcher(text: str) -> None:
    assert kinds(text) == []


# ---- what a subject tells


def test_a_subject_stands_at_the_header_of_its_loop() -> None:
    text = loop(before="x = 1", module="# é\n")
    found = subject(text)
    line = line_of("while True:", text)
    assert (found.header.line, found.header.column, found.header.end_line) == (line, 5, line)
    assert found.id == f"agent.py:{line}:5"
    assert found.place.end_line > line
    assert (found.function, found.framework) == ("run", "openai")


def test_a_subject_names_its_turns_and_dispatches() -> None:
    text = loop()
    found = subject(text)
    assert [(s.place.line, s.message) for s in found.turns] == [
        (line_of("client.chat", text), "openai.OpenAI().chat.completions.create")
    ]
    assert [s.place.line for s in found.dispatches] == [line_of("handlers[call", text)]


def test_subjects_are_in_the_order_of_their_places() -> None:
    files: Files = {"b.py": loop(), "a.py": loop() + loop(rest="").replace("def run", "def again")}
    found = [(s.place.path, s.place.line) for s in subjects(files)]
    assert found == sorted(found)
    assert len(found) == 3


def test_a_shape_does_not_know_the_names_of_locals_or_the_number_of_the_cap() -> None:
    one = subject(loop("while n < CAP:", before="n = 0", top="n += 1", module="CAP = 8"))
    two = subject(loop("while used < LIMIT:", before="used = 0", top="used += 1", module="\n\nLIMIT = 20"))
    other = subject(loop("while n < CAP or messages:", before="n = 0", top="n += 1", module="CAP = 8"))
    assert one.shape == two.shape
    assert one.shape != other.shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (loop(), "tool-loop|while True|turns:completions.create|dispatches:table|exits:return"),
        (
            loop("for step in range(8):", leave="if not message.tool_calls:\n    break"),
            "tool-loop|for v0 in range()|turns:completions.create|dispatches:table|exits:end",
        ),
        (
            loop("while n < cap:", params="cap=3", before="n = 0", top="n += 1", inner="assert call"),
            "tool-loop|while v0 < v1|turns:completions.create|dispatches:table|exits:end,raise,return",
        ),
    ],
)
def test_a_shape_is_head_turns_dispatches_and_exits(text: str, shape: str) -> None:
    assert subject(text).shape == shape


def test_the_witness_leads_over_the_turn_and_the_dispatch() -> None:
    text = loop()
    found = subject(text)
    assert [step.place.line for step in found.witness] == [line_of("client.chat", text), line_of("handlers[call", text)]


def test_the_witness_names_the_helpers_by_their_calls_in_the_loop() -> None:
    files = {"brain.py": BRAIN, "hands.py": HANDS, **SPREAD["turn and dispatch in other modules"]}
    found = subject(files)
    said = [(step.place.path, step.message) for step in found.witness]
    assert said == [("agent.py", "think"), ("agent.py", "work")]


@pytest.mark.parametrize(
    ("text", "turns", "seconds"),
    [
        (loop(), "∞", "∞"),
        (loop("for _ in range(8):"), "8", "∞"),
        (loop("for _ in range(cap):", params="cap"), "?", "∞"),
        (
            loop(
                "for _ in range(8):",
                module="import time\nLIMIT = 90",
                before="end = time.monotonic()",
                top="if time.monotonic() - end > LIMIT: break",
            ),
            "8",
            "90",
        ),
    ],
)
def test_the_envelope_is_the_worst_case(text: str, turns: str, seconds: str) -> None:
    found = subject(text).envelope
    assert (found.turns, found.seconds) == (turns, seconds)


def test_a_file_that_cannot_be_parsed_costs_only_itself() -> None:
    files = {"a.py": loop(), "b.py": "def f(:\n    tool\n"}
    found = recognise(index(files, shipped()), shipped(), lambda _: Limits())
    assert [s.place.path for s in found.subjects] == ["a.py"]
    assert found.crashes == ()


def test_a_project_without_words_has_no_subjects() -> None:
    assert subjects({"a.py": "def f(x):\n    while x:\n        x -= 1\n"}) == ()


# ---- turns behind what is handed in, waited for or named otherwise


def test_a_generator_that_is_handed_to_its_reader_is_run_by_it() -> None:
    text = f"""
    def ask(messages, tools):
        for chunk in {TURN[:-1]}, stream=True):
            yield chunk
    def read(chunks):
        for chunk in chunks:
            yield chunk.choices[0].delta
    def run(messages, tools, handlers):
        while True:
            chunks = ask(messages, tools)
            for message in read(chunks):
                for call in message.tool_calls:
                    messages.append({{"role": "tool", "content": {RUN}}})
    """
    assert kinds(program(text)) == [("tool-loop", "run")]


@pytest.mark.parametrize("name", ["generate", "agenerate", "async_chat", "stream", "astream"])
def test_a_conversation_handed_to_a_model_asks_it_however_the_verb_is_dressed(name: str) -> None:
    text = f"""
    class Agent:
        def __init__(self, model, tools):
            self.model, self.tools = model, tools
        def run(self, messages):
            while True:
                reply = self.model.{name}(messages)
                tool_name, tool_args = json.loads(reply)
                messages.append(self.tools[tool_name](**tool_args))
    """
    assert ("tool-loop", "Agent.run") in kinds(program(text))


def test_a_request_that_is_built_from_a_memory_on_each_pass_depends_on_the_last_reply() -> None:
    text = """
        class Memory:
            def __init__(self):
                self.said = []

            def add(self, text):
                self.said.append(text)

            def text(self):
                return "\\n".join(self.said)


        class Agent:
            def __init__(self):
                self.memory = Memory()

            def run(self):
                while True:
                    messages = []
                    messages.append({"role": "user", "content": self.memory.text()})
                    reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
                    for call in reply.choices[0].message.tool_calls or []:
                        self.memory.add(TOOLS[call.function.name](**json.loads(call.function.arguments)))
        """
    assert kinds(program(text)) == [("tool-loop", "Agent.run")]


def test_a_helper_that_is_given_what_only_its_callers_know_runs_no_tool() -> None:
    text = """
        def tidy(value):
            return {key: str(each).strip() for key, each in value.items()}


        def parse_arguments(text):
            return tidy(json.loads(text))


        def run(messages):
            while True:
                reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
                for call in reply.tool_calls or []:
                    messages.append({"role": "user", "content": str(parse_arguments(call.function.arguments))})
        """
    assert kinds(program(text)) == []
    assert kinds(program(text.replace("parse_arguments(", "one("))) != []
