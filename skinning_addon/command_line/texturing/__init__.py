"""`skinscope bone-texture`: clips as a texture of bones, for crowds in engines."""
