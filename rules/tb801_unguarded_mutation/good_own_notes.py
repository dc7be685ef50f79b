"""The tool changes what the agent keeps for itself."""
import json

from openai import OpenAI

NOTES = {}


def delete_note(title: str):
    del NOTES[title]
    return {"deleted": title}


HANDLERS = {"delete_note": delete_note}


def answer(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = HANDLERS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
