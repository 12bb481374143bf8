"""What people see and press: settings, operators and panels. All words for people are made here or in core."""
