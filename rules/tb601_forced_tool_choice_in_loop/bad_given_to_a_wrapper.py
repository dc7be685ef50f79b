"""The loop gives the choice to the helper that makes the turn."""
import json

from openai import OpenAI

client = OpenAI()
def ask(messages, tools, **options):
    reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, **options)  # expect: TB601
    return reply.choices[0].message


def answer(messages, tools, handlers):
    for _ in range(8):
        message = ask(messages, tools, tool_choice="required")
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
