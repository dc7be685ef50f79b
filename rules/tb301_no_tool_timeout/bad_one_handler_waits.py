"""One tool has its limit, the other hangs as long as the site does."""
import subprocess

import requests


def lint(path: str) -> str:
    return subprocess.run(["ruff", "check", path], capture_output=True, text=True, timeout=60).stdout


def fetch(url: str) -> str:
    return requests.get(url).text


TOOLS = {"lint": lint, "fetch": fetch}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)  # expect: TB301
