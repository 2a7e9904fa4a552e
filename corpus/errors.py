"""Every failure the corpus reports on purpose, drawn as a tree.

CodedError
  UsageError                      USAGE
  BugError                        BUG
  InterruptError                  INTERRUPTED
  BadScopeError                   POLICY_SCOPE
  RootNotFoundError               ROOT_NOT_FOUND
  RequiredFileError               CONTEXT_SCOPE
  ProjectIdError                  CONTEXT_PROJECT_ID
  ArtifactNotFoundError           ARTIFACT_NOT_FOUND
  PolicyMissingError              POLICY_MISSING
  PolicyParseError                POLICY_PARSE
  PolicySchemaError               POLICY_SCHEMA
  PolicyUnknownKeyError           POLICY_UNKNOWN_KEY
  PolicyVersionError              POLICY_VERSION
  PolicyProjectIdError            POLICY_PROJECT_ID
  PolicyProfileError              POLICY_PROFILE
  PolicyCapabilityError           POLICY_CAPABILITY
  PolicyProfileCapabilityError    POLICY_PROFILE_CAPABILITY
  PolicyWriteError                POLICY_WRITE_REQUIREMENTS
  PolicyDeniedError               POLICY_DENIED
  ContextLimitError               CONTEXT_LIMIT
  GrantLimitsError                TRUST_LIMITS
  KeyFileError                    INDEX_KEY
  LedgerError                     LEDGER_UNREADABLE
  IndexMissingError               INDEX_MISSING
  IndexPathError                  INDEX_PATH
  IndexCorruptError               INDEX_CORRUPT
  IndexSchemaError                INDEX_SCHEMA_MISMATCH
  IndexKeyError                   INDEX_KEY_MISMATCH
  IndexProjectError               INDEX_PROJECT_MISMATCH
  IndexStaleError                 INDEX_STALE
  QueryEmptyError                 QUERY_EMPTY
  QueryLimitError                 QUERY_LIMIT
  BudgetError                     BUDGET_INVALID
  BundleLimitError                BUNDLE_LIMIT
  BundleSchemaError               BUNDLE_SCHEMA
  BundleHashError                 BUNDLE_HASH
  BundleSizeError                 BUNDLE_SIZE
  BundleProjectError              BUNDLE_PROJECT
  ConsumerError                   CONSUMER_INVALID
  ReceiptItemsError               RECEIPT_ITEMS
  ReceiptSchemaError              RECEIPT_SCHEMA
  ReceiptMismatchError            RECEIPT_MISMATCH
  CandidateSchemaError            CANDIDATE_SCHEMA
  CandidateProjectError           CANDIDATE_PROJECT
  CandidateIdError                CANDIDATE_ID
  CandidateKindError              CANDIDATE_KIND
  CandidateStatementError         CANDIDATE_STATEMENT
  CandidateTimeError              CANDIDATE_TIME
  CandidateEvidenceError          CANDIDATE_EVIDENCE
  EvalSchemaError                 EVAL_SCHEMA
  EvalLimitError                  EVAL_LIMIT
  InputPathError                  CONTEXT_INPUT_PATH
  InputJsonError                  INPUT_JSON
  InitTargetError                 INIT_TARGET_EXISTS
  InitValueError                  INIT_VALUE
  OutputError                     OUTPUT_FAILED
  StoreForeignError               STORE_FOREIGN
  StoreTooNewError                STORE_TOO_NEW
  StoreCorruptError               STORE_CORRUPT
  StoreBusyError                  STORE_BUSY
  StoreUnusableError              STORE_UNUSABLE

Each class owns its sentence, its code, its exit status and the next step; whoever
raises it supplies only the values named in the sentence (checked by a test).
"""

from __future__ import annotations

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    Fact = str | int | Sequence[str]


class CodedError(Exception):
    """A failure we report on purpose.

    `code` is a contract with scripts and agents and never changes. `sentence` and
    `hint` are for people and may; where more is known at the place that fails, one
    error may carry a better hint than its class. `facts` repeats the values in the
    sentence, for machines; a fact that the sentence does not name is listed in `extra`.
    """

    code: ClassVar[str]
    exit_status: ClassVar[int] = 2
    sentence: ClassVar[str]
    hint: str
    extra: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **facts: Fact) -> None:
        super().__init__(self.sentence.format_map(facts))
        self.facts: dict[str, Fact] = facts


