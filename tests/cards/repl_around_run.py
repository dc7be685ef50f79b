"""A shell around an assistant: each line that a person types starts one bounded run."""

import json

import anthropic

client = anthropic.Anthropic()
MAX_STEPS = 10
UNITS = {"km": 1000.0, "m": 1.0, "mile": 1609.344}
TOOLS = [{"name": "convert", "description": "Convert a length", "input_schema": {"type": "object"}}]


def convert(value, source, target):
    return {"value": value * UNITS[source] / UNITS[target]}


HANDLERS = {"convert": convert}


def run_once(history, line):
    history.append({"role": "user", "content": line})
    for step in range(MAX_STEPS):
        params = {"model": "claude-haiku-4-5", "max_tokens": 1024, "messages": history, "tools": TOOLS}
        reply = client.messages.create(**params)
        history.append({"role": "assistant", "content": reply.content})
        uses = [block for block in reply.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in reply.content)
        answers = []
        for use in uses:
            try:
                text = json.dumps(HANDLERS[use.name](**use.input))
            except Exception as exc:
                text = f"failed: {exc}"
            answers.append({"type": "tool_result", "tool_use_id": use.id, "content": text})
        history.append({"role": "user", "content": answers})
    raise RuntimeError(f"no answer in {MAX_STEPS} steps")


def main():
    history = []
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            break
        if line in {"exit", "quit"}:
            break
        if line:
            print(run_once(history, line))


if __name__ == "__main__":
    main()
