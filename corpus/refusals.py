"""Every refusal of trust, writes, the inbox, the tool server and fleets, as a tree.

CodedError
  CapabilityUnknownError          CAPABILITY_UNKNOWN
  CapabilityDeniedError           CAPABILITY_DENIED
  GrantMissingError               TRUST_MISSING
  GrantUnsafeError                TRUST_UNSAFE
  GrantParseError                 TRUST_PARSE
  GrantSchemaError                TRUST_SCHEMA
  GrantVersionError               TRUST_VERSION
  GrantExistsError                TRUST_EXISTS
  GrantProjectError               TRUST_PROJECT
  GrantChangedError               TRUST_CHANGED
  GrantStateError                 TRUST_STATE
  GrantRootError                  TRUST_ROOT
  GrantUnwritableError            TRUST_UNWRITABLE
  ConfirmationError               CONFIRMATION_NEEDED
  FilesystemError                 FILESYSTEM_UNQUALIFIED
  WriteScopeError                 WRITE_SCOPE_DENIED
  ReadScopeError                  READ_SCOPE_DENIED
  FileUnreadableError             FILE_UNREADABLE
  ExpectedHashError               EXPECTED_HASH
  StaleHashError                  STALE_HASH
  TargetExistsError               TARGET_EXISTS
  TargetMissingError              TARGET_MISSING
  TargetUnusableError             TARGET_UNUSABLE
  ArtifactIdError                 ARTIFACT_ID
  ContentLimitError               CONTENT_LIMIT
  ContentEncodingError            CONTENT_ENCODING
  StateConformanceError           STATE_CONFORMANCE
  ArtifactConformanceError        ARTIFACT_CONFORMANCE
  AmendmentError                  AMENDMENT_IMPOSSIBLE
  TaskStatusError                 TASK_STATUS
  WriteLockError                  WRITE_LOCK
  RuntimeStateError               RUNTIME_STATE
  JournalError                    JOURNAL_UNREADABLE
  WriteFailedError                WRITE_FAILED
  WriteUnsettledError             WRITE_UNSETTLED
  ReadbackError                   READBACK_VERIFY
  NeedsOwnerError                 NEEDS_OWNER
  ResolutionError                 RESOLUTION_IMPOSSIBLE
  AuditConflictError              AUDIT_CONFLICT
  TransactionIdError              TRANSACTION_ID
  TransactionAmbiguousError       TRANSACTION_AMBIGUOUS
  TransactionUnknownError         TRANSACTION_UNKNOWN
  ToolArgumentError               ARGUMENT_INVALID
  ReadLimitError                  READ_LIMIT
  CandidateUncitedError           CANDIDATE_UNCITED
  CandidateUnknownError           CANDIDATE_UNKNOWN
  CandidateAmbiguousError         CANDIDATE_AMBIGUOUS
  CandidateExistsError            CANDIDATE_EXISTS
  CandidateDecidedError           CANDIDATE_DECIDED
  CandidateInDoubtError           CANDIDATE_IN_DOUBT
  RejectionReasonError            REJECTION_REASON
  InboxError                      INBOX_UNUSABLE
  InboxFullError                  INBOX_FULL
  OriginMissingError              ORIGIN_MISSING
  OriginUnusableError             ORIGIN_UNUSABLE
  OriginLetGoError                ORIGIN_LET_GO
  RungUnknownError                RUNG_UNKNOWN
  ExecutorError                   EXECUTOR_UNKNOWN
  ExecutorMissingError            EXECUTOR_MISSING
  ExecutorUnreachableError        EXECUTOR_UNREACHABLE
  WorkerLostError                 WORKER_LOST
"""

from __future__ import annotations

from corpus.errors import CodedError


class CapabilityUnknownError(CodedError):
    code = "CAPABILITY_UNKNOWN"
    sentence = "capability `{capability}` is unknown"
    hint = "see the list of capabilities in docs/trust.md"


class CapabilityDeniedError(CodedError):
    """`reasons` are the layers that withhold the capability, as P3.3 names them."""

    code = "CAPABILITY_DENIED"
    sentence = "`{capability}` is not allowed here: {reasons}"
    hint = "see who withholds what with `project-corpus trust show`"


