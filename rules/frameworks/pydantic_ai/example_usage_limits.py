"""Fifty requests unless a limits object says None."""

from pydantic_ai import Agent
from pydantic_ai.usage import UsageLimits

agent = Agent("openai:gpt-5")
NO_LIMIT = UsageLimits(request_limit=None, total_tokens_limit=50_000)


@agent.tool_plain
def lookup(name: str) -> str:
    return name


async def answer(question: str) -> None:
    await agent.run(question)
    await agent.run(question, usage_limits=UsageLimits(total_tokens_limit=50_000))
    await agent.run(question, usage_limits=None)
    await agent.run(question, usage_limits=NO_LIMIT)  # expect: TB107
