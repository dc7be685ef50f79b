"""The branch at the cap lacks a break, so the turn below it runs once more."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    steps, done = 0, False
    while not done:
        if steps >= max_steps:
            messages.append({"role": "user", "content": "Answer now."})
            done = True
        steps += 1
        message = client.chat.completions.create(  # expect: TB106
            model="gpt-4.1", messages=messages, tools=tools
        ).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return messages[-1]["content"]
