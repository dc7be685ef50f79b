"""An agent has no bound unless the call gives limits; a swarm has."""

from strands import Agent
from strands.multiagent import GraphBuilder, Swarm

agent = Agent(tools=[print])
swarm = Swarm([agent])
builder = GraphBuilder()
builder.add_node(agent, "draft")
builder.add_node(agent, "check")
builder.add_edge("draft", "check")
builder.add_edge("check", "draft")
graph = builder.build()


def answer(question: str) -> None:
    agent(question)  # expect: TB107
    agent(question, limits={"turns": 8})
    swarm(question)
    graph(question)  # expect: TB107
