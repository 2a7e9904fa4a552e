"""The edge to an agent's hooks: one module an event, standard library only (A4)."""
