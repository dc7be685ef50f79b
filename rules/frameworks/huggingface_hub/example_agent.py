from huggingface_hub import Agent

SERVER = {"type": "stdio", "command": "npx", "args": ["-y", "@playwright/mcp"]}
plain = Agent(model="Qwen/Qwen3-32B", servers=[])


async def answer(question: str) -> None:
    agent = Agent(model="Qwen/Qwen3-32B", servers=[SERVER])  # expect: TB311
    async for chunk in agent.run(question):  # expect: TB107
        print(chunk)
    async for chunk in plain.run(question):
        print(chunk)
