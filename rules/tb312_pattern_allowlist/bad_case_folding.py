"""The name is folded until it fits."""
import json


class ToolBox:
    def __init__(self, tools):
        self.tools = tools

    def execute(self, tool_name, arguments):
        tool = self.tools.get(tool_name.lower())  # expect: TB312
        if tool is None:
            raise LookupError(tool_name)
        return json.dumps(tool(**arguments))
