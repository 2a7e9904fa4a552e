"""Every failure that `agentctx` reports on purpose, drawn as a tree.

CodedError
  TitleError                      TITLE_INVALID
  BodyError                       BODY_INVALID
  NoteError                       NOTE_INVALID
  FieldError                      FIELD_INVALID
  FileOutsideError                FILE_OUTSIDE
  BadTimeError                    TIME_INVALID
  SearchQueryError                QUERY_EMPTY_TEXT
  SearchLimitError                SEARCH_LIMIT
  IdError                         ID_INVALID
  IdAmbiguousError                ID_AMBIGUOUS
  RecordNotFoundError             RECORD_NOT_FOUND
  AlreadySupersededError          ALREADY_SUPERSEDED
  RecordEndedError                RECORD_ENDED
  OtherNamespaceError             OTHER_NAMESPACE
  BranchUnknownError              BRANCH_UNKNOWN
  RecordStagedError               RECORD_STAGED
  NotOnBranchError                NOT_ON_BRANCH
  NamespaceError                  NAMESPACE_UNKNOWN
  NamespaceInUseError             NAMESPACE_IN_USE
  ForgottenError                  FORGOTTEN
  ForgetKeyError                  FORGET_KEY
  TrustError                      TRUST_TOO_LOW
  PersonsRecordError              PERSONS_RECORD
  RecordChangedError              RECORD_CHANGED
  NothingToUndoError              NOTHING_TO_UNDO
  HomeError                       HOME_UNUSABLE
  ProjectGoneError                PROJECT_GONE
  ConfigKeyError                  CONFIG_KEY
  ConfigValueError                CONFIG_VALUE
  ConfigFileError                 CONFIG_UNREADABLE
  ConsentError                    CONSENT_REQUIRED
  BackupError                     BACKUP_UNUSABLE
  BackupTargetError               BACKUP_TARGET
  ReportTargetError               REPORT_TARGET
  ImportFileError                 IMPORT_UNREADABLE
  InstructionsChangedError        INSTRUCTIONS_STALE
  InstructionsLockedError         INSTRUCTIONS_LOCKED
  ChangeNumberError               CHANGE_UNKNOWN
  PlanChangedError                PLAN_STALE
  PayloadError                    HOOK_PAYLOAD
  ReplyShapeError                 REPLY_SHAPE
  SessionError                    SESSION_UNKNOWN
  ProposalError                   PROPOSAL_UNKNOWN
  WorkerBusyError                 WORKER_BUSY
  TranscriptError                 TRANSCRIPT_UNREADABLE
  ClientUnsupportedError          CLIENT_UNSUPPORTED
  ClientFileError                 CLIENT_FILE
  ClientBusyError                 CLIENT_BUSY
  ModelKeyError                   MODEL_KEY
  ModelPlaceError                 MODEL_PLACE
  ModelMoneyError                 MODEL_MONEY
  ModelUnknownError               MODEL_UNKNOWN
  ModelInputError                 MODEL_INPUT
  ModelBusyError                  MODEL_BUSY
  ModelDownError                  MODEL_DOWN
  ModelTimeoutError               MODEL_TIMEOUT
  ModelReplyError                 MODEL_REPLY
  ModelTruncatedError             MODEL_TRUNCATED
  ModelRefusedError               MODEL_REFUSED
  ContextProfileError             CONTEXT_PROFILE
  SpendSessionError               SPEND_SESSION
  SpendDayError                   SPEND_DAY

Each class owns its sentence, its code, its exit status and the next step; whoever
raises it supplies only the values named in the sentence (checked by a test). What the
files of a project can do wrong is in `corpus.errors`, what conversation memory
refuses is in `agentctx.memory.refusals`.
"""

from __future__ import annotations

from corpus.errors import CodedError
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import ClassVar, Literal


class TitleError(CodedError):
    code = "TITLE_INVALID"
    sentence = "`title` {reason}"
    hint = "write one line of 1 to 120 characters"
    extra = ("size", "limit")


class BodyError(CodedError):
    code = "BODY_INVALID"
    sentence = "`body` {reason}"
    hint = "write 1 to 2,000 characters: one fact, in 50 to 300 tokens"
    extra = ("size", "limit")


class NoteError(CodedError):
    code = "NOTE_INVALID"
    sentence = "`{field}` {reason}"
    hint = "write at most 2,000 characters, none of them a control character"
    extra = ("size", "limit")


