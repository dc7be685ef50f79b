"""There is a limit, for whoever asks for one."""
import asyncio
import json


class ToolRunner:
    def __init__(self, table: dict, timeout_s: float | None = None) -> None:
        self.table = table
        self.timeout_s = timeout_s

    async def run_tool(self, tool_name: str, arguments: str) -> str:
        tool = self.table[tool_name]
        result = await asyncio.wait_for(tool(**json.loads(arguments)), self.timeout_s)  # expect: TB301
        return json.dumps(result)
