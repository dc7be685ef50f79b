"""Each call is made for a run."""
import json
import uuid

from openai import OpenAI


def dispatch(run_id, call, handlers):
    return {"run": run_id, "result": handlers[call.function.name](**json.loads(call.function.arguments))}


def answer(client: OpenAI, messages, tools, handlers):
    run_id = uuid.uuid4().hex
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = dispatch(run_id, call, handlers)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
