"""The call is limited; what it took is compared afterwards to warn."""
import asyncio
import time


async def run_tool(table: dict, tool_name: str, arguments: dict, budget_s: float = 10) -> dict:
    started = time.monotonic()
    result = await asyncio.wait_for(table[tool_name](**arguments), timeout=30)
    if time.monotonic() - started > budget_s:
        result = {"slow": True, **result}
    return result
