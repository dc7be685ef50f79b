"""The tools are objects of a base class, and each subclass limits itself."""
import asyncio
from abc import ABC, abstractmethod


class Tool(ABC):
    name = ""

    @abstractmethod
    async def run(self, argument: str) -> str: ...


class Shell(Tool):
    name = "shell"

    async def run(self, argument: str) -> str:
        process = await asyncio.create_subprocess_exec("ls", argument, stdout=asyncio.subprocess.PIPE)
        try:
            out, _ = await asyncio.wait_for(process.communicate(), timeout=20)
        except TimeoutError:
            process.kill()
            return "timed out"
        return out.decode()


class Upper(Tool):
    name = "upper"

    async def run(self, argument: str) -> str:
        return argument.upper()


class Registry:
    def __init__(self, *tools: Tool) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def run_tool(self, tool_name: str, arguments: dict) -> str:
        return await self.tools[tool_name].run(**arguments)
