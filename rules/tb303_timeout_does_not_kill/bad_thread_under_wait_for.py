"""The coroutine is cancelled, and the thread that it waits for goes on."""
import asyncio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    return await asyncio.wait_for(asyncio.to_thread(table[tool_name], **arguments), timeout=30)  # expect: TB303
