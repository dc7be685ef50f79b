"""Behind the limit the model is told to stop, and asked again."""
import json

from openai import OpenAI

client = OpenAI()
MAX_CALLS = 15


def assistant(messages, tools, handlers):
    used = 0
    while True:  # expect: TB101
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            used += 1
            if used > MAX_CALLS:
                content = "You have no tool calls left. Please answer now."
            else:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
