"""The whole group is ended."""
import os
import signal
import subprocess


def shell(command: str) -> str:
    process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timed out"
    return out


TOOLS = {"shell": shell}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
