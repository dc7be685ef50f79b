"""Ten turns unless max_turns says otherwise; None is for ever."""

from agents import Agent, Runner

triage = Agent(name="triage", handoffs=[])
worker = Agent(name="worker", tools=[print])


async def answer(question: str) -> None:
    await Runner.run(worker, question)
    await Runner.run(worker, question, max_turns=20)
    await Runner.run(worker, question, max_turns=0)
    await Runner.run(triage, question, max_turns=None)
    Runner.run_sync(worker, question, max_turns=None)  # expect: TB107
