"""Agents end after max_iter steps; the crew is as bounded as its members."""

from crewai import Agent, Crew, Task

searcher = Agent(role="searcher", goal="find", backstory="quick", tools=[print])
patient = Agent(role="patient", goal="find", backstory="slow", tools=[print], max_iter=500)
task = Task(description="find it", expected_output="text", agent=searcher)


def answer(topic: str) -> None:
    Crew(agents=[searcher], tasks=[task]).kickoff(inputs={"topic": topic})
    Crew(agents=[searcher, patient], tasks=[task]).kickoff(inputs={"topic": topic})  # expect: TB109
