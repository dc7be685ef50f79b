"""A dispatcher that finds out afterwards how long the tool took."""
import time
from collections.abc import Callable, Mapping


class ToolTimeout(Exception):
    pass


class UnknownTool(Exception):
    pass


def run_tool(tools: Mapping[str, Callable[..., str]], name: str, arguments: dict, limit_s: float = 10.0) -> str:
    tool = tools.get(name)
    if tool is None:
        raise UnknownTool(name)
    begun = time.monotonic()
    output = tool(**arguments)  # expect: TB302
    if time.monotonic() - begun > limit_s:
        raise ToolTimeout(f"{name} took more than {limit_s} s")
    return output
