"""A miss is answered so that the transcript stays whole, and a flag then ends the run."""
import json

from openai import OpenAI


def work(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        unknown = False
        for call in message.tool_calls:
            if call.function.name in handlers:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            else:
                unknown = True
                content = "not run"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        if unknown:
            raise LookupError("a tool that nobody has listed")
    raise RuntimeError("out of steps")
