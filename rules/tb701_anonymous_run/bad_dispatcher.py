"""A dispatcher that is not told for which run it works."""


class UnknownTool(Exception):
    pass


class Registry:
    def __init__(self, tools):
        self.tools = dict(tools)

    def execute(self, tool_name, arguments):  # expect: TB701
        tool = self.tools.get(tool_name)
        if tool is None:
            raise UnknownTool(tool_name)
        return tool(**arguments)