class UsageError(CodedError):
    code = "USAGE"
    sentence = "{problem}"
    hint = "run the command with `--help` to see what it takes"


class BugError(CodedError):
    code = "BUG"
    exit_status = 70
    sentence = "unexpected {kind} at {place}"
    hint = "this is a defect; please report the line above with what you ran"


class InterruptError(CodedError):
    code = "INTERRUPTED"
    exit_status = 130
    sentence = "interrupted"
    hint = "run the command again; nothing was left half done"


class BadScopeError(CodedError):
    code = "POLICY_SCOPE"
    sentence = "scope `{scope}` cannot be used: {reason}"
    hint = "write a relative pattern such as `.project-corpus/reports/**`"


class RootNotFoundError(CodedError):
    code = "ROOT_NOT_FOUND"
    sentence = "no `.project-corpus` folder in `{root}` or above it"
    hint = "go to the project, name its folder, or create a corpus with `init`"


class RequiredFileError(CodedError):
    code = "CONTEXT_SCOPE"
    sentence = "`{path}` is indispensable and cannot be used: {reason}"
    hint = "restore the file and let the policy's `read` scopes cover it"


class ProjectIdError(CodedError):
    code = "CONTEXT_PROJECT_ID"
    sentence = "`{path}` has no valid `Project-ID`, or not the policy's"
    hint = "write the same `Project-ID` in policy.toml and PROJECT.md"


class ArtifactNotFoundError(CodedError):
    code = "ARTIFACT_NOT_FOUND"
    sentence = "no source in scope is named `{name}`"
    hint = "list what is in scope with `project-corpus timeline`"


class PolicyMissingError(CodedError):
    code = "POLICY_MISSING"
    sentence = "`{path}` cannot be read: {reason}"
    hint = "create it with `project-corpus init` or restore it"


class PolicyParseError(CodedError):
    code = "POLICY_PARSE"
    sentence = "policy.toml is not valid TOML: {reason}"
    hint = "repair the file at the place named"


class PolicySchemaError(CodedError):
    code = "POLICY_SCHEMA"
    sentence = "policy field `{field}` {reason}"
    hint = "see the fields and an example in docs/policy.md"


class PolicyUnknownKeyError(CodedError):
    code = "POLICY_UNKNOWN_KEY"
    sentence = "policy key `{field}` is unknown"
    hint = "remove the key or correct its spelling"


class PolicyVersionError(CodedError):
    code = "POLICY_VERSION"
    sentence = "policy_version is `{found}`, not `2.0`"
    hint = 'write `policy_version = "2.0"`'


class PolicyProjectIdError(CodedError):
    code = "POLICY_PROJECT_ID"
    sentence = "project_id `{found}` is not an id"
    hint = "use 3 to 64 of a-z, 0-9, dot, underscore and hyphen"


class PolicyProfileError(CodedError):
    code = "POLICY_PROFILE"
    sentence = "profile `{found}` is unknown"
    hint = "use READ_ONLY, SAFE_EDIT or MAINTAINER"


class PolicyCapabilityError(CodedError):
    code = "POLICY_CAPABILITY"
    sentence = "capability `{capability}` is unknown"
    hint = "see the list of capabilities in the documentation of policies"


class PolicyProfileCapabilityError(CodedError):
    code = "POLICY_PROFILE_CAPABILITY"
    sentence = "profile {profile} does not hold `{capability}`"
    hint = "choose a wider profile or remove the capability"


class PolicyWriteError(CodedError):
    code = "POLICY_WRITE_REQUIREMENTS"
    sentence = "write scopes need `{field}` to be true"
    hint = "set expected_hash, verified_readback and audit_receipt to true"


class PolicyDeniedError(CodedError):
    code = "POLICY_DENIED"
    sentence = "the policy does not allow `{capability}`"
    hint = "the owner can add it to `[capabilities] allow` in policy.toml"


class ContextLimitError(CodedError):
    code = "CONTEXT_LIMIT"
    sentence = "{count} {limit} exceed the limit of {maximum}; largest: {largest}"
    hint = "move old material out of scope, or let the owner's grant raise the limit"


class GrantLimitsError(CodedError):
    code = "TRUST_LIMITS"
    sentence = "the owner's grant cannot be used for limits: {reason}"
    hint = "the owner can correct the grant's `[limits]` table or its permissions"


