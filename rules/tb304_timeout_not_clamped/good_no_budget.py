"""There is no budget of the run's own to fit into."""
import asyncio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await asyncio.wait_for(table[tool_name](**arguments), 30)
