"""The miss raises, outside of any handler of the loop."""
import json

from openai import OpenAI


class UnknownTool(Exception):
    pass


def work(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            handler = handlers.get(call.function.name)
            if handler is None:
                raise UnknownTool(call.function.name)
            try:
                content = json.dumps(handler(**json.loads(call.function.arguments)))
            except Exception:
                content = "The tool failed."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
