"""The loop over tool calls has no bound by default."""

from camel.agents import ChatAgent

agent = ChatAgent("You are helpful.", tools=[print])
bounded = ChatAgent("You are helpful.", tools=[print], max_iteration=6)
plain = ChatAgent("You are helpful.")


def answer(question: str) -> None:
    agent.step(question)  # expect: TB107
    bounded.step(question)
    plain.step(question)
