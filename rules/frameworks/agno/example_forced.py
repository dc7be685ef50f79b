"""A forced choice is passed on at every turn."""

from agno.agent import Agent

forced = Agent(model="openai:gpt-5", tools=[print], tool_choice="required")
free = Agent(model="openai:gpt-5", tools=[print], tool_choice="auto")


def answer(question: str) -> None:
    forced.run(question)  # expect: TB107, TB601
    free.run(question)  # expect: TB107
