"""The logger is bound to the run."""
import json
import logging
import uuid

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    named = {"run": uuid.uuid4().hex}
    log = logging.LoggerAdapter(logging.getLogger(__name__), named)
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            log.info("tool", extra={"tool": call.function.name})
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
