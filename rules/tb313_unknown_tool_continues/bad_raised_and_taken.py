"""The registry raises its own error, and the loop turns that into a tool's answer."""
import json

from openai import OpenAI


class UnknownTool(Exception):
    pass


class Registry:
    def __init__(self, tools):
        self.tools = {tool.__name__: tool for tool in tools}

    def find(self, name):
        if name not in self.tools:
            raise UnknownTool(name)
        return self.tools[name]


def work(client: OpenAI, messages, specs, registry: Registry):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=specs).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                tool = registry.find(call.function.name)
                content = json.dumps(tool(**json.loads(call.function.arguments)))
            except UnknownTool as error:  # expect: TB313
                content = f"There is no tool {error}."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
