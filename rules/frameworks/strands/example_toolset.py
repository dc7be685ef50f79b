"""Exact names, a pattern among them, and no filter at all."""

import re

from strands import Agent
from strands.tools.mcp import MCPClient

exact = MCPClient(print, tool_filters={"allowed": ["echo"]})
loose = {"allowed": [re.compile("read_.*"), "echo"]}
pattern = MCPClient(print, tool_filters=loose)  # expect: TB312
whole = MCPClient(print)  # expect: TB311

agent = Agent(tools=[exact, pattern, whole])
