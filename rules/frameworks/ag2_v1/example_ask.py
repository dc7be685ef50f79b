"""No parameter ends the loop."""

from ag2 import Agent

agent = Agent("desk", tools=[print])
plain = Agent("writer")


async def answer(question: str) -> None:
    await agent.ask(question)  # expect: TB107
    await plain.ask(question)
