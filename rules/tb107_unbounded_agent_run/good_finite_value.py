"""Finite limits: in the call, in a dict, bound to the object, by default."""

from agents import Agent, Runner
from langgraph.prebuilt import create_react_agent

MAX_TURNS = 8

assistant = Agent(name="assistant", tools=[print])
graph = create_react_agent("openai:gpt-5", [print])
short = graph.with_config(recursion_limit=20)
OPTIONS = {"max_turns": MAX_TURNS}


async def answer(question: str) -> None:
    await Runner.run(assistant, question, max_turns=MAX_TURNS)
    await Runner.run(assistant, question, **OPTIONS)
    await Runner.run(assistant, question)
    graph.invoke({"messages": question}, {"recursion_limit": 50})
    short.invoke({"messages": question})
