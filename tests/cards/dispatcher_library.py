"""A registry of tools that services import. It runs what a model asked for; the loop is the service's."""

import fnmatch
import inspect


class UnknownTool(Exception):
    """No such tool, or none that this registry lets through."""


class Registry:
    def __init__(self, allowed=("db_*", "search")):
        self._tools = {}
        self._allowed = allowed

    def tool(self, function):
        self._tools[function.__name__] = function
        return function

    def schemas(self):
        return [
            {"name": name, "description": inspect.getdoc(function) or "", "parameters": {"type": "object"}}
            for name, function in sorted(self._tools.items())
        ]

    def is_allowed(self, tool_name):
        return any(fnmatch.fnmatch(tool_name, pattern) for pattern in self._allowed)

    def dispatch(self, tool_name, arguments):
        if not self.is_allowed(tool_name):
            raise UnknownTool(tool_name)
        try:
            function = self._tools[tool_name]
        except KeyError:
            raise UnknownTool(tool_name) from None
        return function(**arguments)


registry = Registry()


@registry.tool
def search(query: str) -> list[str]:
    """Find documents."""
    return [query]


@registry.tool
def db_count(table: str) -> int:
    """Count the rows of a table."""
    return len(table)
