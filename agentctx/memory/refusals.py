"""Every failure that conversation memory reports on purpose, drawn as a tree.

CodedError
  MemoryAbsentError               MEMORY_ABSENT
  MemoryDegradedError             MEMORY_DEGRADED
  MemoryFencedError               MEMORY_FENCED
  MemoryRuleError                 MEMORY_CONTRACT
  MemoryItemNotFoundError         NOT_FOUND
  MemoryItemAmbiguousError        ITEM_AMBIGUOUS
  MemoryItemOldError              ITEM_OLD
  MemoryItemKindError             ITEM_UNDECIDED
  MemoryOffError                  MEMORY_OFF
  MemoryConsentError              MEMORY_CONSENT
  MemoryPlaceError                MEMORY_PLACE
  MemoryBackupError               MEMORY_BACKUP
  RecallMismatchError             RECALL_MISMATCH
  RecallTextError                 RECALL_EMPTY
  RecallQuotaError                RECALL_QUOTA
  RecallPoolError                 RECALL_POOL
  RecallItemError                 RECALL_UNAVAILABLE
  TurnNotFoundError               TURN_NOT_FOUND
  TurnEndedError                  TURN_ENDED
  TurnLateError                   TURN_LATE
  TurnLeaseError                  TURN_LEASE
  SessionUnboundError             SESSION_UNBOUND
  SessionTurnError                SESSION_NO_TURN
  SessionUnclearError             SESSION_UNCLEAR

Each class owns its sentence, its code, its exit status and the next step; whoever
raises it supplies only the values named in the sentence (checked by a test).
"""

# ruff: noqa: D101 - each class's sentence says what happened

from __future__ import annotations

from agentctx.errors import MemoryContractError
from corpus.errors import CodedError
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.errors import Fact


class MemoryAbsentError(CodedError):
    code = "MEMORY_ABSENT"
    sentence = "this project has no conversation memory"
    hint = "let it have one with `agentctx memory on`"


class MemoryDegradedError(CodedError):
    code = "MEMORY_DEGRADED"
    sentence = "conversation memory cannot be used: {detail}"
    hint = "nothing was changed; `agentctx memory clear --confirm` begins it anew"
    extra = ("problem",)

    def __init__(self, **facts: Fact) -> None:
        super().__init__(**facts)
        if facts.get("problem") == "not_a_folder":  # which no command of ours deletes
            self.hint = "nothing was changed; move `.agentctx` away, it is no folder"


class MemoryFencedError(CodedError):
    code = "MEMORY_FENCED"
    sentence = "conversation memory was cleared or the work given to another: {reason}"
    hint = "nothing was written; begin again with the memory as it is now"


class MemoryRuleError(MemoryContractError):
    code = "MEMORY_CONTRACT"
    sentence = "conversation memory does not take this: {reason}"
    hint = "nothing was changed; give what the rules of memory allow"
    extra = ("rule",)

    def __init__(self, **facts: Fact) -> None:
        super().__init__(**facts)
        self.hint = _NEXT.get(str(facts.get("rule")), self.hint)


_DECIDE = (
    "say what is decided in a conversation, or make a record of it with `agentctx"
    " memory promote ID --type decision`"
)
_AN_EXPORT = "nothing was taken in; name a file that `agentctx memory export` wrote"
_NEXT = {
    "confirm_discussion": _DECIDE,
    "pin_discussion": _DECIDE,
    "always_not_allowed": (
        "nothing was changed; stand for it first, with `agentctx memory confirm ID`"
    ),
    "import_file": _AN_EXPORT,
    "import_format": _AN_EXPORT,
    "import_not_empty": (
        "nothing was taken in; `agentctx memory clear --confirm` empties this one, and"
        " keeps a backup"
    ),
    "no_undo": (
        "nothing was changed; see what is remembered with `agentctx memory list --all`"
    ),
    "retention": (
        "nothing was changed; say what to keep, as with `--days 90` or `--max-mb 50`"
    ),
}
"""What to do next where a rule, by its id, says more than that it was broken."""


class MemoryItemNotFoundError(CodedError):
    code = "NOT_FOUND"
    sentence = "conversation memory has no item `{item_id}`"
    hint = "look for it with `agentctx memory list --all`"


