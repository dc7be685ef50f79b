"""The limit waits until the thread has come back by itself."""
import anyio


async def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    with anyio.fail_after(30):  # expect: TB303
        return await anyio.to_thread.run_sync(lambda: table[tool_name](**arguments))
