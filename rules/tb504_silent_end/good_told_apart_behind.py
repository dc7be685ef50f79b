"""One end for all ways, with a reason in it."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    reason = "answered"
    step = 0
    while True:
        step += 1
        if step > 12:
            reason = "out of steps"
            break
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return {"messages": messages, "stop_reason": reason}
