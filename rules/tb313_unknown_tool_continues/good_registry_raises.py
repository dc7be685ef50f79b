"""A registry on its own that raises for a miss."""


class ToolRegistry:
    def __init__(self):
        self._tools = {}

    def register(self, name, function):
        self._tools[name] = function

    def execute(self, tool_name: str, arguments: dict) -> str:
        tool = self._tools.get(tool_name)
        if tool is None:
            raise ValueError(f"unknown tool {tool_name}")
        return str(tool(**arguments))
