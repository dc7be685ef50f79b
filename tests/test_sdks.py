"""Each model library end to end: its loop is known, and so is how long one request of it may take."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import NamedTuple

import pytest

from toolbind_lint.config import Settings
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory


class Sdk(NamedTuple):
    """A library: what makes its client, with a limit and without; a request; where its calls, names and arguments are.

    ``waits`` says whether a request without a limit may take for ever.
    """

    imports: str
    client: str
    limited: str
    ask: str
    calls: str
    name: str
    args: str
    waits: bool


OPENAI = ("reply.choices[0].message.tool_calls", "call.function.name", "json.loads(call.function.arguments)")

SDKS = {
    "openai": Sdk(
        "from openai import OpenAI",
        "OpenAI()",
        "OpenAI(timeout=20)",
        "client.chat.completions.create(model='m', messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=False,
    ),
    "openai before 1": Sdk(
        "import openai",
        "None",
        "None",
        "openai.ChatCompletion.create(model='m', messages=messages, functions=TOOLS)",
        "[reply.choices[0].message.function_call]",
        "call.name",
        "json.loads(call.arguments)",
        waits=False,
    ),
    "anthropic": Sdk(
        "from anthropic import Anthropic",
        "Anthropic()",
        "Anthropic(timeout=20)",
        "client.messages.create(model='m', max_tokens=9, messages=messages, tools=TOOLS)",
        "[b for b in reply.content if b.type == 'tool_use']",
        "call.name",
        "call.input",
        waits=False,
    ),
    "google-genai": Sdk(
        "from google import genai\nfrom google.genai import types",
        "genai.Client()",
        "genai.Client(http_options=types.HttpOptions(timeout=30_000))",
        "client.models.generate_content(model='m', contents=messages, config={'tools': TOOLS})",
        "reply.function_calls",
        "call.name",
        "call.args",
        waits=True,
    ),
    "google-generativeai": Sdk(
        "import google.generativeai as genai",
        "genai.GenerativeModel('m', tools=TOOLS)",
        "genai.GenerativeModel('m', tools=TOOLS)",
        "client.generate_content(messages, tools=TOOLS)",
        "[p.function_call for p in reply.parts if p.function_call]",
        "call.name",
        "call.args",
        waits=False,
    ),
    "mistralai": Sdk(
        "from mistralai.client import Mistral",
        "Mistral()",
        "Mistral(timeout_ms=20_000)",
        "client.chat.complete(model='m', messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=False,
    ),
    "mistralai before 2": Sdk(
        "from mistralai import Mistral",
        "Mistral()",
        "Mistral(timeout_ms=20_000)",
        "client.chat.complete(model='m', messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=True,
    ),
    "cohere": Sdk(
        "import cohere",
        "cohere.ClientV2()",
        "cohere.ClientV2(timeout=20)",
        "client.chat(model='m', messages=messages, tools=TOOLS)",
        "reply.message.tool_calls",
        "call.function.name",
        "json.loads(call.function.arguments)",
        waits=False,
    ),
    "ollama": Sdk(
        "import ollama",
        "None",
        "None",
        "ollama.chat(model='m', messages=messages, tools=TOOLS)",
        "reply.message.tool_calls",
        "call.function.name",
        "call.function.arguments",
        waits=True,
    ),
    "a client of ollama": Sdk(
        "from ollama import Client",
        "Client()",
        "Client(timeout=20)",
        "client.chat(model='m', messages=messages, tools=TOOLS)",
        "reply.message.tool_calls",
        "call.function.name",
        "call.function.arguments",
        waits=True,
    ),
    "litellm": Sdk(
        "import litellm",
        "None",
        "None",
        "litellm.completion(model='m', messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=False,
    ),
    "groq": Sdk(
        "from groq import Groq",
        "Groq()",
        "Groq(timeout=20)",
        "client.chat.completions.create(model='m', messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=False,
    ),
    "bedrock": Sdk(
        "import boto3\nfrom botocore.config import Config",
        "boto3.client('bedrock-runtime')",
        "boto3.client('bedrock-runtime', config=Config(read_timeout=20, retries={'max_attempts': 1}))",
        "client.converse(modelId='m', messages=messages, toolConfig={'tools': TOOLS})",
        "[b['toolUse'] for b in reply['output']['message']['content'] if 'toolUse' in b]",
        "call['name']",
        "call['input']",
        waits=False,
    ),
    "huggingface_hub": Sdk(
        "from huggingface_hub import InferenceClient",
        "InferenceClient()",
        "InferenceClient(timeout=20)",
        "client.chat_completion(messages=messages, tools=TOOLS)",
        *OPENAI,
        waits=True,
    ),
    "instructor": Sdk(
        "import instructor\nfrom openai import OpenAI",
        "instructor.from_openai(OpenAI())",
        "instructor.from_openai(OpenAI(timeout=20))",
        "client.chat.completions.create(model='m', messages=messages, tools=TOOLS, response_model=None)",
        *OPENAI,
        waits=False,
    ),
}

PROGRAM = """\
import json
{imports}

TOOLS = []
HANDLERS = {{"add": print}}
client = {client}


def answer(question):
    messages = [{{"role": "user", "content": question}}]
    {head}
        reply = {ask}
        messages.append(reply)
        calls = {calls}
        if not calls:
            return reply
        for call in calls:
            result = HANDLERS[{name}](**{args})
            messages.append({{"role": "tool", "name": {name}, "content": json.dumps(result)}})
    raise RuntimeError("out of steps")
