"""The limit leaves the loop over the calls, and the outer loop asks again."""
import json

from openai import OpenAI

client = OpenAI()


def collect(messages, tools, handlers, max_calls=12):
    done = 0
    finished = False
    while not finished:  # expect: TB101
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        finished = not message.tool_calls
        for call in message.tool_calls or []:
            if done >= max_calls:
                break
            done += 1
            found = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)})
    return messages[-1].content
