"""Five automatic invocations by default; an orchestration has no bound on its rounds."""

from semantic_kernel.agents import ChatCompletionAgent, GroupChatOrchestration, RoundRobinGroupChatManager

agent = ChatCompletionAgent(name="desk", plugins=[print])
group = GroupChatOrchestration(members=[agent], manager=RoundRobinGroupChatManager())
short = GroupChatOrchestration(members=[agent], manager=RoundRobinGroupChatManager(max_rounds=6))


async def answer(question: str) -> None:
    await agent.get_response(question)
    await group.invoke(task=question, runtime=None)  # expect: TB107
    await short.invoke(task=question, runtime=None)
