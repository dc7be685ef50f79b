"""A team ends at max_turns or at a termination that counts; one that waits for a text may never come."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat

writer = AssistantAgent("writer", model_client=print)
critic = AssistantAgent("critic", model_client=print, tools=[print])
approved = TextMentionTermination("APPROVE")
either = TextMentionTermination("APPROVE") | MaxMessageTermination(12)
both = TextMentionTermination("APPROVE") & MaxMessageTermination(12)


async def answer(topic: str) -> None:
    await critic.run(task=topic)
    await RoundRobinGroupChat([writer, critic], termination_condition=approved).run(task=topic)  # expect: TB107
    await RoundRobinGroupChat([writer, critic], termination_condition=either).run(task=topic)
    await RoundRobinGroupChat([writer, critic], termination_condition=both).run(task=topic)  # expect: TB107
    await RoundRobinGroupChat([writer, critic], max_turns=8).run(task=topic)
