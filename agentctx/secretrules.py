"""The table of secrets that have a shape of their own, with date and source family.

A rule is tried only where one of its anchors stands, so that a text without anchors
costs a search for literals. Every pattern takes time in the length of what it matches:
nothing that can fail follows a repeat without a bound.
"""

from __future__ import annotations

import re
from functools import cache

from corpus.keyshapes import KEY_SHAPES
from corpus.values import NamedTuple

TABLE_DATE = "2026-11-30"
"""When the whole table was last gone through."""

DOCUMENTED = "the issuer's documentation"
OBSERVED = "the observed form of issued keys"
FORMAT = "a public format description"


class Rule(NamedTuple):
    """One kind of secret: what it begins with and what follows.

    `body` is matched right after an anchor, or from `back` characters before it. Its
    group `s`, where it has one, is the secret's part of the match; its group `k` has to
    take part in the match. `loose` marks a shape that words can have too, so that the
    match has to look random as well.
    """

    name: str
    source: str
    anchors: tuple[str, ...]
    body: str
    back: int | None = None
    loose: bool = False
    since: str = TABLE_DATE


_SHARED_NAMES = {
    "aws": "aws-access-key-id",
    "github": "github-token",
    "gitlab": "gitlab-token",
    "slack": "slack-token",
    "google": "google-api-key",
    "stripe": "stripe-key",
    "model": "model-api-key",
    "package": "package-token",
    "mail": "sendgrid-key",
}
"""Rules whose shape the corpus' own checks know too."""


def _shared() -> tuple[Rule, ...]:
    return tuple(
        Rule(
            _SHARED_NAMES[shape.name],
            DOCUMENTED,
            shape.anchors,
            shape.pattern,
            back=0,
            loose=shape.name == "model",
        )
        for shape in KEY_SHAPES
        if shape.name in _SHARED_NAMES
    )


def _rule(
    name: str, source: str, anchors: str, body: str, back: int | None = None
) -> Rule:
    return Rule(name, source, tuple(anchors.split()), body, back)


_HEX = "[0-9a-f]"
_WORD = "[A-Za-z0-9]"
_OPEN = r"[A-Za-z0-9_-]"

_CLOUDS = (
    _rule(
        "aws-secret-access-key",
        DOCUMENTED,
        "AKIA ASIA",
        r"[0-9A-Z]{16}[\s,:;|/\"'=]{1,4}(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _rule(
        "docker-config",
        FORMAT,
        "dockerconfigjson dockercfg",
        r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<s>[A-Za-z0-9+/]{30,}={0,2})",
    ),
    _rule("aws-access-key-id", DOCUMENTED, "ABIA ACCA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _rule("aws-mws-token", DOCUMENTED, "amzn.mws.", r"[0-9a-f-]{36,}"),
    _rule("aws-signature", DOCUMENTED, "X-Amz-Signature=", f"(?P<s>{_HEX}{{64}})"),
    _rule(
        "aws-session-token",
        DOCUMENTED,
        "X-Amz-Security-Token=",
        r"(?P<s>[A-Za-z0-9%/+=_-]{40,})",
    ),
    _rule("google-oauth-token", OBSERVED, "ya29.", r"[\w-]{20,}"),
    _rule("google-client-secret", OBSERVED, "GOCSPX-", rf"{_OPEN}{{20,}}"),
    _rule("google-refresh-token", OBSERVED, "1//0", rf"{_OPEN}{{40,}}"),
    _rule("google-signature", DOCUMENTED, "X-Goog-Signature=", f"(?P<s>{_HEX}{{64,}})"),
    _rule(
        "azure-client-secret",
        OBSERVED,
        "8Q~ 7Q~",
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}",
        back=3,
    ),
    _rule(
        "azure-account-key",
        DOCUMENTED,
        "AccountKey= SharedAccessKey= SharedSecretKey= accountkey=",
        r"(?P<s>[A-Za-z0-9+/]{20,}={0,2})",
    ),
    _rule(
        "azure-sas-signature",
        DOCUMENTED,
        "?sig= &sig= &amp;sig= SharedAccessSignature=sig=",
        r"(?P<s>[A-Za-z0-9%+/]{20,}(?:%3[Dd]|=){0,2})",
    ),
    _rule(
        "digitalocean-token", DOCUMENTED, "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{40,}}"
    ),
    _rule("heroku-key", DOCUMENTED, "HRKU-", rf"{_OPEN}{{30,}}"),
    _rule("alibaba-key-id", DOCUMENTED, "LTAI", r"[A-Za-z0-9]{16,26}(?![\w-])"),
    _rule("tencent-secret-id", OBSERVED, "AKID", r"[A-Za-z0-9]{32}(?![\w-])"),
    _rule("yandex-token", OBSERVED, "y0_AgAAA y0__xD AQVN", rf"{_OPEN}{{30,}}"),
    _rule("cloudflare-origin-key", DOCUMENTED, "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,}"),
    _rule("cloudflare-token", DOCUMENTED, "cfut_ cfat_ cfk_", rf"{_OPEN}{{36,}}"),
    _rule("fly-token", OBSERVED, "fo1_ fm1_ fm2_", r"[A-Za-z0-9+/=_,-]{40,}"),
    _rule("render-key", OBSERVED, "rnd_", f"{_WORD}{{28,}}"),
    _rule("vercel-token", DOCUMENTED, "vcp_ vci_ vca_ vcr_ vck_", rf"{_OPEN}{{24,}}"),
    _rule("vercel-blob-token", DOCUMENTED, "vercel_blob_rw_", rf"{_OPEN}{{24,}}"),
    _rule("netlify-token", DOCUMENTED, "nfp_ nfc_ nfo_ nfu_", f"{_WORD}{{32,}}"),
    _rule("tailscale-key", DOCUMENTED, "tskey-", r"[a-z]{2,12}-[A-Za-z0-9-]{16,}"),
)

