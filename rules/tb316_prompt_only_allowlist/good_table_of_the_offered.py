"""The dispatch looks names up among the offered tools."""
import json

from openai import OpenAI


def work(client: OpenAI, messages, registry, enabled):
    chosen = {name: tool for name, tool in registry.items() if name in enabled}
    tools = [tool.spec for tool in chosen.values()]
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = chosen[call.function.name].run(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
