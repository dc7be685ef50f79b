"""A toolset brings in all tools of a server unless a filter names them."""

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset

whole = McpToolset(connection_params=None)  # expect: TB311
named = McpToolset(connection_params=None, tool_filter=["read_file", "list_files"])
loose = McpToolset(connection_params=None, tool_filter=lambda tool, context: tool.name.startswith("read_"))  # expect: TB312

agent = LlmAgent(name="files", tools=[whole, named, loose])
