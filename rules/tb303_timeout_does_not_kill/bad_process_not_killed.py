"""The command is no longer listened to; it runs as before."""
import subprocess


def shell(command: list) -> str:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        out, _ = process.communicate(timeout=60)  # expect: TB303
    except subprocess.TimeoutExpired:
        return "timed out"
    return out


TOOLS = {"shell": shell}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
