from agentscope.agent import Agent, ReActAgent, ReActConfig
from agentscope.mcp import MCPClient
from agentscope.tool import Toolkit

toolkit = Toolkit()
files = MCPClient(name="files", enable_tools=["read_file"])
everything = MCPClient(name="files")  # expect: TB311

agent = Agent(name="a", toolkit=toolkit)
patient = Agent(name="b", toolkit=toolkit, react_config=ReActConfig(max_iters=500))
plain = Agent(name="c", react_config=ReActConfig(max_iters=500))
old = ReActAgent(name="d", toolkit=toolkit)
tireless = ReActAgent(name="e", toolkit=toolkit, max_iters=1_000_000)


async def answer(question: str) -> None:
    await agent.reply(question)
    await patient.reply(question)  # expect: TB109
    await plain.reply(question)
    await old(question)
    await tireless(question)  # expect: TB109
