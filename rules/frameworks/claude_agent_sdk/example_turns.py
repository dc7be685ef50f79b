"""max_turns is None by default, and zero means the same."""

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, query

bounded = ClaudeAgentOptions(max_turns=8, allowed_tools=["Read"])


async def answer(question: str) -> None:
    async for message in query(prompt=question, options=bounded):
        print(message)
    async for message in query(prompt=question):  # expect: TB107
        print(message)
    async with ClaudeSDKClient(options=ClaudeAgentOptions(max_turns=0)) as client:
        await client.query(question)  # expect: TB107
