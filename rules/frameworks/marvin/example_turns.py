"""A hundred turns by default."""

import marvin

helper = marvin.Agent(name="helper", tools=[print])


def answer(question: str) -> None:
    helper.run(question)
    marvin.run(question, tools=[print], max_turns=float("inf"))  # expect: TB107