class FieldError(CodedError):
    code = "FIELD_INVALID"
    sentence = "`{field}` is `{found}`; it is one of {known}"
    hint = "choose one of the values named"


class FileOutsideError(CodedError):
    code = "FILE_OUTSIDE"
    sentence = "`file` names no path inside the project: {found}"
    hint = "name a file of the project, by a path of at most 400 characters"
    extra = ("size",)


class BadTimeError(CodedError):
    code = "TIME_INVALID"
    sentence = "`{field}` is not a date or a moment: `{found}`"
    hint = "write `2026-03-01`, or `2026-03-01T14:30:00Z`"


class SearchQueryError(CodedError):
    code = "QUERY_EMPTY_TEXT"
    sentence = "`query` holds no word"
    hint = "give at least one word to look for"


class SearchLimitError(CodedError):
    code = "SEARCH_LIMIT"
    sentence = "`{field}` is {found}; it is a whole number from {minimum} to {maximum}"
    hint = "give a number in that range"


class IdError(CodedError):
    code = "ID_INVALID"
    sentence = "`{field}` is no record's id, nor the beginning or end of one: `{found}`"
    hint = "an id has 26 digits and capital letters; the last 6 are most often enough"


class IdAmbiguousError(CodedError):
    code = "ID_AMBIGUOUS"
    sentence = "`{found}` begins or ends the ids of {count} records: {records}"
    hint = "give more of the id; the end of one is seldom shared"
    extra = ("ids",)


class RecordNotFoundError(CodedError):
    code = "RECORD_NOT_FOUND"
    sentence = "no record of this project or of `_global` has the id `{record_id}`"
    hint = "look for it with `agentctx search`"


class AlreadySupersededError(CodedError):
    code = "ALREADY_SUPERSEDED"
    sentence = "`{record_id}` is an old version; the current one is {head}"
    hint = "name the current one; `agentctx history ID` shows every version"


class RecordEndedError(CodedError):
    code = "RECORD_ENDED"
    sentence = "`{record_id}` has ended; what superseded it, if anything, was deleted"
    hint = (
        "say what holds now with `agentctx add`, or bring back what was deleted with"
        " `agentctx undo`"
    )


class OtherNamespaceError(CodedError):
    code = "OTHER_NAMESPACE"
    sentence = "`{record_id}` belongs to another namespace and stays as it is"
    hint = "make a record of this project that says what holds here"


class BranchUnknownError(CodedError):
    code = "BRANCH_UNKNOWN"
    sentence = "nothing of this project is staged on a branch `{branch}`"
    hint = "see the branches with `agentctx branch status`"


class RecordStagedError(CodedError):
    code = "RECORD_STAGED"
    sentence = (
        "`{record_id}` is staged on the branch `{branch}` and not of the main line"
    )
    hint = "it joins with the branch, or now with `agentctx branch join`"


class NotOnBranchError(CodedError):
    code = "NOT_ON_BRANCH"
    sentence = "nothing can be staged here: {reason}"
    hint = "record it without `--branch`, or check out a branch first"


class NamespaceError(CodedError):
    code = "NAMESPACE_UNKNOWN"
    sentence = "`{found}` {reason}"
    hint = "see the namespaces that can be adopted with `agentctx project`"


class NamespaceInUseError(CodedError):
    code = "NAMESPACE_IN_USE"
    sentence = "`{found}` seems to be another project's: {reason}"
    hint = "work in that project; if the records are this one's all the same, `--force`"


class ForgottenError(CodedError):
    code = "FORGOTTEN"
    sentence = "this fact was deleted by a person and is not learned again"
    hint = "a person can state it again with `agentctx add`"


class ForgetKeyError(CodedError):
    code = "FORGET_KEY"
    sentence = "what was deleted cannot be recognized; its key, forget.key: {reason}"
    hint = (
        "put it back from the `.key` file beside a backup; if there is none, remove a"
        " damaged one: the next `agentctx delete` makes a new key, and what was deleted"
        " before may be learned again"
    )


class TrustError(CodedError):
    code = "TRUST_TOO_LOW"
    sentence = "`{record_id}` comes from {trust} and cannot be {wish}"
    hint = "a person can confirm it with `agentctx reinforce`"


class PersonsRecordError(CodedError):
    code = "PERSONS_RECORD"
    sentence = "`{record_id}` is what a person said; a {trust} does not replace it"
    hint = "ask the developer, who can change it with `agentctx profile edit`"


