"""Fifteen iterations by default; None takes the bound away. AutoGPT has none."""

from langchain.agents import AgentExecutor
from langchain_experimental.autonomous_agents import AutoGPT

executor = AgentExecutor(agent=print, tools=[print])
endless = AgentExecutor(agent=print, tools=[print], max_iterations=None)
autonomous = AutoGPT.from_llm_and_tools(ai_name="x", ai_role="y", tools=[print], llm=print, memory=None)


def answer(question: str) -> None:
    executor.invoke({"input": question})
    endless.invoke({"input": question})  # expect: TB107
    autonomous.run([question])  # expect: TB107
