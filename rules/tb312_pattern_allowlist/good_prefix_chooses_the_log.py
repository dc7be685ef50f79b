"""A prefix decides how the call is logged; a table decides whether it runs."""
import json
import logging

from openai import OpenAI

log = logging.getLogger(__name__)


def work(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name.startswith("write_"):
                log.warning("about to change something: %s", call.function.name)
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