class RecordChangedError(CodedError):
    code = "RECORD_CHANGED"
    sentence = "`{record_id}` was made of `{item_id}` and changed by hand since"
    hint = (
        "it stays as it is; put it otherwise with `agentctx supersede ID`, or delete it"
        " and promote again"
    )


class NothingToUndoError(CodedError):
    code = "NOTHING_TO_UNDO"
    sentence = "no deletion of this project can be undone"
    hint = "see the copies in the store's folder with `agentctx restore --help`"


class HomeError(CodedError):
    code = "HOME_UNUSABLE"
    sentence = "the store's folder cannot be used: {reason}"
    hint = "let it be a folder of yours that nobody else can write"


class ProjectGoneError(CodedError):
    code = "PROJECT_GONE"
    sentence = "the folder that was named as the project is not there"
    hint = "open the project again; no other project answers for it"


class ConfigKeyError(CodedError):
    code = "CONFIG_KEY"
    sentence = "there is no setting `{key}`"
    hint = "list the settings with `agentctx config list`"


class ConfigValueError(CodedError):
    code = "CONFIG_VALUE"
    sentence = "setting `{key}` {reason}"
    hint = "see what it takes with `agentctx config list`"


class ConfigFileError(CodedError):
    code = "CONFIG_UNREADABLE"
    sentence = "config.json cannot be used: {reason}"
    hint = "repair it, or set it aside: every setting has a default"


class ConsentError(CodedError):
    code = "CONSENT_REQUIRED"
    sentence = "`{command}` was not confirmed; nothing was changed"
    hint = "confirm it on a terminal, or say `--yes`"


class BackupError(CodedError):
    code = "BACKUP_UNUSABLE"
    sentence = "`{path}` cannot be used as a backup: {reason}"
    hint = "name a file that `agentctx backup` wrote"


class BackupTargetError(CodedError):
    code = "BACKUP_TARGET"
    sentence = "no backup can be written to `{path}`: {reason}"
    hint = "name a new file in a folder that exists and that you can write"


class ReportTargetError(CodedError):
    code = "REPORT_TARGET"
    sentence = "no report can be written to `{path}`: {reason}"
    hint = "name a new file, or say `--force` where the file there may go"


class ImportFileError(CodedError):
    code = "IMPORT_UNREADABLE"
    sentence = "`{path}` cannot be imported: {reason}"
    hint = "name a file that `agentctx export` wrote"


class ClientUnsupportedError(CodedError):
    code = "CLIENT_UNSUPPORTED"
    sentence = "the settings of `{client}` are not written by us yet"
    hint = "register `agentctx mcp` there by hand: docs/clients.md says where"


class ClientFileError(CodedError):
    code = "CLIENT_FILE"
    sentence = "`{path}` cannot be edited and stays as it is: {reason}"
    hint = "repair it or set it aside, then try again"


class ClientBusyError(CodedError):
    code = "CLIENT_BUSY"
    sentence = "`{path}` is changed by another program again and again"
    hint = "end the client, then try again"


class ModelError(CodedError):
    """What went wrong between us and a model.

    `usage` are the tokens the service counted all the same, as `agentctx.llm` orders
    them; `cost_usd` is what they cost, with the most that attempts may have cost whose
    answer never came. `retry_after` are the seconds the service asked us to wait.
    `reached` says how far the question came: to nobody, to the service, or to the
    model, whose words are of no use then. Nothing here ever holds the key, the question
    or the answer.
    """

    retryable: ClassVar[bool] = False
    usage: tuple[int, int, int, int] = (0, 0, 0, 0)
    cost_usd: float = 0.0
    retry_after: float | None = None
    reached: Literal["nobody", "service", "model"] = "service"


class ModelKeyError(ModelError):
    code = "MODEL_KEY"
    sentence = "the key of the model's service {reason}"
    hint = (
        "set `ANTHROPIC_API_KEY` to a key that is valid, or extract without a model:"
        " `agentctx config --no-llm`"
    )


class ModelPlaceError(ModelError):
    code = "MODEL_PLACE"
    sentence = "`ANTHROPIC_BASE_URL` {reason}"
    hint = "unset it, or let it be an address such as `https://api.anthropic.com`"


class ModelMoneyError(ModelError):
    code = "MODEL_MONEY"
    sentence = "the account of the model's key cannot pay"
    hint = "add credit to the account, or use another key"


class ModelUnknownError(ModelError):
    code = "MODEL_UNKNOWN"
    sentence = "the service has no model `{model}` for this key"
    hint = (
        "choose another with `agentctx config set model NAME`; see ANTHROPIC_BASE_URL"
    )


