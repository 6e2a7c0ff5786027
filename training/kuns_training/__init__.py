"""Training opponents for Kuns, measuring how strong they are, and playing against them."""
