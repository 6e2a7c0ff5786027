"""What both games share, written once."""
