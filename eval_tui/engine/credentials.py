"""Credentials for the model API: found in the environment or in `.env`, never shown.

The environment wins over `.env` at the project root, name by name. An empty value is no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from eval_tui.engine.dotenv import ENV_FILE, read_env_file

Kind = Literal["key", "vertex", "bedrock"]

DEFAULT_VERTEX_REGION = "us-east5"


@dataclass(frozen=True)
class AwsIdentity:
    """Who signs a request to Bedrock; all empty where a bearer token does instead."""

    access_key: str = ""
    secret_key: str = ""
    session_token: str = ""
    profile: str = ""


@dataclass(frozen=True)
class Credentials:
    """How to reach a model. The repr holds no secret; equality tells whether anything changed."""

    kind: Kind
    name: str
    """The variable that decided, to be named to the person."""
    source: str
    """Where that variable is set: `the environment` or `.env`."""
    api_key: str = field(default="", repr=False)
    """An API key; for `vertex` an access token and for `bedrock` a bearer token, if given."""
    auth_token: str = field(default="", repr=False)
    base_url: str = field(default="", repr=False)
    """Where the API is, when that is not the usual place."""
    project: str = ""
    region: str = ""
    aws: AwsIdentity = field(default_factory=AwsIdentity, repr=False)

    @property
    def host(self) -> str:
        """The host that is asked, without user, password and path: fit to be shown."""
        if self.base_url:
            return _split(self.base_url).netloc.rpartition("@")[2] or "the address given"
        if self.kind == "key":
            return "api.anthropic.com"
        return f"{'Vertex AI' if self.kind == 'vertex' else 'Bedrock'} in {self.region}"

    @property
    def mark(self) -> str:
        """What tells these credentials from others without telling them. Not to be kept."""
        words = repr(tuple(vars(self).values()))
        return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def find_credentials(environ: Mapping[str, str], root: str) -> Credentials | None:
    """What `environ` and `.env` in the folder `root` hold; None when no model can be asked (D22).

    In this order: Vertex, an API key, an auth token, Bedrock.
    """
    own = {name: value.strip() for name, value in environ.items() if value.strip()}
    values = {**read_env_file(root, own), **own}
    get = values.get
    for kind, name in _DECIDING:
        if value := get(name):
            source = "the environment" if name in own else ENV_FILE
            found = Credentials(kind, name, source, base_url=get(_BASE_URL[kind], ""))
            break
    else:
        return _aws(values, own)
    fields = dict(vars(found))
    if kind == "vertex":
        region = get("CLOUD_ML_REGION") or DEFAULT_VERTEX_REGION
        fields.update(project=value, region=region, api_key=get("GCP_SA_ACCESS_TOKEN", ""))
    elif kind == "bedrock":
        fields.update(api_key=value, region=_aws_region(values))
    else:
        fields["auth_token" if name == "ANTHROPIC_AUTH_TOKEN" else "api_key"] = value
    return Credentials(**fields)


_DECIDING: tuple[tuple[Kind, str], ...] = (
    ("vertex", "ANTHROPIC_VERTEX_PROJECT_ID"),
    ("key", "ANTHROPIC_API_KEY"),
    ("key", "ANTHROPIC_AUTH_TOKEN"),
    ("bedrock", "AWS_BEARER_TOKEN_BEDROCK"),
)
_BASE_URL: dict[Kind, str] = {
    "vertex": "ANTHROPIC_VERTEX_BASE_URL",
    "key": "ANTHROPIC_BASE_URL",
    "bedrock": "ANTHROPIC_BEDROCK_BASE_URL",
}


def _aws_region(values: Mapping[str, str]) -> str:
    return values.get("AWS_REGION") or values.get("AWS_DEFAULT_REGION") or "us-east-1"


def _aws(values: Mapping[str, str], own: Mapping[str, str]) -> Credentials | None:
    """Bedrock with an AWS identity, only where what signs its requests is installed.

    Many have these variables for something else, and are better told to set a key.
    """
    get = values.get
    keys = get("AWS_ACCESS_KEY_ID", ""), get("AWS_SECRET_ACCESS_KEY", "")
    profile = get("AWS_PROFILE", "")
    if not (all(keys) or profile) or find_spec("boto3") is None:
        return None
    name = "AWS_ACCESS_KEY_ID" if all(keys) else "AWS_PROFILE"
    identity = AwsIdentity(*keys, get("AWS_SESSION_TOKEN", "")) if all(keys) else None
    return Credentials(
        "bedrock",
        name,
        "the environment" if name in own else ENV_FILE,
        base_url=get(_BASE_URL["bedrock"], ""),
        region=_aws_region(values),
        aws=identity or AwsIdentity(profile=profile),
    )


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
