"""Near the end the loop grants itself five more steps."""
import json

from openai import OpenAI

client = OpenAI()


def write_report(messages, tools, handlers, max_steps=10):
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
        if step == max_steps and "TODO" in messages[-1]["content"]:
            max_steps += 5  # expect: TB105
    raise RuntimeError("report not finished")
