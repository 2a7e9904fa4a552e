"""What is said in the story, and where."""

from __future__ import annotations

MEMORY = "We decided: the lockout counts wrong codes in memory."
FILE = (
    "No, from now on we'll keep the lockout count in a file,"
    " because it has to survive a power cut."
)
TEST_CODE = "Always try the test cabinet with code 4711."

SUPERSEDED = "counts wrong codes in memory"
IN_FORCE = "Keep the lockout count in a file, because it has to survive a power cut."
LET_GO = "code 4711"

WHERE = "Where does the lockout keep its count?"
TRY_IT = "Which code do I try the test cabinet with?"
HISTORY = "history of the lockout count"

TEAM_FILE = ".agentctx/context.md"
PROTOTYPE = "reports/report-0014-lockout-prototype.md:12-14"
REPORT = "report-0016-lockout-count"
