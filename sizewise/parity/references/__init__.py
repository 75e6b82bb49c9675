"""References to the frameworks: one file each, with REFERENCES. A framework is imported when it is called."""