class GrantMissingError(CodedError):
    code = "TRUST_MISSING"
    sentence = "there is no owner's grant for project `{project_id}`"
    hint = "the owner can make one with `project-corpus trust create`"


class GrantUnsafeError(CodedError):
    code = "TRUST_UNSAFE"
    sentence = "the owner's grant cannot be trusted: {reason}"
    hint = "keep it outside the project, writable by its owner alone, as a plain file"


class GrantParseError(CodedError):
    code = "TRUST_PARSE"
    sentence = "the owner's grant is not valid TOML: {reason}"
    hint = "repair it at the place named, or revoke it and create it again"


class GrantSchemaError(CodedError):
    code = "TRUST_SCHEMA"
    sentence = "grant field `{field}` {reason}"
    hint = "see the fields and an example in docs/trust.md"


class GrantVersionError(CodedError):
    code = "TRUST_VERSION"
    sentence = "grant_version is `{found}`, not `1`"
    hint = "revoke the grant and create it again with this version"


class GrantExistsError(CodedError):
    code = "TRUST_EXISTS"
    sentence = (
        "project `{project_id}` already has a grant there, for {physical_root};"
        " nothing was written"
    )
    hint = (
        "look at it with `project-corpus trust show`; change it with `--replace`; a"
        " second checkout can have its own with `--trust FILE`, outside the project"
    )


class GrantProjectError(CodedError):
    code = "TRUST_PROJECT"
    sentence = "the grant is for project `{found}`, not `{expected}`"
    hint = "name the grant of this project, or create one"


class GrantChangedError(CodedError):
    code = "TRUST_CHANGED"
    sentence = "the grant changed while it was looked at; nothing was written"
    hint = "look at it again with `project-corpus trust show`, then retry"


class GrantStateError(CodedError):
    code = "TRUST_STATE"
    sentence = "no grant for a project whose state does not conform: {problems}"
    hint = "see what is wrong with `project-corpus validate` and repair it"


class GrantRootError(CodedError):
    code = "TRUST_ROOT"
    sentence = "the grant is for another folder than this one"
    hint = "see what differs with `project-corpus trust show`; accept it with `renew`"


class GrantUnwritableError(CodedError):
    code = "TRUST_UNWRITABLE"
    sentence = "the grant cannot be written: {reason}"
    hint = "check the permissions of its folder and the space left"


class ConfirmationError(CodedError):
    code = "CONFIRMATION_NEEDED"
    sentence = "`{command}` was not confirmed; nothing was changed"
    hint = "confirm it on a terminal, or say `--yes`"


class FilesystemError(CodedError):
    code = "FILESYSTEM_UNQUALIFIED"
    sentence = "no controlled write on file system `{found}`: {reason}"
    hint = "keep the project on a local file system (docs/writes.md lists them)"


class WriteScopeError(CodedError):
    code = "WRITE_SCOPE_DENIED"
    sentence = "`{path}` is not in the policy's write scope"
    hint = "the owner can add it to `[scopes] write` in policy.toml and approve that"


class ReadScopeError(CodedError):
    code = "READ_SCOPE_DENIED"
    sentence = "`{path}` is not in the policy's read scope"
    hint = "name a file that the policy lets be read"


class FileUnreadableError(CodedError):
    code = "FILE_UNREADABLE"
    sentence = "`{path}` cannot be read: {reason}"
    hint = "name a plain UTF-8 file of the project"


class ExpectedHashError(CodedError):
    code = "EXPECTED_HASH"
    sentence = "`{field}` is not 64 lower-case hexadecimal digits"
    hint = "give the SHA-256 of the file you read (`project-corpus show`, corpus.stat)"


class StaleHashError(CodedError):
    code = "STALE_HASH"
    sentence = "`{path}` changed since it was read: it is {found}, not {expected}"
    hint = "read it again, make the change again on what it says now, then retry"


class TargetExistsError(CodedError):
    code = "TARGET_EXISTS"
    sentence = "`{path}` already exists; nothing was written"
    hint = "choose another id"


class TargetMissingError(CodedError):
    code = "TARGET_MISSING"
    sentence = "`{path}` does not exist"
    hint = "check the id; list what there is with `project-corpus timeline`"


class TargetUnusableError(CodedError):
    code = "TARGET_UNUSABLE"
    sentence = "`{path}` cannot be written: {reason}"
    hint = "make it, and the folder it lies in, a plain file and folder again"


