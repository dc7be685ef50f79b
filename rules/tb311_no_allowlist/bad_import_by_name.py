"""The dispatcher imports whatever plug-in the model names."""
import importlib


class PluginHost:
    def __init__(self, package="helpdesk.plugins"):
        self.package = package

    def execute_tool(self, tool_name, arguments):
        module = importlib.import_module(f"{self.package}.{tool_name}")
        return module.run(**arguments)  # expect: TB311
