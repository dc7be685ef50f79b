"""A shell under asyncio is killed, and its children keep the pipe."""
import asyncio


async def shell(command: str) -> str:
    process = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE)  # expect: TB305
    try:
        out, _ = await asyncio.wait_for(process.communicate(), timeout=60)
    except asyncio.TimeoutError:
        process.kill()
        return "timed out"
    return out.decode()


TOOLS = {"shell": shell}


async def run_tool(tool_name: str, arguments: dict) -> str:
    return await TOOLS[tool_name](**arguments)
