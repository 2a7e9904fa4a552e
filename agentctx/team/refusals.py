"""Every failure that sharing with a team reports on purpose, drawn as a tree.

CodedError
  ContextVersionError             CONTEXT_TOO_NEW
  ContextFileError                CONTEXT_UNREADABLE
  ContextBrokenError              CONTEXT_BROKEN
  ContextNewsError                CONTEXT_NEWS
  ContextChangedError             CONTEXT_CHANGED
  ShareError                      SHARE_REFUSED
  NotSharedError                  NOT_SHARED
  HeldBlockError                  BLOCK_UNKNOWN
  MergeFileError                  MERGE_UNREADABLE
  GitError                        GIT_FAILED

Each class owns its sentence, its code, its exit status and the next step; whoever
raises it supplies only the values named in the sentence (checked by a test).
"""

# ruff: noqa: D101 - each class's sentence says what happened

from __future__ import annotations

from corpus.errors import CodedError


class ContextVersionError(CodedError):
    code = "CONTEXT_TOO_NEW"
    sentence = "`{path}` has format {found}; this program knows {known} and earlier"
    hint = "nothing was changed; use a newer agentctx"


class ContextFileError(CodedError):
    code = "CONTEXT_UNREADABLE"
    sentence = "`{path}` cannot be used: {reason}"
    hint = "let it be a plain text file in a folder of the project that you can write"


class ContextBrokenError(CodedError):
    code = "CONTEXT_BROKEN"
    sentence = "line {line} of `{path}`: {reason}; nothing was written"
    hint = "repair the block, or take it out; `agentctx team status` names every one"


class ContextNewsError(CodedError):
    code = "CONTEXT_NEWS"
    sentence = "`{path}` says what was not imported yet, at line {line}"
    hint = "take it in with `agentctx team import`, then export"


class ContextChangedError(CodedError):
    code = "CONTEXT_CHANGED"
    sentence = "`{path}` changed after it was shown; nothing was taken in"
    hint = "look at it again with `agentctx team import`"


class ShareError(CodedError):
    code = "SHARE_REFUSED"
    sentence = "`{record_id}` cannot be shared: {reason}"
    hint = "correct it with `agentctx edit`; for good reasons leave it unshared"


class NotSharedError(CodedError):
    code = "NOT_SHARED"
    sentence = "`{record_id}` is not shared with the team"
    hint = "see what is with `agentctx team status`"


class HeldBlockError(CodedError):
    code = "BLOCK_UNKNOWN"
    sentence = "no block that waits for a person has the id `{found}`"
    hint = "`agentctx team import --dry-run` names every block that waits"


class MergeFileError(CodedError):
    code = "MERGE_UNREADABLE"
    sentence = "`{path}` cannot be merged: {reason}"
    hint = "resolve the conflict by hand: both sides are as they were"


class GitError(CodedError):
    code = "GIT_FAILED"
    sentence = "git {reason}"
    hint = "run it in the repository, with git installed and its settings writable"
