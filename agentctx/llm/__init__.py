"""The one seam to a model: a question, an answer that is JSON, and what it cost."""
