"""Work in the background: what sessions said becomes records, and is kept in order."""
