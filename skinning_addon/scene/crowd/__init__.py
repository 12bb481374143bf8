"""Characters of the scene as members of a crowd."""
