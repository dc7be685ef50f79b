"""A dispatcher that returns the value as it is leaves the schema to its caller."""


class Registry:
    def __init__(self):
        self._tools = {}

    def register(self, name, function):
        self._tools[name] = function

    def execute(self, tool_name, arguments):
        if tool_name not in self._tools:
            raise LookupError(tool_name)
        return self._tools[tool_name](**arguments)
