"""Measures the linter on real packages: what it finds, what it misses, and what it says without cause."""
