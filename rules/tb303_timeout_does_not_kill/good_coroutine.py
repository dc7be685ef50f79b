"""A coroutine is cancelled where it waits."""
import asyncio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    async with asyncio.timeout(30):
        return await table[tool_name](**arguments)
