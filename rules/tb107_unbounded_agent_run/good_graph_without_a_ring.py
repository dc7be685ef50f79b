"""A graph whose edges close no ring ends by itself."""

from langgraph.graph import END, START, StateGraph


def plan(state: dict[str, str]) -> dict[str, str]:
    return state


def write(state: dict[str, str]) -> dict[str, str]:
    return state


builder = StateGraph(dict)
builder.add_node("plan", plan)
builder.add_node("write", write)
builder.add_edge(START, "plan")
builder.add_edge("plan", "write")
builder.add_edge("write", END)
graph = builder.compile()


def answer(topic: str) -> object:
    return graph.invoke({"topic": topic})
