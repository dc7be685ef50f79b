"""``python -m toolbind_lint``."""

from toolbind_lint.cli import entry

if __name__ == "__main__":
    entry()
