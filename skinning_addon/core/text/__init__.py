"""User-facing text: translatable messages, errors, lengths, names that are safe to print.

Read `message` and `errors` first: everything that the user is told is built from them. `documents` reads
untrusted files safely; `identity` names a mesh or an action in every result.
"""