class ModelInputError(ModelError):
    code = "MODEL_INPUT"
    sentence = "the model does not take the question: {reason}"
    hint = "what was asked is too long or of a form that this model does not know"


class ModelBusyError(ModelError):
    code = "MODEL_BUSY"
    retryable = True
    sentence = "the model's service is busy or over its limit: status {status}"
    hint = "nothing is lost; it is asked again later"


class ModelDownError(ModelError):
    code = "MODEL_DOWN"
    retryable = True
    sentence = "the model's service does not work: {reason}"
    hint = "look at the connection and ANTHROPIC_BASE_URL; it is asked again later"


class ModelTimeoutError(ModelError):
    code = "MODEL_TIMEOUT"
    retryable = True
    sentence = "the model did not answer within {seconds} seconds"
    hint = "nothing is lost; it is asked again later"


class ModelReplyError(ModelError):
    code = "MODEL_REPLY"
    retryable = True
    sentence = "the model's answer cannot be used: {reason}"
    hint = "it is asked again later; if it stays so, see ANTHROPIC_BASE_URL"


class ModelTruncatedError(ModelError):
    code = "MODEL_TRUNCATED"
    sentence = "the model's answer did not end within {limit} tokens"
    hint = "ask for less at once"


class ModelRefusedError(ModelError):
    code = "MODEL_REFUSED"
    sentence = "the model declined to answer"
    hint = "what was asked is left out; another model may answer it"


class TranscriptError(CodedError):
    code = "TRANSCRIPT_UNREADABLE"
    sentence = "`{path}` cannot be read as a transcript: {reason}"
    hint = "name the `.jsonl` file that the client keeps for the session"


class PayloadError(CodedError):
    code = "HOOK_PAYLOAD"
    sentence = "what the client sent to a hook cannot be used: {reason}"
    hint = "nothing was lost; if it goes on, run `agentctx init` again"


class ReplyShapeError(CodedError):
    code = "REPLY_SHAPE"
    sentence = "the model's answer is no object of the schema it was asked for"
    hint = "it is asked again later; if it goes on, choose another `model`"


class SessionError(CodedError):
    code = "SESSION_UNKNOWN"
    sentence = "`{session_id}` names no session of this project, or several"
    hint = "name a session that `agentctx review-session` lists"


class ProposalError(CodedError):
    code = "PROPOSAL_UNKNOWN"
    sentence = "no open proposal `{proposal_id}` is known here, or more than one"
    hint = "name one that `agentctx consolidate` lists"


class WorkerBusyError(CodedError):
    code = "WORKER_BUSY"
    sentence = "another process is at work on what sessions said"
    hint = "wait for it, or let it hurry with `agentctx work --now`"


class InstructionsChangedError(CodedError):
    code = "INSTRUCTIONS_STALE"
    sentence = "`{file}` changed since it was compared; nothing of it was written"
    hint = "run `agentctx sync` again and look at its changes as they are now"


class InstructionsLockedError(CodedError):
    code = "INSTRUCTIONS_LOCKED"
    sentence = "`{file}` cannot be written: {reason}"
    hint = "make it writable, or apply the diff yourself"


class ChangeNumberError(CodedError):
    code = "CHANGE_UNKNOWN"
    sentence = "`--apply` names no change: `{found}`; there are {count}"
    hint = "give `all`, or numbers that `agentctx sync` shows, such as `1,3`"


class PlanChangedError(CodedError):
    code = "PLAN_STALE"
    sentence = "the changes are no longer those of plan `{expected}`"
    hint = "run `agentctx sync` again; its answer names the plan as it is now"


class MemoryContractError(CodedError):
    """What conversation memory does not take; its own refusals are in its package."""


class ContextProfileError(CodedError):
    code = "CONTEXT_PROFILE"
    sentence = "the context of model `{model}` cannot be used: {reason}"
    hint = "give the window of the model, in tokens"


class SpendSessionError(CodedError):
    code = "SPEND_SESSION"
    sentence = "another answer may pass what a session may cost: {cap} US dollars"
    hint = "begin another session, or raise it: `agentctx config set spendPerSession N`"


class SpendDayError(CodedError):
    code = "SPEND_DAY"
    sentence = "another answer may pass what a day may cost: {cap} US dollars"
    hint = "go on tomorrow, or raise it: `agentctx config set spendPerDay N`"
