"""No bound by default; after tool_call_limit calls the model must answer."""

from phi.agent import Agent

agent = Agent(tools=[print])
limited = Agent(tools=[print], tool_call_limit=6)


def answer(question: str) -> None:
    agent.run(question)  # expect: TB107
    limited.print_response(question)
