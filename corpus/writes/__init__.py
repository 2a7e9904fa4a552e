"""Controlled writes: one lock, a journal, and old or new, never half (P13)."""
