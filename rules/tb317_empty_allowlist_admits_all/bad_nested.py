"""A registry that asks its list only when there is one."""


class Registry:
    def __init__(self, tools, allowed=None):
        self.tools = tools
        self.allowed = set(allowed or [])

    def execute(self, tool_name: str, arguments: dict):
        if self.allowed:  # expect: TB317
            if tool_name not in self.allowed:
                raise PermissionError(tool_name)
        return self.tools[tool_name](**arguments)
