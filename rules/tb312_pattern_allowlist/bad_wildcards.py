"""Shell wildcards over tool names, for each call to an MCP server."""
import fnmatch

from mcp import ClientSession

ALLOWED_TOOLS = ["github_get_*", "github_list_*"]


async def call_tool(session: ClientSession, tool_name: str, arguments: dict):
    if not any(fnmatch.fnmatch(tool_name, pattern) for pattern in ALLOWED_TOOLS):  # expect: TB312
        raise PermissionError(tool_name)
    return await session.call_tool(tool_name, arguments)
