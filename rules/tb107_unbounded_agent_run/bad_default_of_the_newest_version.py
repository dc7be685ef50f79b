"""A graph whose recursion limit is ten thousand by default."""

from langgraph.prebuilt import create_react_agent

agent = create_react_agent("openai:gpt-5", tools=[print])


def answer(question: str) -> str:
    state = agent.invoke({"messages": [("user", question)]})  # expect: TB107
    return str(state["messages"][-1].content)
