"""The process is killed when its time is up."""
import subprocess


def shell(command: list) -> str:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        out, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "timed out"
    return out


def check(path: str) -> str:
    return subprocess.run(["ruff", "check", path], capture_output=True, text=True, timeout=60).stdout


TOOLS = {"shell": shell, "check": check}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
