"""The dispatcher knows the run's deadline and refuses after it; just before it the tool gets all its time."""
import asyncio
import time
from dataclasses import dataclass


@dataclass
class Spec:
    run: object
    timeout_s: float = 30


async def run_tool(table: dict[str, Spec], expires: float, tool_name: str, arguments: dict) -> object:
    left = expires - time.monotonic()
    if left <= 0:
        raise TimeoutError("wall clock")
    spec = table[tool_name]
    return await asyncio.wait_for(spec.run(**arguments), spec.timeout_s)  # expect: TB304
