"""The loop returns a status of its own for a name that is not listed."""
import json

from openai import OpenAI


def work(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"status": "done", "text": message.content}
        for call in message.tool_calls:
            if call.function.name not in handlers:
                return {"status": "unknown_tool", "text": call.function.name}
            content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return {"status": "out_of_steps", "text": ""}
