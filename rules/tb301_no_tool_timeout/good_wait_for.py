"""Each call has thirty seconds, also as a task that was started before."""
import asyncio

LIMIT_S = 30


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await asyncio.wait_for(table[tool_name](**arguments), timeout=LIMIT_S)


async def run_tools(table: dict, tool_calls: list) -> list:
    tasks = [asyncio.create_task(run_tool(table, c.function.name, c.function.arguments)) for c in tool_calls]
    return await asyncio.gather(*tasks)


async def execute_tool(table: dict, tool_name: str, arguments: dict) -> object:
    work = asyncio.create_task(table[tool_name](**arguments))
    return await asyncio.wait_for(work, LIMIT_S)