class KeyFileError(CodedError):
    code = "INDEX_KEY"
    sentence = "the private index key cannot be used: {reason}"
    hint = "remove the key file and build again; an index made with it is rebuilt"


class LedgerError(CodedError):
    code = "LEDGER_UNREADABLE"
    sentence = "the receipt ledger cannot be used: {reason}"
    hint = "check its folder's permissions; set a damaged ledger aside to start anew"


class IndexMissingError(CodedError):
    code = "INDEX_MISSING"
    sentence = "no index at `{path}`"
    hint = "run `project-corpus context build`, or query with `--refresh`"


class IndexPathError(CodedError):
    code = "INDEX_PATH"
    sentence = "`{path}` cannot be the index: {reason}"
    hint = "name a `.sqlite3` file directly inside `.project-corpus/cache/`"


class IndexCorruptError(CodedError):
    code = "INDEX_CORRUPT"
    sentence = "the index at `{path}` is damaged: {reason}"
    hint = "run `project-corpus context build`; nothing is lost"


class IndexSchemaError(CodedError):
    code = "INDEX_SCHEMA_MISMATCH"
    sentence = "the index has layout `{found}`, not `{known}`"
    hint = "run `project-corpus context build`; nothing is lost"


class IndexKeyError(CodedError):
    code = "INDEX_KEY_MISMATCH"
    sentence = "the index was made with another private key"
    hint = "run `project-corpus context build`; nothing is lost"


class IndexProjectError(CodedError):
    code = "INDEX_PROJECT_MISMATCH"
    sentence = "the index belongs to project `{found}`, not `{expected}`"
    hint = "run `project-corpus context build`; nothing is lost"


class IndexStaleError(CodedError):
    code = "INDEX_STALE"
    sentence = "{count} sources differ from the index"
    hint = "run `project-corpus context build`, or query with `--refresh`"
    extra = ("changed", "added", "removed")

    def __str__(self) -> str:
        if self.facts["count"] == 1:
            return "1 source differs from the index"
        return super().__str__()


class QueryEmptyError(CodedError):
    code = "QUERY_EMPTY"
    sentence = "the query is empty"
    hint = "give at least one word to look for"


class QueryLimitError(CodedError):
    code = "QUERY_LIMIT"
    sentence = "limit `{found}` is not a number from {minimum} to {maximum}"
    hint = "give a whole number in that range"


class BudgetError(CodedError):
    code = "BUDGET_INVALID"
    sentence = "max_tokens `{found}` is not a number from {minimum} to {maximum}"
    hint = "give a whole number in that range"


class BundleLimitError(CodedError):
    code = "BUNDLE_LIMIT"
    sentence = "the bundle needs {count} bytes; the envelope holds {maximum}"
    hint = "ask with a shorter query"


class BundleSchemaError(CodedError):
    code = "BUNDLE_SCHEMA"
    sentence = "bundle field `{field}` {reason}"
    hint = "use a bundle exactly as `context bundle` printed it"


class BundleHashError(CodedError):
    code = "BUNDLE_HASH"
    sentence = "the bundle's content does not match its `bundle_sha256`"
    hint = "compile the bundle again; do not trust this one"


class BundleSizeError(CodedError):
    code = "BUNDLE_SIZE"
    sentence = "the bundle is {count} bytes, not the {expected} it states"
    hint = "compile the bundle again; do not trust this one"


class BundleProjectError(CodedError):
    code = "BUNDLE_PROJECT"
    sentence = "the bundle belongs to project `{found}`, not `{expected}`"
    hint = "verify it in the project it was made for"


class ConsumerError(CodedError):
    code = "CONSUMER_INVALID"
    sentence = "consumer must be 1 to 128 printable characters"
    hint = "name the agent or person that got the bundle"


class ReceiptItemsError(CodedError):
    code = "RECEIPT_ITEMS"
    sentence = "delivered id `{item}` is repeated or not in the bundle"
    hint = "give item ids from the bundle, each once"


class ReceiptSchemaError(CodedError):
    code = "RECEIPT_SCHEMA"
    sentence = "receipt field `{field}` {reason}"
    hint = "use a receipt exactly as `context receipt` printed it"


class ReceiptMismatchError(CodedError):
    code = "RECEIPT_MISMATCH"
    sentence = "receipt field `{field}` does not match the bundle"
    hint = "verify the receipt with the bundle it was made for"


