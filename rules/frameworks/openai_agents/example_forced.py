"""A forced choice is let go after the first tool, unless the agent holds on to it."""

from agents import Agent, ModelSettings, Runner

first = Agent(name="first", tools=[print], model_settings=ModelSettings(tool_choice="required"))
always = Agent(
    name="always", tools=[print], reset_tool_choice=False, model_settings=ModelSettings(tool_choice="required")
)
once = Agent(
    name="once",
    tools=[print],
    reset_tool_choice=False,
    tool_use_behavior="stop_on_first_tool",
    model_settings=ModelSettings(tool_choice="required"),
)


async def answer(question: str) -> None:
    await Runner.run(first, question)
    await Runner.run(always, question)  # expect: TB601
    await Runner.run(once, question)
