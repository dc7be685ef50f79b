"""The patterns test a path and a command; the names are a chain of literals."""
import json
import re
import subprocess
from pathlib import Path

from openai import OpenAI


def run_tool(name, arguments):
    if name == "read":
        if not re.fullmatch(r"docs/[\w/]+\.md", arguments["path"]):
            raise PermissionError(arguments["path"])
        return Path(arguments["path"]).read_text()
    if name == "git":
        if not arguments["command"].startswith(("log", "diff")):
            raise PermissionError(arguments["command"])
        argv = ["git", *arguments["command"].split()]
        return subprocess.run(argv, capture_output=True, text=True, timeout=20).stdout
    raise LookupError(name)


def document(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            text = run_tool(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
    raise RuntimeError("out of steps")
