"""The search raises behind its end, two helpers down."""
import json

import litellm


class Crew:
    def __init__(self, tools):
        self.tools = tools

    def _find(self, name):
        found = next((tool for tool in self.tools if tool.name == name), None)
        if found is None:
            raise LookupError(f"unknown tool {name}")
        return found

    def _call(self, name, arguments):
        tool = self._find(name)
        try:
            return tool.run(**arguments)
        except ValueError:
            return "wrong value"

    def run(self, messages, specs):
        for _ in range(8):
            message = litellm.completion(model="gpt-4.1", messages=messages, tools=specs).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self._call(call.function.name, json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
        raise RuntimeError("out of steps")
