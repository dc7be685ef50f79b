"""The tool is started, and nobody keeps the task."""
import asyncio
import json


async def run_tool(table: dict, tool_name: str, arguments: str) -> str:
    asyncio.create_task(table[tool_name](**json.loads(arguments)))  # expect: TB306
    return "started"
