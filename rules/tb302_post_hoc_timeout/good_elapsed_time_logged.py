"""How long a tool took is measured and written down; that is no limit."""
import json
import logging
import time

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            started = time.monotonic()
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            log.info("%s took %.2f s", call.function.name, time.monotonic() - started)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
