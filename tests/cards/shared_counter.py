"""The budget is a class attribute: the second customer inherits what the first has used."""

import json

from openai import OpenAI

client = OpenAI(timeout=10, max_retries=0)


class Exhausted(Exception):
    pass


class Assistant:
    used = 0
    limit = 25

    def reply(self, customer, messages, tools, handlers):
        while True:
            if Assistant.used >= Assistant.limit:
                raise Exhausted(customer)
            Assistant.used += 1
            message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
