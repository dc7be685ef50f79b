"""Signals are raised again first."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "interrupted"})
                raise
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
