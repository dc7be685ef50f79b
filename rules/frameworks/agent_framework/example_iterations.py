"""Forty iterations by default; a group chat has no bound on its rounds."""

from agent_framework import Agent
from agent_framework.orchestrations import GroupChatBuilder

agent = Agent(client=print, tools=[print])
group = GroupChatBuilder(participants=[agent]).build()
short = GroupChatBuilder(participants=[agent]).with_max_rounds(6).build()


async def answer(question: str) -> None:
    await agent.run(question)
    await group.run(question)  # expect: TB107
    await short.run(question)
