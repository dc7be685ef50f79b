"""No shell between: the command itself is killed."""
import subprocess


def check(path: str) -> str:
    return subprocess.run(["ruff", "check", path], capture_output=True, text=True, timeout=60).stdout


def contained(command: str) -> str:
    argv = ["docker", "exec", "box", "timeout", "60", "bash", "-c", command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=70).stdout


TOOLS = {"check": check, "contained": contained}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
