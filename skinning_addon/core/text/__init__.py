"""Words for people: messages that can be translated, errors, lengths, names that are safe to print.

Read `message` and `errors` first: everything that the user is told is made of them. `documents` reads files that
others wrote, without trusting them; `identity` says what a mesh or an action is called in every result.
"""
