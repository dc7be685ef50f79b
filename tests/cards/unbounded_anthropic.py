"""A file assistant for the terminal: it goes on for as long as the model asks for tools."""

import sys
from pathlib import Path

import anthropic

client = anthropic.Anthropic()

TOOLS = [
    {
        "name": "read_file",
        "description": "Read a text file",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
    {
        "name": "list_dir",
        "description": "List a directory",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
]


def run_tool(name, args):
    if name == "read_file":
        return Path(args["path"]).read_text()[:20_000]
    elif name == "list_dir":
        return "\n".join(sorted(p.name for p in Path(args["path"]).iterdir()))
    raise KeyError(name)


def chat(task):
    messages = [{"role": "user", "content": task}]
    turn = 0
    while True:
        turn += 1
        print(f"turn {turn}", file=sys.stderr)
        reply = client.messages.create(
            model="claude-sonnet-4-5",
            max_tokens=4096,
            tools=TOOLS,
            messages=messages,
        )
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return "".join(block.text for block in reply.content if block.type == "text")

        results = []
        for block in reply.content:
            if block.type == "tool_use":
                output = run_tool(block.name, block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})


if __name__ == "__main__":
    print(chat(" ".join(sys.argv[1:])))
