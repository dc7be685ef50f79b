"""Twenty steps by default; zero and None of the call stand for the default."""

from smolagents import CodeAgent

agent = CodeAgent(tools=[], model=print)
endless = CodeAgent(tools=[], model=print, max_steps=float("inf"))


def answer(question: str) -> None:
    agent.run(question)
    agent.run(question, max_steps=0)
    endless.run(question)  # expect: TB107
