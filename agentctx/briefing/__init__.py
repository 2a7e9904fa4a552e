"""What an agent is told, within hard budgets: digests, records for a prompt (A4)."""