_CODE_HOSTS = (
    _rule("github-token", DOCUMENTED, "ghp_ gho_ ghu_ ghs_ ghr_", f"{_WORD}{{16,}}"),
    _rule(
        "gitlab-token",
        DOCUMENTED,
        "gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-",
        r"[\w.-]{20,}",
    ),
    _rule("gitlab-runner-token", DOCUMENTED, "GR1348941", rf"{_OPEN}{{20,}}"),
    _rule("bitbucket-token", OBSERVED, "ATBB", f"{_WORD}{{24,}}"),
    _rule("bitbucket-data-center-token", DOCUMENTED, "BBDC-", r"[A-Za-z0-9+/@_-]{40,}"),
    _rule("atlassian-token", DOCUMENTED, "ATATT3 ATCTT3 ATSTT3", r"[\w=-]{40,}"),
    _rule("npm-token", DOCUMENTED, "npm_", f"{_WORD}{{30,}}"),
    _rule("pypi-token", DOCUMENTED, "pypi-AgE pypi-AgN", rf"{_OPEN}{{50,}}"),
    _rule("rubygems-key", DOCUMENTED, "rubygems_", f"{_HEX}{{40,}}"),
    _rule("nuget-key", OBSERVED, "oy2", r"[a-z0-9]{43}(?![\w-])"),
    _rule("clojars-token", DOCUMENTED, "CLOJARS_", r"[a-z0-9]{50,}"),
    _rule("crates-token", OBSERVED, "cio", r"[A-Za-z0-9]{32}(?![\w-])"),
    _rule("docker-hub-token", DOCUMENTED, "dckr_pat_ dckr_oat_", rf"{_OPEN}{{20,}}"),
    _rule("jfrog-key", OBSERVED, "AKCp", f"{_WORD}{{60,}}"),
    _rule("circleci-token", DOCUMENTED, "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9_]{30,}"),
    _rule("buildkite-token", DOCUMENTED, "bkua_ bkpt_", f"{_HEX}{{40,}}"),
    _rule("sonar-token", DOCUMENTED, "sqp_ squ_ sqa_", f"{_HEX}{{40,}}"),
    _rule(
        "doppler-token",
        DOCUMENTED,
        "dp.st. dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"(?:[a-z0-9_-]{1,35}\.)?[A-Za-z0-9]{30,}",
    ),
    _rule("vault-token", DOCUMENTED, "hvs. hvb. hvr.", rf"{_OPEN}{{20,}}"),
    _rule(
        "terraform-cloud-token",
        DOCUMENTED,
        ".atlasv1.",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",
        back=14,
    ),
    _rule("pulumi-token", DOCUMENTED, "pul-", f"{_HEX}{{40}}"),
    _rule("postman-key", DOCUMENTED, "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _rule("age-secret-key", FORMAT, "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    _rule("onepassword-token", DOCUMENTED, "ops_eyJ", r"[A-Za-z0-9+/_=-]{100,}"),
)

_MESSAGING = (
    _rule(
        "slack-token", DOCUMENTED, "xapp- xoxc- xoxd- xoxe.xox", r"[A-Za-z0-9%.-]{20,}"
    ),
    _rule(
        "slack-webhook",
        DOCUMENTED,
        "hooks.slack.com/",
        r"(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9+/_]{30,})",
    ),
    _rule(
        "discord-webhook",
        DOCUMENTED,
        "discord.com/api/ discordapp.com/api/ ptb.discord.com/api/",
        r"(?:v[0-9]{1,2}/)?webhooks/(?P<s>[0-9]{15,21}/[\w-]{40,})",
    ),
    _rule(
        "teams-webhook",
        DOCUMENTED,
        "webhook.office.com/",
        r"webhookb2/(?P<s>[\w@/-]{60,})",
    ),
    _rule(
        "discord-bot-token",
        OBSERVED,
        "MT Mj Mz ND NT Nj Nz OD OT",
        r"[A-Za-z0-9_-]{21,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![\w-])",
    ),
    _rule(
        "telegram-bot-token",
        DOCUMENTED,
        ":AA",
        r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![\w-])",
        back=10,
    ),
    _rule("twilio-key", DOCUMENTED, "SK", rf"{_HEX}{{32}}(?![\w-])"),
    _rule("sendgrid-key", DOCUMENTED, "SG.", r"[\w-]{16,32}\.[\w-]{16,}"),
    _rule("mailgun-key", DOCUMENTED, "key-", rf"{_HEX}{{32}}(?![\w-])"),
    _rule(
        "mailchimp-key",
        DOCUMENTED,
        "-us",
        rf"(?<![A-Za-z0-9]){_HEX}{{32}}-us[0-9]{{1,2}}(?![\w-])",
        back=32,
    ),
    _rule(
        "brevo-key", DOCUMENTED, "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"
    ),
    _rule("resend-key", OBSERVED, "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    _rule("postmark-or-vk-token", OBSERVED, "vk1.a.", rf"{_OPEN}{{60,}}"),
)

_PAYMENTS = (
    _rule(
        "stripe-key",
        DOCUMENTED,
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_",
        r"[A-Za-z0-9_]{16,}",
    ),
    _rule("stripe-webhook-secret", DOCUMENTED, "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    _rule("square-token", DOCUMENTED, "sq0atp- sq0csp-", rf"{_OPEN}{{22,}}"),
    _rule("square-access-token", OBSERVED, "EAAA", rf"{_OPEN}{{58,}}"),
    _rule("facebook-token", OBSERVED, "EAAC EAAG EAAB", f"{_WORD}{{80,}}"),
    _rule(
        "braintree-token",
        DOCUMENTED,
        "access_token$production$ access_token$sandbox$",
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    _rule(
        "shopify-token",
        DOCUMENTED,
        "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_",
        "[0-9a-fA-F]{32,}",
    ),
    _rule("easypost-key", DOCUMENTED, "EZAK EZTK", f"{_WORD}{{54}}"),
    _rule("shippo-key", DOCUMENTED, "shippo_live_ shippo_test_", f"{_HEX}{{40}}"),
    _rule("hubspot-token", DOCUMENTED, "pat-na1- pat-na2- pat-eu1-", r"[0-9a-f-]{36}"),
)

_MODELS = (
    _rule("anthropic-key", DOCUMENTED, "sk-ant-", rf"{_OPEN}{{32,}}"),
    _rule(
        "openai-key",
        DOCUMENTED,
        "sk-proj- sk-svcacct- sk-admin- sk-None-",
        rf"{_OPEN}{{32,}}",
    ),
    _rule("openrouter-key", DOCUMENTED, "sk-or-v1-", f"{_HEX}{{40,}}"),
    _rule("huggingface-token", DOCUMENTED, "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    _rule("replicate-token", DOCUMENTED, "r8_", f"{_WORD}{{36,}}"),
    _rule("groq-key", DOCUMENTED, "gsk_", f"{_WORD}{{40,}}"),
    _rule("perplexity-key", DOCUMENTED, "pplx-", f"{_WORD}{{40,}}"),
    _rule("xai-key", DOCUMENTED, "xai-", f"{_WORD}{{60,}}"),
    _rule("nvidia-key", DOCUMENTED, "nvapi-", rf"{_OPEN}{{50,}}"),
    _rule("tavily-key", DOCUMENTED, "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9]{28,}"),
    _rule(
        "langsmith-key", DOCUMENTED, "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"
    ),
    _rule("pinecone-key", DOCUMENTED, "pcsk_", rf"{_OPEN}{{50,}}"),
    _rule("fireworks-key", OBSERVED, "fw_", f"{_WORD}{{22,}}"),
)

_SERVICES = (
    _rule(
        "databricks-token",
        DOCUMENTED,
        "dapi dkea",
        rf"{_HEX}{{32}}(?:-[0-9])?(?![\w-])",
    ),
    _rule(
        "newrelic-key",
        DOCUMENTED,
        "NRAK- NRII- NRRA- NRAA- NRIQ- NRSP-",
        r"[A-Za-z0-9_-]{19,}",
    ),
    _rule(
        "sentry-token",
        DOCUMENTED,
        "sntrys_ sntryu_ sntrya_ sntryi_",
        r"[A-Za-z0-9+/=_-]{32,}",
    ),
    _rule("grafana-token", DOCUMENTED, "glsa_ glc_", r"[A-Za-z0-9+/=_]{32,}"),
    _rule(
        "dynatrace-token",
        DOCUMENTED,
        "dt0c01. dt0s01. dt0s16.",
        r"[A-Z0-9]{24}\.[A-Z0-9]{40,}",
    ),
    _rule("linear-key", DOCUMENTED, "lin_api_ lin_oauth_ lin_wh_", f"{_WORD}{{32,}}"),
    _rule("notion-token", DOCUMENTED, "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    _rule("airtable-token", DOCUMENTED, "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _rule(
        "asana-token",
        OBSERVED,
        "0/ 1/ 2/",
        r"[0-9]{13,19}(?:/[0-9]{13,19})?:[0-9a-f]{32}",
    ),
    _rule("figma-token", DOCUMENTED, "figd_ figo_ figu_", rf"{_OPEN}{{36,}}"),
    _rule(
        "supabase-key",
        DOCUMENTED,
        "sbp_ sb_secret_ sbs_",
        r"(?:oauth_|v0_)?[A-Za-z0-9_-]{28,}",
    ),
    _rule(
        "planetscale-token",
        DOCUMENTED,
        "pscale_tkn_ pscale_pw_ pscale_oauth_",
        r"[\w.=-]{30,}",
    ),
    _rule("posthog-key", DOCUMENTED, "phx_ phs_", f"{_WORD}{{40,}}"),
    _rule("readme-key", DOCUMENTED, "rdme_", r"[a-z0-9]{60,}"),
    _rule("contentful-token", DOCUMENTED, "CFPAT-", rf"{_OPEN}{{43}}"),
    _rule("typeform-token", DOCUMENTED, "tfp_", r"[A-Za-z0-9_.=-]{50,}"),
    _rule("confluent-or-jira-token", OBSERVED, "ATOA", f"{_WORD}{{60,}}"),
    _rule("npmrc-basic", FORMAT, ":_auth=", r"(?P<s>[A-Za-z0-9+/]{12,}={0,2})"),
    _rule(
        "web-token",
        FORMAT,
        "eyJ",
        r"[\w-]{8,}(?P<k>\.eyJ[\w-]{8,}(?:\.[\w-]*)?|(?:\.[\w-]{10,}){4})?",
    ),
)

RULES: tuple[Rule, ...] = (
    *_MODELS,
    *_shared(),
    *_CLOUDS,
    *_CODE_HOSTS,
    *_MESSAGING,
    *_PAYMENTS,
    *_SERVICES,
)
"""Every rule, the more telling first: where two fire on a place, the first names it."""


@cache
def anchors() -> dict[str, tuple[Rule, ...]]:
    """Map every anchor to its rules, in the table's order."""
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in RULES:
        for anchor in rule.anchors:
            found[anchor] = (*found.get(anchor, ()), rule)
    return found


@cache
def compiled(body: str) -> re.Pattern[str]:
    """Compile a rule's body when its anchor is first met."""
    return re.compile(body, re.ASCII)
