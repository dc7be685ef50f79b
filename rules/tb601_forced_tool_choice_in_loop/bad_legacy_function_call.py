"""The older parameter forces as well."""
import json

from openai import OpenAI

client = OpenAI()


def classify(messages, functions, handlers):
    for _ in range(6):
        reply = client.chat.completions.create(model="gpt-4", messages=messages, functions=functions, function_call={"name": "label"})  # expect: TB601
        message = reply.choices[0].message
        messages.append(message)
        if message.function_call is None:
            return message.content
        result = handlers[message.function_call.name](**json.loads(message.function_call.arguments))
        messages.append({"role": "function", "name": message.function_call.name, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
