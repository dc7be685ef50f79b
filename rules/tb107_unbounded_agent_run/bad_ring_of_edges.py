"""A graph that goes round between the model and its tools."""

from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

llm = ChatOpenAI(model="gpt-5").bind_tools([print])


def assistant(state: dict[str, list[object]]) -> dict[str, list[object]]:
    return {"messages": [llm.invoke(state["messages"])]}


builder = StateGraph(dict)
builder.add_node("assistant", assistant)
builder.add_node("tools", ToolNode([print]))
builder.add_edge(START, "assistant")
builder.add_conditional_edges("assistant", tools_condition)
builder.add_edge("tools", "assistant")
graph = builder.compile()


def answer(question: str) -> object:
    return graph.invoke({"messages": [question]})  # expect: TB107
