"""Five steps by default."""

from mcp_use import MCPAgent, MCPClient


async def answer(question: str) -> None:
    client = MCPClient.from_dict({"mcpServers": {}})
    agent = MCPAgent(llm=print, client=client, max_steps=30)  # expect: TB311
    await agent.run(question)
    await agent.run(question, max_steps=1000)  # expect: TB109
