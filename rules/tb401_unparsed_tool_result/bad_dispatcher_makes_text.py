"""A dispatcher of a library turns whatever a tool returns into text."""
import json


class Registry:
    def __init__(self):
        self._tools = {}

    def register(self, name, function):
        self._tools[name] = function

    def execute(self, tool_name, arguments):
        if tool_name not in self._tools:
            raise LookupError(tool_name)
        result = self._tools[tool_name](**arguments)  # expect: TB401
        return json.dumps(result, default=str)[:5000]
