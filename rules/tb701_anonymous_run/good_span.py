"""A span around the run gives its id to all that is recorded in it."""
import json
import logging

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers, tracer):
    for _ in range(12):
        with tracer.start_as_current_span("turn"):
            log.info("turn")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