class MemoryItemAmbiguousError(CodedError):
    code = "ITEM_AMBIGUOUS"
    sentence = "`{found}` begins the ids of {count} items: {items}"
    hint = "give more of the id"
    extra = ("ids",)


class MemoryItemOldError(CodedError):
    code = "ITEM_OLD"
    sentence = "`{item_id}` is an old revision; {live}"
    hint = "see every revision with `agentctx memory history ID`"


class MemoryOffError(CodedError):
    code = "MEMORY_OFF"
    sentence = "conversation memory is off here: {reason}"
    hint = "what is kept can be looked at, exported and removed meanwhile"
    extra = ("off",)


class MemoryConsentError(CodedError):
    code = "MEMORY_CONSENT"
    sentence = "`{command}` cannot be taken back and was not confirmed"
    hint = "nothing was changed; say `--confirm` if that is meant"


class MemoryItemKindError(CodedError):
    code = "ITEM_UNDECIDED"
    sentence = "`{item_id}` is a discussion: nothing of it is decided yet"
    hint = "say what it is, as with `--type decision`, if it is decided all the same"


class MemoryPlaceError(CodedError):
    code = "MEMORY_PLACE"
    sentence = "no project's memory can lie in `{folder}`: it is your store of records"
    hint = "go to the folder of a project first"


class MemoryBackupError(CodedError):
    code = "MEMORY_BACKUP"
    sentence = "conversation memory cannot be copied first: {reason}"
    hint = "nothing was cleared; make room, or say `--no-backup`"


class TurnNotFoundError(CodedError):
    code = "TURN_NOT_FOUND"
    sentence = "conversation memory has no turn `{turn_id}`"
    hint = "it may have been cleared; the next turn is kept again"


class TurnEndedError(CodedError):
    code = "TURN_ENDED"
    sentence = "the turn `{turn_id}` has ended already: {state}"
    hint = "a turn ends once; begin another"


class TurnLateError(CodedError):
    code = "TURN_LATE"
    sentence = "the turn `{turn_id}` was taken as interrupted, and others went on"
    hint = "what was said to it stays; its late answer is not kept"


class TurnLeaseError(CodedError):
    code = "TURN_LEASE"
    sentence = "the turn `{turn_id}` is another's, and still open"
    hint = "only who began a turn ends it"


class SessionUnboundError(CodedError):
    code = "SESSION_UNBOUND"
    sentence = "this memory server was started for no session"
    hint = (
        "start it with `--session ID`, or let `CLAUDE_CODE_SESSION_ID` or"
        " `AGENTCTX_SESSION` name the session"
    )


class SessionTurnError(CodedError):
    code = "SESSION_NO_TURN"
    sentence = "the session of this memory server has no open turn"
    hint = (
        "go on without memory, and ask again with the next prompt; if it stays so,"
        " prompts are not kept: `agentctx status` says why"
    )


class SessionUnclearError(CodedError):
    code = "SESSION_UNCLEAR"
    sentence = (
        "the session of this memory server has ended, and {count} others have an open"
        " turn"
    )
    hint = (
        "go on without memory; it can be asked again when one of them is open alone,"
        " or once this client's servers are started anew"
    )


class RecallMismatchError(MemoryContractError):
    code = "RECALL_MISMATCH"
    sentence = "what is asked of memory is for {asked}, what may be shown for {allowed}"
    hint = "make the query and the policy for one profile and one thread"


class RecallTextError(MemoryContractError):
    code = "RECALL_EMPTY"
    sentence = "a search of memory holds no word"
    hint = "give at least one word to look for"


class RecallQuotaError(MemoryContractError):
    code = "RECALL_QUOTA"
    sentence = "this request has used its {limit} {what} of memory"
    hint = "go on with what was found; the next prompt begins anew"


class RecallPoolError(MemoryContractError):
    code = "RECALL_POOL"
    sentence = "{left} tokens are left for memory in this request; that holds no item"
    hint = "go on with what was found; the next prompt begins anew"


class RecallItemError(MemoryContractError):
    code = "RECALL_UNAVAILABLE"
    sentence = "memory has no such item for this request"
    hint = "read an id that the memory map or a search of this request shows"
