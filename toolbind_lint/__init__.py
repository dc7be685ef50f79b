"""toolbind-lint: finds every loop in which a model calls tools, and demands evidence of each gate that bounds it."""

__version__ = "0.1.0"
