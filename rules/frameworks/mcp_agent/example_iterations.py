"""Ten iterations by default, in the request's parameters; all tools of the named servers are offered."""

from mcp_agent.agents.agent import Agent
from mcp_agent.workflows.llm.augmented_llm import RequestParams
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM


async def answer(question: str) -> None:
    agent = Agent(name="browser", instruction="browse", server_names=["playwright"])  # expect: TB311
    llm = await agent.attach_llm(OpenAIAugmentedLLM)
    await llm.generate_str(question)
    await llm.generate_str(question, request_params=RequestParams(max_iterations=900))  # expect: TB109
