"""Three tool steps by default."""

from livekit.agents import AgentSession

session = AgentSession(llm=print, tools=[print])
patient = AgentSession(llm=print, tools=[print], max_tool_steps=200)


async def answer(question: str) -> None:
    await session.generate_reply(instructions=question)
    await patient.generate_reply(instructions=question)  # expect: TB109
