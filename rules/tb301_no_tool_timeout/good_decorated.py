"""A decorator of the project puts every call under its limit."""
import asyncio
import functools


def limited(seconds: float):
    def decorate(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            return await asyncio.wait_for(function(*args, **kwargs), seconds)

        return wrapper

    return decorate


@limited(30)
async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await table[tool_name](**arguments)
