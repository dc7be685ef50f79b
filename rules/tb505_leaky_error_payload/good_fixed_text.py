"""The exception is logged, and the model gets a fixed text."""
import json
import logging

from openai import OpenAI

log = logging.getLogger(__name__)


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except Exception as error:
                log.error("%s failed: %s", call.function.name, error)
                content = "The tool failed. Try another way."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
