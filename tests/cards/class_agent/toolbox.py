"""The tools of the release assistant. Whatever method the model names is called."""

import json
import subprocess


class Toolbox:
    def schemas(self):
        return [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            for name in ("changelog", "tags")
        ]

    def execute(self, name, args):
        try:
            method = getattr(self, name)
            return json.dumps(method(**args))
        except Exception:
            return json.dumps({"error": "the tool failed"})

    def changelog(self, since):
        return self._git("log", "--oneline", f"{since}..HEAD")

    def tags(self):
        return self._git("tag", "--list")

    def _git(self, *argv):
        done = subprocess.run(["git", *argv], capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.splitlines()[:200]
