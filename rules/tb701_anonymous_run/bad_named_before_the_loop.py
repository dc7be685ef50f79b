"""The run gets a name, and what it does is recorded without it."""
import json
import logging
import uuid

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers):
    run_id = uuid.uuid4().hex
    log.info("run %s starts", run_id)
    for _ in range(12):  # expect: TB701
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            log.info("tool", extra={"tool": call.function.name})
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
