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
  NamespaceError                  NAMESPACE_UNKNOWN
  NamespaceInUseError             NAMESPACE_IN_USE
  ForgottenError                  FORGOTTEN
  ForgetKeyError                  FORGET_KEY
  TrustError                      TRUST_TOO_LOW
  PersonsRecordError              PERSONS_RECORD
  NothingToUndoError              NOTHING_TO_UNDO
  HomeError                       HOME_UNUSABLE
  ProjectGoneError                PROJECT_GONE
  ConfigKeyError                  CONFIG_KEY
  ConfigValueError                CONFIG_VALUE
  ConfigFileError                 CONFIG_UNREADABLE
  ConsentError                    CONSENT_REQUIRED
  BackupError                     BACKUP_UNUSABLE
  BackupTargetError               BACKUP_TARGET
  ImportFileError                 IMPORT_UNREADABLE

Each class owns its sentence, its code, its exit status and the next step; whoever
raises it supplies only the values named in the sentence (checked by a test). What the
files of a project can do wrong is in `corpus.errors`.
"""

from __future__ import annotations

from corpus.errors import CodedError


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


class ImportFileError(CodedError):
    code = "IMPORT_UNREADABLE"
    sentence = "`{path}` cannot be imported: {reason}"
    hint = "name a file that `agentctx export` wrote"
