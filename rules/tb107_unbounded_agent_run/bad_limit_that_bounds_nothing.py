"""A recursion limit so high that it is none, in a dict two lines up."""

from langgraph.prebuilt import create_react_agent


def build() -> tuple[str, object]:
    return "desk", create_react_agent("openai:gpt-5", [print])


def answer(question: str) -> object:
    _, agent = build()
    config = {"configurable": {"thread_id": "1"}}
    config["recursion_limit"] = 20_000
    return agent.invoke({"messages": question}, config=config)  # expect: TB107
