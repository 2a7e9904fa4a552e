"""Texts that hold no secret, though they speak of them or look random."""

from __future__ import annotations

from tests.quality.secrets.made import made
from tests.quality.secrets.spoken import SPOKEN

_WRITTEN = r"""
password = <password>
password: "min 8 chars, 1 digit"
{"password": "Step 3 of 4: done"}
password = "expires in 30 days"
password: ${DB_PASSWORD}
PASSWORD=$DB_PASSWORD
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD", "")
const token = process.env.API_TOKEN;
token: {{ secret }}
token: {{ .Values.auth.token | quote }}
api_key: your-api-key
api_key = "YOUR_API_KEY"
API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx
password: ********
password=changeme
password: "changeme"
secret = None
secret: null
token = get_token()
token = request.headers["Authorization"]
token = self._token
token = user.access_token
def login(user: str, password: str) -> Token: ...
password: str = Field(min_length=8)
password: String!
private readonly token: string;
type Secret = string | null;
api_key: Optional[str] = None
access_token: str | None = None
password_file: /run/secrets/db_password
POSTGRES_PASSWORD_FILE=/run/secrets/postgres-passwd
private_key = "/etc/ssl/private/server.key"
private_key_path: ~/.ssh/id_ed25519
ssl_key = certs/server.pem
The password must have 16 characters, one digit and one symbol.
The token is a JWT and expires after 15 minutes.
Reset your password here: https://example.org/reset
token_url: https://auth.example.org/oauth/token
token_type: bearer
"token_type": "Bearer",
max_tokens: 4096
"max_tokens": 128000,
tokens=1234
total_tokens: 583922
token_count = len(tokens)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
password_hash_algorithm: argon2id
password: bcrypt
password_encryption = scram-sha-256
secret_name: prod/db/credentials-2024
secretName: wildcard-tls-cert-2024
secretKeyRef:
imagePullSecrets: [{name: regcred}]
secret: my-database-credentials-v2
key: value
primary_key=True
"primaryKey": "customer_id_2024_q1"
cache_key = f"user:{user_id}:v2"
SORT_KEY=created_at_2024_index_v3
sort_key: created_at#2024-01-15T00:00:00Z
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
-H "Authorization: Bearer ${GITHUB_TOKEN}"
-H 'Authorization: Bearer YOUR_ACCESS_TOKEN'
headers = {"Authorization": f"Bearer {token}"}
Authorization: Basic <base64 of user:password>
http://user:password@localhost:5432/db
postgres://user:pass@localhost/app
postgres://${USER}:${PASS}@db:5432/app
postgresql://postgres:postgres@localhost:5432/postgres
redis://:password@localhost:6379/0
https://<user>:<token>@github.com/org/repo.git
https://github.com/org/repo.git@v1.2.3
git@github.com:org/repo.git
ssh://git@github.com:22/org/repo.git
https://example.org:8443/path@2x/image.png
mysql -u root -p
mysql -u root -p"$MYSQL_PASSWORD" app < dump.sql
curl -u "$USER:$PASS" https://api.internal/v1/me
docker login -u bot -p "${REGISTRY_PASSWORD}" registry.internal
sshpass -e ssh deploy@host
sshpass -p "$PW" ssh deploy@host
redis-cli -a $REDIS_PASSWORD ping
gh auth login --with-token < token.txt
--password-stdin
vault kv get -field=password secret/app/db
op://Private/database/password
password: !vault |
password: ENC[AES256_GCM,data:...,type:str]
password: vault:secret/data/app#password
DB_PASSWORD: ${{ secrets.DB_PASSWORD }}
token: ${{ github.token }}
secret_key_base: <%= ENV["SECRET_KEY_BASE"] %>
password = config.get("database", "password")
password = input("Password: ")
password = getpass.getpass("Enter your password: ")
if password != confirm_password:
if password == "":
assert token == expected_token
user.password = hash_password(form.password)
passwords = load_passwords(path)
password1, password2 = form.password1, form.password2
<input type="password" name="password" id="password1">
<label for="password">Password:</label>
placeholder="Enter your password"
"password": "string"
"password": {"type": "string", "minLength": 8}
"secret": true,
"token": "",
'token': 'token',
token=token,
api_key=api_key, secret=secret
client_secret=settings.CLIENT_SECRET
client_secret = var.client_secret
client_id: 1234567890-example.apps.googleusercontent.com
AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
sk-your-key-here
OPENAI_API_KEY=sk-...
ANTHROPIC_API_KEY=sk-ant-...
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
tokens that begin with ghp_ are personal
`glpat-` is the prefix of a GitLab token
npm_config_registry=https://registry.npmjs.org
npm_package_version and npm_lifecycle_event
task-management-and-scheduling-for-distributed-teams
sk-fading-circle sk-folding-cube-container-inner
risk-assessment-for-the-third-quarter-of-the-year
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
The file starts with a BEGIN line and ends with an END line.
Пароль должен содержать не менее 8 символов.
Введите пароль: ________
Пароль: <ваш пароль>
токен доступа хранится в переменной окружения
密码必须至少包含8个字符
请输入密码：
密码：<你的密码>
パスワードを入力してください
パスワード: ********
La contraseña debe tener al menos 8 caracteres.
contraseña: <tu contraseña>
Le mot de passe doit contenir au moins 12 caractères.
mot de passe : ${MOT_DE_PASSE}
Das Passwort muss mindestens 12 Zeichen lang sein.
Passwort: <geheim>
비밀번호를 입력하세요
bypass = True
compass: north-by-northwest-2024
passenger_count: 1234567
passed: 12345678
The author of RFC6749 and RFC7519 wrote about tokens.
The session key is derived with HKDF-SHA256.
Tokens are signed with RS256 or ES256.
keyboard: qwertz-de-latin1-nodeadkeys
monkey=banana2024island
author: jane.doe2024
authority: login.microsoftonline.com
basic usage: see README2024.md
Basic authentication is described in section 4.2.
cookie: theme=dark; lang=en-US
Cookie banner shown on 2024-01-15
Set-Cookie: theme=light; Path=/; Max-Age=31536000
4111 1111 1111 1111
tracking number 1Z999AA10123456784
version: 1.2.3-beta.4+build.20240115
image: registry.internal/team/app:2024.01.15-rc1
font-family: "Helvetica Neue", Arial, sans-serif
from agentctx.redact import redact, contains_secret
test_password_reset_sends_an_email_with_token_v2
PASSWORD_RESET_TIMEOUT_SECONDS=86400
SESSION_TOKEN_TTL=3600
"pwd": "/home/dev/projects/app2024"
PWD=/home/dev/projects/app
OLDPWD=/srv/releases/20240115
cd "$(pwd)" && make
pass the salt
one pass, two passes, 3 passes
It will pass: 12 of 14 checks are green.
key=lambda item: item.created_at
sorted(rows, key=itemgetter("created_at"))
{"key": "ArrowLeft", "code": "ArrowLeft"}
i18n_key: settings.account.password.change
translation key: errors.password.too_short
password.change.title = Change your password
label.password=Password
error.token.invalid=The token is not valid
"""

