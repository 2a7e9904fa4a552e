"""Why a candidate is refused: a closed list, kept as counts and shown as it is (M5)."""

from __future__ import annotations

from enum import StrEnum


class Rule(StrEnum):
    """The rule a candidate breaks; numbers are those of "Candidate semantics"."""

    TEXT_EMPTY = "text_empty"
    PATH_OUT_OF_SCOPE = "path_out_of_scope"  # 1
    ALWAYS_NOT_ALLOWED = "always_not_allowed"  # 2
    ALWAYS_NOT_CONTINUOUS = "always_not_continuous"  # M5.1(b)
    LOCAL_IN_REVIEW = "local_in_review"  # 3
    LOCAL_WITHOUT_PATH = "local_without_path"
    NOT_CURRENT = "not_current"  # 4
    NO_USER_SOURCE = "no_user_source"
    COMBINATION = "combination"  # 5, 6, 10
    CODE_FACT = "code_fact"  # 5, 9, 10
    ASSISTANT_CONCLUSION = "assistant_conclusion"  # 5
    TOO_FEW_REPETITIONS = "too_few_repetitions"  # 6
    TOO_FEW_PATHS = "too_few_paths"  # 6
    COUNTER_EXAMPLE = "counter_example"  # 6
    TEMPORARY = "temporary"  # 7
    NO_ANCHOR = "no_anchor"  # 8
    ANCHOR_NOT_SHARED = "anchor_not_shared"  # 6, 8, 10
    QUOTED_MATERIAL = "quoted_material"  # M11.3
    NOT_MEANT = "not_meant"  # 9, M11.4
    NO_PREFERENCE_MARKER = "no_preference_marker"  # 9
    NO_DECISION_MARKER = "no_decision_marker"  # 9
    NO_ACKNOWLEDGEMENT = "no_acknowledgement"  # 10
    NO_PROPOSAL = "no_proposal"  # 10
    SUBJECT_UNCOVERED = "subject_uncovered"  # M11.3, to the last
    STATEMENT_UNCOVERED = "statement_uncovered"
    CONTENT_UNCOVERED = "content_uncovered"
    NUMBER_UNCOVERED = "number_uncovered"
    NAME_UNCOVERED = "name_uncovered"
    ADDRESS_UNCOVERED = "address_uncovered"
    COMMAND_UNCOVERED = "command_uncovered"
    POLARITY_CONTRADICTED = "polarity_contradicted"
