"""How a model extracts from turns and consolidates what was extracted (M4, M5)."""
