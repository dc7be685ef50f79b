"""A limit on tool calls, after which the model may go on asking."""

from agno.agent import Agent
from agno.tools.duckduckgo import DuckDuckGoTools


class Desk:
    def __init__(self) -> None:
        self.agent = Agent(model="openai:gpt-5", tools=[DuckDuckGoTools()], tool_call_limit=8)

    def ask(self, question: str) -> str:
        for chunk in self.agent.run(question, stream=True):  # expect: TB107
            print(chunk.content)
        return "done"
