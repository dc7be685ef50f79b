"""An agent with tools and a team have no parameter that ends their loop; an agent without tools answers once."""

from agno.agent import Agent
from agno.team import Team
from agno.tools.duckduckgo import DuckDuckGoTools

researcher = Agent(model="openai:gpt-5", tools=[DuckDuckGoTools()])
writer = Agent(model="openai:gpt-5")
desk = Team(members=[researcher, writer], model="openai:gpt-5")


def answer(question: str) -> None:
    researcher.print_response(question, stream=True)  # expect: TB107
    desk.run(question)  # expect: TB107
    writer.run(question)
