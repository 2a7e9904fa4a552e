"""Records: typed, dated facts that are superseded and never silently wrong (A2)."""
