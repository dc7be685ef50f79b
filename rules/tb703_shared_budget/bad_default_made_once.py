"""The default of a parameter is made once."""
import json

from openai import OpenAI

client = OpenAI()
class Budget:
    def __init__(self, limit):
        self.limit = limit
        self.used = 0


def answer(messages, tools, handlers, budget=Budget(8)):
    while True:  # expect: TB703
        if budget.used >= budget.limit:
            raise RuntimeError("step budget exceeded")
        budget.used += 1
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