class CandidateSchemaError(CodedError):
    code = "CANDIDATE_SCHEMA"
    sentence = "candidate field `{field}` {reason}"
    hint = "see the fields and an example in docs/formats.md"


class CandidateProjectError(CodedError):
    code = "CANDIDATE_PROJECT"
    sentence = "candidate field `project_id` is not `{expected}`"
    hint = "validate it in the project it was written for"


class CandidateIdError(CodedError):
    code = "CANDIDATE_ID"
    sentence = "candidate field `candidate_id` is not an id"
    hint = "use 3 to 64 of a-z, 0-9, dot, underscore and hyphen"


class CandidateKindError(CodedError):
    code = "CANDIDATE_KIND"
    sentence = "candidate field `kind` is not one of {known}"
    hint = "choose one of the kinds named"


class CandidateStatementError(CodedError):
    code = "CANDIDATE_STATEMENT"
    sentence = "candidate field `statement` {reason}"
    hint = "write 1 to 4,000 printable characters"


class CandidateTimeError(CodedError):
    code = "CANDIDATE_TIME"
    sentence = "candidate field `created_at` {reason}"
    hint = "write UTC as `YYYY-MM-DDThh:mm:ssZ`"


class CandidateEvidenceError(CodedError):
    code = "CANDIDATE_EVIDENCE"
    sentence = "candidate field `{field}` {reason}"
    hint = "cite a source in scope by its current hash and a line that has text"


class EvalSchemaError(CodedError):
    code = "EVAL_SCHEMA"
    sentence = "case {case}: `{field}` {reason}"
    hint = "see the fields and an example in docs/formats.md"

    def __str__(self) -> str:
        field, reason = self.facts["field"], self.facts["reason"]
        if self.facts["case"] != 0:
            return super().__str__()
        if field in {"dataset", "baseline"}:
            return f"the {field} {reason}"
        return f"the dataset: `{field}` {reason}"


class EvalLimitError(CodedError):
    code = "EVAL_LIMIT"
    sentence = "{count} cases exceed the limit of {maximum}"
    hint = "split the dataset"


class InputPathError(CodedError):
    code = "CONTEXT_INPUT_PATH"
    sentence = "`{path}` cannot be the input: {reason}"
    hint = "name a regular file of at most 1 MiB"

    def __init__(self, **facts: Fact) -> None:
        super().__init__(**facts)
        if facts["reason"] == "not found":
            self.hint = "check the path; it counts from the folder you are in"
        elif facts["reason"] == "it lies outside the project":
            self.hint = "name a file inside the project, or copy it there"


class InputJsonError(CodedError):
    code = "INPUT_JSON"
    sentence = "`{path}` is not usable JSON: {reason}"
    hint = "write UTF-8 JSON without repeated keys, nested at most 64 deep"


class InitTargetError(CodedError):
    code = "INIT_TARGET_EXISTS"
    sentence = "`{path}` already exists; nothing was written"
    hint = (
        "choose another folder, or add files to a corpus that is there with"
        " `--from-existing --apply`"
    )


class InitValueError(CodedError):
    code = "INIT_VALUE"
    sentence = "`{field}` cannot be `{found}`: {reason}"
    hint = "give another value with its option"


class OutputError(CodedError):
    code = "OUTPUT_FAILED"
    sentence = "cannot write: {reason}"
    hint = "check the permissions and free space of the place named"


class StoreForeignError(CodedError):
    code = "STORE_FOREIGN"
    sentence = "the store is another program's file, or no database: {reason}"
    hint = "nothing was changed; `doctor --repair` sets the file aside whole"


class StoreTooNewError(CodedError):
    code = "STORE_TOO_NEW"
    sentence = "the store has layout {found}; this program knows {known}"
    hint = "nothing was changed; use the newer version of this program"


class StoreCorruptError(CodedError):
    code = "STORE_CORRUPT"
    sentence = "the store is damaged: {reason}"
    hint = "nothing was changed; `doctor --repair` sets the file aside whole"


class StoreBusyError(CodedError):
    code = "STORE_BUSY"
    sentence = "other writers held the store for {seconds} seconds"
    hint = "try again; nothing was lost"


class StoreUnusableError(CodedError):
    code = "STORE_UNUSABLE"
    sentence = "the system does not let us use the store: {reason}"
    hint = "look at the disk's space and at who may write the file; nothing was changed"
