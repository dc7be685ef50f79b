"""The request to the server carries its limit, or the session that it goes through does."""
from datetime import timedelta

from mcp import ClientSession


async def call_one(session: ClientSession, tool_name: str, arguments: dict) -> object:
    return await session.call_tool(tool_name, arguments, read_timeout_seconds=timedelta(seconds=30))


class Server:
    def __init__(self, read, write) -> None:
        self.session = ClientSession(read, write, read_timeout_seconds=timedelta(seconds=30))

    async def call_tool(self, tool_name: str, arguments: dict) -> object:
        return await self.session.call_tool(tool_name, arguments)
