"""How each framework's call is written: one file each, which defines SYNTAXES."""
