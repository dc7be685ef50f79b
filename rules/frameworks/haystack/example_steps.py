"""A hundred steps by default."""

from haystack.components.agents import Agent

agent = Agent(chat_generator=print, tools=[print])
patient = Agent(chat_generator=print, tools=[print], max_agent_steps=400)


def answer(question: str) -> None:
    agent.run(messages=[question])
    patient.run(messages=[question])  # expect: TB109
