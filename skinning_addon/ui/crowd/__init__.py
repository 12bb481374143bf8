"""The interface of a scene's crowd: its panel, its operators, and the tool that takes control of an agent."""
