"""The record has the step and not the cap."""
import json
import logging

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers, run_id):
    for step in range(12):  # expect: TB702
        log.info("step", extra={"run_id": run_id, "step": step})
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
