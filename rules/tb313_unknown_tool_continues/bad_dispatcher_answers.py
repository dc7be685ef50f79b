"""A registry on its own that answers a miss in words, so that its callers cannot tell it from a result."""


class ToolRegistry:
    def __init__(self):
        self._tools = {}

    def register(self, name, function):
        self._tools[name] = function

    def execute(self, tool_name: str, arguments: dict) -> str:
        if tool_name not in self._tools:  # expect: TB313
            return f"Error: tool {tool_name} not found. Available tools: {sorted(self._tools)}"
        return str(self._tools[tool_name](**arguments))
