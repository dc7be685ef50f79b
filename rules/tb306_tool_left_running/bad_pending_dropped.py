"""What is pending after the limit is dropped, and goes on."""
import asyncio


async def run_tools(table: dict, tool_calls: list) -> list:
    tasks = [asyncio.create_task(run_tool(table, c.function.name, c.function.arguments)) for c in tool_calls]
    done, pending = await asyncio.wait(tasks, timeout=30)  # expect: TB306
    return [task.result() for task in done]


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await table[tool_name](**arguments)
