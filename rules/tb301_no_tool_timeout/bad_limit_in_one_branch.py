"""The asynchronous tools are limited, the others are not."""
import asyncio
import inspect


async def execute_tool(table: dict, tool_name: str, arguments: dict) -> object:
    tool = table[tool_name]
    if inspect.iscoroutinefunction(tool):
        return await asyncio.wait_for(tool(**arguments), timeout=30)
    return tool(**arguments)  # expect: TB301
