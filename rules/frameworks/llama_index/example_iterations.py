"""Twenty iterations by default; zero and None stand for that."""

from llama_index.core.agent.workflow import FunctionAgent

agent = FunctionAgent(tools=[print], llm=print)


async def answer(question: str) -> None:
    await agent.run(question)
    await agent.run(question, max_iterations=None)
    await agent.run(question, max_iterations=1000)  # expect: TB109
