"""The reason is looked at for the log; the calls decide."""
import json
import logging

import litellm

log = logging.getLogger(__name__)


def answer(messages, tools, handlers):
    while True:
        choice = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0]
        if choice.finish_reason == "stop":
            log.info("natural end")
        calls = choice.message.tool_calls
        if not calls:
            break
        messages.append(choice.message)
        for call in calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return choice.message.content
