"""A schema is applied in the helper that runs the tool."""
import json

import jsonschema
from openai import OpenAI


class Agent:
    def __init__(self, client: OpenAI, tools, handlers, schemas):
        self.client = client
        self.tools = tools
        self.handlers = handlers
        self.schemas = schemas

    def use(self, call):
        name = call.function.name
        result = self.handlers[name](**json.loads(call.function.arguments))
        jsonschema.validate(result, self.schemas[name])
        return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)[:4000]}

    def run(self, messages):
        for _ in range(12):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            messages.extend(self.use(call) for call in message.tool_calls)
        raise RuntimeError("out of steps")
