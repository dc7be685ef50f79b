"""The helper that runs a call says whether it was the last."""
import json

from openai import OpenAI

client = OpenAI()
def run(call, handlers):
    arguments = json.loads(call.function.arguments)
    if call.function.name == "submit":
        return arguments["answer"], True
    return handlers[call.function.name](**arguments), False


def answer(messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(
            model="gpt-4.1", messages=messages, tools=tools, tool_choice="required"
        ).choices[0].message
        messages.append(message)
        for call in message.tool_calls:
            result, done = run(call, handlers)
            if done:
                return result
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
