"""The span of each step carries both numbers."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers, tracer):
    for step in range(12):
        with tracer.start_as_current_span("step") as span:
            span.set_attribute("agent.step", step)
            span.set_attribute("agent.max_steps", 12)
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
