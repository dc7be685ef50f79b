"""A limit on model calls bounds an agent, a limit on tool calls does not."""

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware, ToolCallLimitMiddleware

plain = create_agent("openai:gpt-5", tools=[print])
calls = create_agent("openai:gpt-5", tools=[print], middleware=[ModelCallLimitMiddleware(run_limit=8)])
tools = create_agent("openai:gpt-5", tools=[print], middleware=[ToolCallLimitMiddleware(run_limit=8)])


def answer(question: str) -> None:
    plain.invoke({"messages": question})  # expect: TB107
    plain.invoke({"messages": question}, {"recursion_limit": 40})
    calls.invoke({"messages": question})
    tools.invoke({"messages": question})  # expect: TB107