class ArtifactIdError(CodedError):
    code = "ARTIFACT_ID"
    sentence = "`{found}` is not an id of an artifact"
    hint = (
        "use 3 to 64 of a-z, 0-9, dot, underscore and hyphen; a device name such as"
        " `con` or `aux` names no file on every system"
    )


class ContentLimitError(CodedError):
    code = "CONTENT_LIMIT"
    sentence = "`{path}` would hold {count} bytes; the limit is {maximum}"
    hint = "write less, or several artifacts"


class ContentEncodingError(CodedError):
    code = "CONTENT_ENCODING"
    sentence = "the content for `{path}` is not UTF-8 text: {reason}"
    hint = "give UTF-8 text without control characters"


class StateConformanceError(CodedError):
    code = "STATE_CONFORMANCE"
    sentence = "STATUS would not conform: {problems}"
    hint = "see what STATUS must carry in docs/protocol.md; nothing was written"


class ArtifactConformanceError(CodedError):
    code = "ARTIFACT_CONFORMANCE"
    sentence = "`{path}` would not conform: {problems}"
    hint = "see what an artifact must carry in docs/protocol.md; nothing was written"


class AmendmentError(CodedError):
    code = "AMENDMENT_IMPOSSIBLE"
    sentence = "`{key}` of `{path}` cannot be changed in place: {reason}"
    hint = "edit the file by hand, or give its whole new content"


class TaskStatusError(CodedError):
    code = "TASK_STATUS"
    sentence = "task `{task}` is {found}"
    hint = "a task is activated when OPEN or BLOCKED and closed before it is ended"


class WriteLockError(CodedError):
    code = "WRITE_LOCK"
    sentence = "another writer held the project for {seconds} seconds"
    hint = "try again; if it goes on, find the process that holds the lock"


class RuntimeStateError(CodedError):
    code = "RUNTIME_STATE"
    sentence = "the folder for journals and backups cannot be used: {reason}"
    hint = "let it be a folder of yours, outside the project, that only you can write"


class JournalError(CodedError):
    code = "JOURNAL_UNREADABLE"
    sentence = "the journal of an interrupted write cannot be used: {reason}"
    hint = (
        "look at the project's files; `project-corpus recover --resolve current` then"
        " leaves them as they are and sets the journal aside"
    )


class WriteFailedError(CodedError):
    code = "WRITE_FAILED"
    sentence = "nothing was changed: {reason}"
    hint = "see what the system lacks, then try again"


class WriteUnsettledError(CodedError):
    code = "WRITE_UNSETTLED"
    sentence = "an interrupted write could not be settled: {reason}"
    hint = "see what the system lacks, then run `project-corpus recover`"


class ReadbackError(CodedError):
    code = "READBACK_VERIFY"
    sentence = "`{path}` did not hold what was written"
    hint = (
        "something else writes this file, or the disk is failing;"
        " `project-corpus recover` shows what waits for a decision, and both sides"
    )


class NeedsOwnerError(CodedError):
    code = "NEEDS_OWNER"
    sentence = "an interrupted write waits for its owner: {reason}"
    hint = "look with `project-corpus recover`, decide with `--resolve old` or `new`"


class ResolutionError(CodedError):
    code = "RESOLUTION_IMPOSSIBLE"
    sentence = "`{choice}` is not possible: {reason}"
    hint = "see what is possible with `project-corpus recover`"


class AuditConflictError(CodedError):
    code = "AUDIT_CONFLICT"
    sentence = "the audit receipt `{path}` is not the one of this write"
    hint = "look at that file; it was not written by this transaction"


class TransactionIdError(CodedError):
    code = "TRANSACTION_ID"
    sentence = "`{found}` is not a transaction id"
    hint = (
        "use the 32 hexadecimal digits that a write answered, or the first 8 or more;"
        " `project-corpus audit-read` lists them"
    )


class TransactionAmbiguousError(CodedError):
    code = "TRANSACTION_AMBIGUOUS"
    sentence = "`{found}` begins the ids of {count} transactions"
    hint = "give more of its digits; `project-corpus audit-read` lists them"


