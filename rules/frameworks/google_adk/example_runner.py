"""A runner ends after 500 model calls; zero takes that away. A LoopAgent has no bound of its own by default."""

from google.adk.agents import LlmAgent, LoopAgent
from google.adk.agents.run_config import RunConfig
from google.adk.runners import Runner

worker = LlmAgent(name="worker", model="gemini", tools=[print])
polish = LoopAgent(name="polish", sub_agents=[worker])  # expect: TB107
capped = LoopAgent(name="capped", sub_agents=[worker], max_iterations=4)
runner = Runner(agent=worker, app_name="desk", session_service=None)


async def answer(question: str) -> None:
    async for event in runner.run_async(user_id="u", session_id="s", new_message=question):  # expect: TB109
        print(event)
    events = runner.run_async(user_id="u", session_id="s", run_config=RunConfig(max_llm_calls=40))
    async for event in events:
        print(event)
    runner.run(user_id="u", session_id="s", run_config=RunConfig(max_llm_calls=0))  # expect: TB107
