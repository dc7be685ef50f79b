"""The run's own parameter, given as None."""

from agents import Agent, Runner, function_tool


@function_tool
def search(query: str) -> str:
    return query


assistant = Agent(name="assistant", tools=[search])


async def answer(question: str) -> str:
    result = await Runner.run(assistant, question, max_turns=None)  # expect: TB107
    return str(result.final_output)
