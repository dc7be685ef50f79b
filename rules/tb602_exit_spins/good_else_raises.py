"""`stop` returns, `tool_calls` dispatches, and anything else raises."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers):
    while True:
        choice = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0]
        if choice.finish_reason == "stop":
            return choice.message.content
        elif choice.finish_reason == "tool_calls":
            messages.append(choice.message)
            for call in choice.message.tool_calls:
                result = handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        else:
            raise RuntimeError(f"reply ended with {choice.finish_reason}")
