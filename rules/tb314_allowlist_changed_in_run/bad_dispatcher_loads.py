"""The dispatcher puts whatever it is asked for into its table."""
import importlib


class PlugIns:
    def __init__(self):
        self.loaded = {}

    def execute(self, tool_name: str, arguments: dict):
        if tool_name not in self.loaded:
            self.loaded[tool_name] = importlib.import_module("plugins").load(tool_name)  # expect: TB314
        return self.loaded[tool_name](**arguments)
