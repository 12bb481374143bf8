"""What people see and press: settings, operators and panels. All text for people is written here or in
core.
"""
