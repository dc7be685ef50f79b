"""A nested agent's own limit is a result for the parent, whose limits stand."""
import json

from openai import OpenAI

client = OpenAI()


class StepsExhausted(Exception):
    pass


def research(question, tools, handlers):
    messages = [{"role": "user", "content": question}]
    for _ in range(4):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            found = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)})
    raise StepsExhausted(question)


def lead(messages, lead_tools, tools, handlers):
    for _ in range(6):
        message = client.chat.completions.create(model="gpt-5", messages=messages, tools=lead_tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = research(json.loads(call.function.arguments)["question"], tools, handlers)
            except StepsExhausted as reached:
                content = f"The researcher found no answer in four steps: {reached}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise StepsExhausted("lead")
