"""The limit is worked out before the loop and stays as it is."""
import json

from openai import OpenAI

client = OpenAI()


def write_report(messages, tools, handlers, chapters=3):
    max_steps = 4
    if chapters > 1:
        max_steps *= 2
    step = 0
    while step < max_steps:
        step += 1
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            section = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(section)})
    raise RuntimeError("report not finished")
