"""What counts how much in the score of a passage, besides its words."""

SCALE = 100
"""Scores are printed as whole numbers: BM25 times this."""

NEARNESS_SHARE = 0.8
"""How much the nearness of a query's words adds."""

UNSAID = 0.85
"""What a passage keeps whose own words say nothing of the query, only a title does."""

EQUAL_SCORE, EQUAL_COVERAGE = 0.8, 0.01
"""Two passages are equally relevant when the one scores this part of what the other
does by itself, and covers no more than this share less of the query."""

AUTHORITY = {
    "CANONICAL": 0.04,
    "ACTIVE_TASK": 0.03,
    "CITED_REPORT": 0.02,
    "SCOPED_REPORT": 0.01,
    "OTHER_TASK": 0.0,
    "HISTORY": 0.0,
}
RUNG = {
    "RECORD_EXPLICIT": -0.02,
    "RECORD_REINFORCED": -0.03,
    "RECORD_INFERRED": -0.05,
    "MEMORY_EXPLICIT": -0.03,
    "MEMORY_ADOPTED": -0.04,
    "MEMORY_INFERRED": -0.06,
}
"""The same for what providers give: no rung below the corpus reaches a file's."""

TIME = {
    "current": 0.04,
    "scoped": 0.02,
    "unknown": 0.0,
    "historical": -0.03,
    "superseded": -0.06,
}
DECLARED_PAST = -0.10
ASKED_HISTORY = 0.10

RECENCY = 0.02
