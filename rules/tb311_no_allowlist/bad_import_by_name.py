"""The dispatcher imports whatever plug-in the model names."""
import importlib


class PluginHost:
    def __init__(self, package="helpdesk.plugins"):
        self.package = package

    def execute_tool(self, tool_name, arguments):
        module = importlib.import_module(f"{self.package}.{tool_name}")  # expect: TB311
        return module.run(**arguments)