"""


def codes(text: str) -> set[str]:
    found = lint(Memory({"agent.py": text.encode()}), ["agent.py"], Settings())
    assert found.crashes == ()
    assert found.subjects, "no loop"
    return {f.code for f in found.findings}


def program(sdk: Sdk, head: str, *, limited: bool) -> str:
    client = sdk.limited if limited else sdk.client
    return PROGRAM.format(head=head, **{**sdk._asdict(), "client": client})


@pytest.mark.parametrize("name", SDKS)
def test_a_loop_of_a_library_is_known_with_its_bound(name: str) -> None:
    assert "TB101" in codes(program(SDKS[name], "while True:", limited=True))
    assert "TB101" not in codes(program(SDKS[name], "for _ in range(8):", limited=True))


@pytest.mark.parametrize("name", SDKS)
def test_how_long_a_request_may_take_is_known(name: str) -> None:
    sdk = SDKS[name]
    assert ("TB204" in codes(program(sdk, "for _ in range(8):", limited=False))) is sdk.waits
    if sdk.limited != sdk.client:
        assert "TB204" not in codes(program(sdk, "for _ in range(8):", limited=True))


FORCED = {
    "openai": "client.chat.completions.create(model='m', messages=messages, tools=TOOLS, tool_choice={force})",
    "google-genai": (
        "client.models.generate_content(model='m', contents=messages, config=types.GenerateContentConfig(tools=TOOLS, "
        "tool_config=types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode={force}))))"
    ),
    "google-generativeai": (
        "client.generate_content(messages, tools=TOOLS, tool_config={{'function_calling_config': {{'mode': {force}}}}})"
    ),
    "mistralai": "client.chat.complete(model='m', messages=messages, tools=TOOLS, tool_choice={force})",
    "cohere": "client.chat(model='m', messages=messages, tools=TOOLS, tool_choice={force})",
    "bedrock": (
        "client.converse(modelId='m', messages=messages, toolConfig={{'tools': TOOLS, 'toolChoice': {force}}})"
    ),
    "huggingface_hub": "client.chat_completion(messages=messages, tools=TOOLS, tool_choice={force})",
}


@pytest.mark.parametrize(
    ("name", "force", "fires"),
    [
        ("openai", "'required'", True),
        ("openai", "'auto'", False),
        ("google-genai", "'ANY'", True),
        ("google-genai", "types.FunctionCallingConfigMode.ANY", True),
        ("google-genai", "'AUTO'", False),
        ("google-generativeai", "'ANY'", True),
        ("google-generativeai", "'AUTO'", False),
        ("mistralai", "'any'", True),
        ("mistralai", "'none'", False),
        ("cohere", "'REQUIRED'", True),
        ("cohere", "'NONE'", False),
        ("bedrock", "{'any': {}}", True),
        ("bedrock", "{'tool': {'name': 'add'}}", True),
        ("bedrock", "{'auto': {}}", False),
        ("huggingface_hub", "'required'", True),
    ],
)
def test_a_choice_that_forces_a_call_is_known(name: str, force: str, fires: bool) -> None:
    sdk = SDKS[name]._replace(ask=FORCED[name].format(force=force))
    assert ("TB601" in codes(program(sdk, "for _ in range(8):", limited=True))) is fires


@pytest.mark.parametrize(
    ("client", "call", "fires"),
    [
        ("Client('s.py')", "client.call_tool({name}, {args})", True),
        ("Client('s.py', timeout=9)", "client.call_tool({name}, {args})", False),
        ("Client('s.py')", "client.call_tool({name}, {args}, timeout=9)", False),
    ],
)
def test_a_tool_of_a_server_that_fastmcp_asks_may_hang(client: str, call: str, fires: bool) -> None:
    text = dedent(
        """\
        import json
        from fastmcp import Client
        from openai import AsyncOpenAI
        model = AsyncOpenAI(timeout=9)
        ALLOWED = {"add"}
        async def answer(messages, tools):
            async with CLIENT as client:
                for _ in range(8):
                    reply = await model.chat.completions.create(model="m", messages=messages, tools=tools)
                    message = reply.choices[0].message
                    if not message.tool_calls:
                        return message.content
                    for call in message.tool_calls:
                        if call.function.name not in ALLOWED:
                            raise LookupError(call.function.name)
                        result = await CALL
                        messages.append({"role": "tool", "tool_call_id": call.id, "content": result.data})
        """
    )
    given = call.format(name="call.function.name", args="json.loads(call.function.arguments)")
    assert ("TB301" in codes(text.replace("CLIENT", client).replace("CALL", given))) is fires


def test_the_number_of_automatic_calls_is_judged_where_it_is_set() -> None:
    text = """\
        from google import genai
        from google.genai import types
        client = genai.Client()
        def add(a: int) -> int:
            return a
        client.models.generate_content(
            model="m", contents="hi", config=types.GenerateContentConfig(
                tools=[add],
                automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=N),
            ),
        )
        """
    assert "TB109" in codes(dedent(text).replace("N)", "900)"))
    assert "TB109" not in codes(dedent(text).replace("N)", "9)"))
    plain = indent(dedent(text).replace("N)", "9)"), "")
    without = "\n".join(line for line in plain.splitlines() if "automatic_function_calling" not in line)
    assert lint(Memory({"agent.py": without.encode()}), ["agent.py"], Settings()).subjects == ()
