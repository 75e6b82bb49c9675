"""How to call each framework: one file each, with REFERENCES; no framework is imported before it is called."""
