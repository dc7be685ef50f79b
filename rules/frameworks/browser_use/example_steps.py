"""500 steps by default, given to the run and not to the agent."""

from browser_use import Agent


async def answer(question: str) -> None:
    agent = Agent(task=question, llm=print)
    await agent.run(max_steps=25)
    await agent.run()  # expect: TB109
