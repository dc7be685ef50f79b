"""Ten thousand graph steps by default since 1.0.6; the limit travels in the run's config or in with_config."""

from langgraph.prebuilt import create_react_agent
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_swarm

agent = create_react_agent("openai:gpt-5", [print])
bounded = agent.with_config({"recursion_limit": 30})


def answer(question: str) -> None:
    agent.invoke({"messages": question})  # expect: TB107
    agent.invoke({"messages": question}, config={"recursion_limit": 30})
    bounded.invoke({"messages": question})
    for event in agent.stream({"messages": question}):  # expect: TB107
        print(event)


def several(question: str) -> None:
    create_supervisor([agent], model="openai:gpt-5").compile().invoke({"messages": question})  # expect: TB107
    team = create_swarm([agent], default_active_agent="a").compile()
    team.invoke({"messages": question}, {"recursion_limit": 40})
