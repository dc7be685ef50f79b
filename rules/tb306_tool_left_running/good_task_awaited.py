"""A task that is held and waited for."""
import asyncio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    task = asyncio.create_task(table[tool_name](**arguments))
    await asyncio.sleep(0)
    return await asyncio.wait_for(task, timeout=30)
