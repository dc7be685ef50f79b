"""The group waits for its tasks, and cancels them when it is cancelled."""
import asyncio


async def run_tools(table: dict, tool_calls: list) -> None:
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        for call in tool_calls:
            group.create_task(run_tool(table, call.function.name, call.function.arguments))


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await table[tool_name](**arguments)
