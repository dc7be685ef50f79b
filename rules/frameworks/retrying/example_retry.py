"""No stop by default."""

from agno.agent import Agent
from retrying import retry

agent = Agent(model="openai:gpt-5", tools=[print])


@retry(stop_max_attempt_number=3)
def ask(question: str) -> object:
    return agent.run(question)  # expect: TB107


@retry(wait_fixed=2000)  # expect: TB108
def insist(question: str) -> object:
    return agent.run(question)  # expect: TB107
