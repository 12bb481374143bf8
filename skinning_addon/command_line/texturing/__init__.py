"""`skinscope bone-texture`."""
