"""Twenty iterations by default; Avatar reads max_iters from the call alone."""

import dspy

react = dspy.ReAct("question -> answer", tools=[print])
avatar = dspy.Avatar("question -> answer", tools=[print], max_iters=3)


def answer(question: str) -> None:
    react(question=question)
    react(question=question, max_iters=2000)  # expect: TB109
    avatar(question=question)  # expect: TB107
