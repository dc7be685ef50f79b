"""The limit ends the wait for the shield, and the tool behind it lives on."""
import asyncio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await asyncio.wait_for(asyncio.shield(table[tool_name](**arguments)), timeout=30)  # expect: TB306