_MADE = (
    "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43> deploy@host",
    "commit <H40>",
    "Merge <H7> into <H40>",
    "sha256:<H64>",
    "image: nginx@sha256:<H64>",
    '"integrity": "sha512-<B86>=="',
    'checksum = "<H64>"',
    "--hash=sha256:<H64> \\",
    "h1:<B43>=",
    "request id <G>",
    '{"session_id": "<G>", "uuid": "<G>"}',
    "trace_id=<H32> span_id=<H16>",
    "01<U24>",
    'ETag: "<H32>"',
    "md5 <H32>  release.tar.gz",
    "![logo](data:image/png;base64,<B400>)",
    'src="data:font/woff2;base64,<B300>"',
    "index <H7>..<H7> 100644",
    "https://cdn.internal/assets/app.<H20>.js",
    "s3://bucket/backups/<H32>/dump.sql.gz",
    "docker pull registry/app:<H12>",
    "container <H64> exited with 137",
    "build <D10> finished in 42 s",
    "0x<H40>",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ<B300> dev@host",
    "SHA256:<B43> deploy@host (ED25519)",
    "tool_use_id: toolu_01<A22>",
    "msg_01<A22>",
    "/var/pytest-of-dev/pytest-<D3>/test_tokens<D1>/out.json",
    "https://youtu.be/<A11>",
    "cus_<A14> and pi_<A24>",
    "price_<A24>",
    "pk_live_<A24>",
    'nonce="<B22>==" in the policy header',
    "arn:aws:iam::<D12>:role/deploy",
    "resource group rg-<G>",
    "x-request-id: <G>",
    "CF-RAY: <H16>-FRA",
    "AC<H32>",
    "-----BEGIN CERTIFICATE-----\n<K3>\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n<K3>\n-----END PUBLIC KEY-----",
)

NEGATIVES: tuple[str, ...] = (
    *_WRITTEN.strip("\n").split("\n"),
    *(made(pattern, "negative") for pattern in _MADE),
    *SPOKEN,
)
