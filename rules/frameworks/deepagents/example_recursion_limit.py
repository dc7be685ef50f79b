"""Nearly ten thousand graph steps by default."""

from deepagents import create_deep_agent

agent = create_deep_agent(model="openai:gpt-5", tools=[print])
bounded = create_deep_agent(model="openai:gpt-5", tools=[print]).with_config({"recursion_limit": 60})


def answer(question: str) -> None:
    agent.invoke({"messages": question})  # expect: TB107
    bounded.invoke({"messages": question})
