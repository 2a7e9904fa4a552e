"""A host of conversation memory that talks with a person: turns, reviews, a model."""