class TransactionUnknownError(CodedError):
    code = "TRANSACTION_UNKNOWN"
    sentence = "there is no readable receipt of transaction {transaction_id}"
    hint = "receipts lie in `.project-corpus/audit/`, which the policy must let be read"


class ToolArgumentError(CodedError):
    code = "ARGUMENT_INVALID"
    sentence = "argument `{field}` {reason}"
    hint = "correct the argument as the tool's input schema says"


class ReadLimitError(CodedError):
    code = "READ_LIMIT"
    sentence = "`{path}` has {count} characters there; one answer holds {maximum}"
    hint = "ask for fewer of its lines"


class CandidateUncitedError(CodedError):
    code = "CANDIDATE_UNCITED"
    sentence = "`{origin}` names no line of a source in scope that supports it"
    hint = "name the lines yourself with `--source PATH:FIRST-LAST`"


class CandidateUnknownError(CodedError):
    code = "CANDIDATE_UNKNOWN"
    sentence = "there is no candidate `{found}` in this project's inbox"
    hint = "list them with `project-corpus candidate list --state all`"


class CandidateAmbiguousError(CodedError):
    code = "CANDIDATE_AMBIGUOUS"
    sentence = "`{found}` begins the ids of {count} candidates"
    hint = "give more of it; `project-corpus candidate list --state all` lists them"


class CandidateExistsError(CodedError):
    code = "CANDIDATE_EXISTS"
    sentence = "another candidate `{candidate_id}` is in the inbox, {state}"
    hint = "give this one another id: with `--id`, or in its file"


class CandidateDecidedError(CodedError):
    code = "CANDIDATE_DECIDED"
    sentence = "candidate `{candidate_id}` is {state} already"
    hint = "submit a new candidate, with an id of its own, to decide again"


class CandidateInDoubtError(CodedError):
    code = "CANDIDATE_IN_DOUBT"
    sentence = "accepting `{candidate_id}` was interrupted and is not settled yet"
    hint = "run `project-corpus recover`, then look again"


class RejectionReasonError(CodedError):
    code = "REJECTION_REASON"
    sentence = "the reason {problem}"
    hint = "say in 1 to 1,000 printable characters why it is rejected"


class InboxError(CodedError):
    code = "INBOX_UNUSABLE"
    sentence = "the inbox of candidates cannot be used: {reason}"
    hint = "check its folder in your state directory, and who may write there"


class InboxFullError(CodedError):
    code = "INBOX_FULL"
    sentence = "{count} candidates wait; the inbox holds no more"
    hint = "accept or reject some of them first"


class OriginMissingError(CodedError):
    code = "ORIGIN_MISSING"
    sentence = "no program is installed that keeps a {kind} for this corpus"
    hint = "submit the candidate from a file instead"


class OriginUnusableError(CodedError):
    code = "ORIGIN_UNUSABLE"
    sentence = "the program `{name}`, which keeps origins of candidates, is broken"
    hint = "install it again, or remove it"


class OriginLetGoError(CodedError):
    code = "ORIGIN_LET_GO"
    sentence = "what `{candidate_id}` was made of was forgotten or deleted since"
    hint = "reject it; what holds all the same can be submitted in your own words"


class RungUnknownError(CodedError):
    code = "RUNG_UNKNOWN"
    sentence = "`{found}` is no report, candidate, record, item or turn known here"
    hint = "give a whole id, or a report's path; the project is the one you are in"


class ExecutorError(CodedError):
    code = "EXECUTOR_UNKNOWN"
    sentence = "`{executor}` names no executor"
    hint = "say `local`, or `dask:` and a scheduler, such as `dask:tcp://10.0.0.5:8786`"


class ExecutorMissingError(CodedError):
    code = "EXECUTOR_MISSING"
    sentence = "Dask is not installed here"
    hint = "install the extra: `pip install 'agentctx-corpus[dask]'`, or use `local`"


class ExecutorUnreachableError(CodedError):
    code = "EXECUTOR_UNREACHABLE"
    sentence = "the Dask cluster at `{address}` cannot be used: {reason}"
    hint = "check the scheduler's address, and that it has workers"


class WorkerLostError(CodedError):
    code = "WORKER_LOST"
    sentence = "no worker finished this corpus: {reason}"
    hint = (
        "run it again alone; see whether memory ran out, and whether the workers of a"
        " cluster have this version of the program and the same paths"
    )
