"""Tools picked by their names out of an adapter, all of them, and a named few."""

from crewai import Agent
from crewai_tools import MCPServerAdapter

PARAMS = {"url": "http://localhost:8000/mcp"}


def build() -> list[Agent]:
    with MCPServerAdapter(PARAMS) as tools:
        picked = Agent(role="a", goal="b", backstory="c", tools=[tools["search"]])
    with MCPServerAdapter(PARAMS) as everything:  # expect: TB311
        whole = Agent(role="a", goal="b", backstory="c", tools=everything)
    with MCPServerAdapter(PARAMS, tool_names=["search"]) as few:
        named = Agent(role="a", goal="b", backstory="c", tools=few)
    return [picked, whole, named]
