"""The interface of Cached Playback: its panel, its operators, and the press that ends it for now."""
