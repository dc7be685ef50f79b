"""A migration assistant that gives itself more steps while it makes progress, and forgets those that failed."""

import json
import time

import litellm

WALL_S = 300
TOOLS = [{"type": "function", "function": {"name": "apply_step", "parameters": {"type": "object"}}}]


class MigrationStopped(Exception):
    """A bound was reached."""


def apply_step(table, statement):
    return {"table": table, "applied": bool(statement)}


def migrate(plan):
    messages = [{"role": "user", "content": plan}]
    max_steps = 10
    steps = 0
    started = time.monotonic()
    while steps < max_steps:
        if time.monotonic() - started > WALL_S:
            raise MigrationStopped("wall")
        message = litellm.completion(model="gpt-4o", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        call = message.tool_calls[0]
        try:
            arguments = json.loads(call.function.arguments)
        except json.JSONDecodeError:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "the arguments were no JSON"})
            continue
        if call.function.name != "apply_step":
            raise MigrationStopped("unknown tool")
        result = apply_step(**arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        steps += 1
        if result["applied"]:
            max_steps += 5
    raise MigrationStopped("steps")
