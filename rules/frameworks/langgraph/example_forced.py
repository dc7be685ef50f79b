"""A model that is bound to a forced choice keeps it on every turn."""

from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

tools = [print]
llm = ChatOpenAI(model="gpt-5")
forced = create_react_agent(llm.bind_tools(tools, tool_choice="any"), tools)
free = create_react_agent(llm.bind_tools(tools), tools)


def answer(question: str) -> None:
    forced.invoke({"messages": question}, {"recursion_limit": 20})  # expect: TB601
    free.invoke({"messages": question}, {"recursion_limit": 20})
