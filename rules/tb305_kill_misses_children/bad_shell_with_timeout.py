"""The shell is killed after a minute; the build that it started is not."""
import subprocess


def shell(command: str) -> str:
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)  # expect: TB305
    return done.stdout


TOOLS = {"shell": shell}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
