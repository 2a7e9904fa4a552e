"""Texts with made-up secrets, and texts that only look as if they held one."""
