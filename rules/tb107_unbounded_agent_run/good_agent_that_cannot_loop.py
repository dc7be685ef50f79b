"""Agents without tools, members or knowledge answer once."""

from agno.agent import Agent

writer = Agent(model="openai:gpt-5", instructions="Write a haiku.")
critic = Agent(model="openai:gpt-5", tools=[])


def answer(topic: str) -> str:
    draft = writer.run(topic).content
    return str(critic.run(draft).content)
