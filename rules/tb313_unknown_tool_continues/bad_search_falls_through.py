"""The search through the tools ends without a match, and `None` goes back as the result."""
import json

import litellm


class Crew:
    def __init__(self, tools):
        self.tools = tools

    def _call(self, name, arguments):
        for tool in self.tools:
            if tool.name == name:  # expect: TB313
                return tool.run(**arguments)

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
