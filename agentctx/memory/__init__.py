"""Conversation memory: what was said in a project, and what is believed of it."""
