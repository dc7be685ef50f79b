"""A record is written when the bound is reached."""
import json
import logging

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers, max_steps=12):
    step = 0
    while True:  # expect: TB702
        step += 1
        if step > max_steps:
            log.warning("steps exceeded", extra={"step": step, "max_steps": max_steps})
            raise LookupError("out of steps")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
