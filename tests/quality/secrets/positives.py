"""Texts that hold a made-up secret, each with that secret.

A shaped key stands in contexts that say nothing about it. A password or a key without
a shape stands where its name, or its place, gives it away.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.quality.secrets.kinds import CONTEXTS, SHAPED
from tests.quality.secrets.made import made
from tests.quality.secrets.plain import PLAIN


class Positive(NamedTuple):
    """A text, and the characters that must be gone from it."""

    name: str
    text: str
    secret: str


_NAMED: tuple[tuple[str, str], ...] = (
    # env files, shells
    ("DB_PASSWORD={}", "<P14>"),
    ("export POSTGRES_PASSWORD={}", "<L20>"),
    ("MYSQL_PWD='{}' mysqldump app", "<P12>"),
    ("PGPASSWORD={} psql -h db.internal -U app", "<A16>"),
    ("set SMTP_PASS={}\r\n", "<P12>"),
    ('$env:ADMIN_PASSWORD = "{}"', "<P16>"),
    ("ENV APP_SECRET {}", "<A40>"),
    ("ARG NPM_TOKEN={}", "<G>"),
    ("TWILIO_AUTH_TOKEN={}", "<H32>"),
    ("HEROKU_API_KEY={}", "<G>"),
    ("CLOUDFLARE_API_TOKEN={}", "<W40>"),
    ("FASTLY_API_TOKEN={}", "<W32>"),
    ("DD_API_KEY={}", "<H32>"),
    ("DD_APP_KEY={}", "<H40>"),
    ("COHERE_API_KEY={}", "<A40>"),
    ("VERCEL_TOKEN={}", "<A24>"),
    ("AWS_SECRET_ACCESS_KEY={}", "<B40>"),
    ("aws_session_token = {}", "<B200>"),
    ("AZURE_CLIENT_SECRET={}", "<A40>"),
    ("SNOWFLAKE_PASSWORD={}", "<P14>"),
    ("PAYPAL_CLIENT_SECRET={}", "<W80>"),
    ("BRAINTREE_PRIVATE_KEY={}", "<H32>"),
    ("SECRET_KEY_BASE={}", "<H128>"),
    ("SECRET_KEY={}", "<W50>"),
    ("JWT_SECRET={}", "<A32>"),
    ("ENCRYPTION_KEY={}", "<H64>"),
    ("APP_KEY=base64:{}=", "<B43>"),
    ("FERNET_KEY={}=", "<W43>"),
    ("RAILS_MASTER_KEY={}", "<H32>"),
    ("SESSION_SECRET={}", "<A30>"),
    ("WEBHOOK_SECRET={}", "<H40>"),
    ("GF_SECURITY_ADMIN_PASSWORD={}", "<P10>"),
    ("heroku config:set DATABASE_PASSWORD={} -a app", "<A24>"),
    ("echo 'API_TOKEN={}' >> .env", "<A32>"),
    ('REDIS_PASSWORD="{}" # rotated in May', "<P18>"),
    ("//registry.npmjs.org/:_authToken={}", "<G>"),
    ("_auth={}==", "<B30>"),
    # YAML, JSON, TOML, INI, XML
    ("database:\n  user: app\n  password: {}\n  port: 5432\n", "<P12>"),
    ("  password: '{}'", "<P12>"),
    ('  api_key: "{}"', "<A32>"),
    ("spec:\n  - name: DB_PASSWORD\n    value: {}\n", "<P12>"),
    ('      - name: API_TOKEN\n        value: "{}"\n', "<A32>"),
    ("data:\n  password: {}==\n", "<B22>"),
    ("secret: |\n    {}\nother: 1\n", "<A40>"),
    ("password: >-\n  {}\n", "<P16>"),
    ('{{"user": "app", "password": "{}"}}', "<P12>"),
    ('{{"client_secret":"{}","grant_type":"client_credentials"}}', "<A32>"),
    ('{{"name": "API_KEY", "value": "{}"}}', "<A32>"),
    ('{{"auth": {{"token": "{}"}}}}', "<H40>"),
    ('"{{\\"password\\":\\"{}\\",\\"user\\":\\"app\\"}}"', "<A14>"),
    ('"accessToken": "{}",', "<W60>"),
    ('"refresh_token" : "{}"', "<W70>"),
    ('"apiKey": "{}"', "<L32>"),
    ('"secretAccessKey": "{}"', "<B40>"),
    ('"private_key_id": "x", "privateKey": "{}"', "<B64>"),
    ('[database]\npassword = "{}"\n', "<P12>"),
    ("[client]\nuser=root\npassword={}\n", "<A12>"),
    ("[smtp]\nPassword : {}\n", "<P12>"),
    ("<password>{}</password>", "<P12>"),
    ('<add key="ApiKey" value="{}" />', "<A32>"),
    ('<property name="password" value="{}"/>', "<P12>"),
    ("<server><username>ci</username><password>{}</password></server>", "<A20>"),
    ("spring.datasource.password={}", "<P12>"),
    ("jdbc.password = {}", "<A12>"),
    ("mail.smtp.password: {}", "<P12>"),
    ('password = "{}"\n', "<P10>"),
    ("db_pass = '{}'", "<A12>"),
    # code
    ('password = "{}"', "<P12>"),
    ("API_KEY = '{}'", "<A32>"),
    ('const apiKey = "{}";', "<A32>"),
    ("let secret: string = '{}';", "<A24>"),
    ('private static final String PASSWORD = "{}";', "<P12>"),
    ('token := "{}"', "<A40>"),
    ('var clientSecret = @"{}";', "<W40>"),
    ("define('DB_PASSWORD', '{}');", "<P14>"),
    ("'password' => '{}',", "<P12>"),
    (':secret_token => "{}"', "<H64>"),
    ('os.environ["API_TOKEN"] = "{}"', "<A32>"),
    ('process.env.AUTH_TOKEN = "{}"', "<A32>"),
    ('client = Client(user="app", password="{}")', "<P12>"),
    ('connect(host="db", api_key="{}", timeout=3)', "<H32>"),
    ('password=SecretStr("{}"),', "<P14>"),
    ('conn.setPassword("{}");', "<P12>"),
    ('if password == "{}":', "<P10>"),
    ('password: str = "{}"', "<P12>"),
    ('token = b"{}"', "<A32>"),
    ('#define API_KEY "{}"', "<A32>"),
    ('let api_key = String::from("{}");', "<A32>"),
    ('os.getenv("API_SECRET", "{}")', "<A32>"),
    ('variable "db_password" {{\n  default = "{}"\n}}', "<P14>"),
    # flags and commands
    ("app --password {} --user admin", "<P12>"),
    ("app --password={} run", "<P12>"),
    ("app --token '{}' run", "<A32>"),
    ("app --api-key {}", "<H32>"),
    ('app --client-secret="{}"', "<A32>"),
    ("keytool -storepass {} -list", "<A12>"),
    ("openssl rsa -passin pass:{} -in k.pem", "<A12>"),
    ("mysql -u root -p'{}' app", "<P12>"),
    ("mysql -uroot -p{} app", "<A12>"),
    ("mysqldump --user=app --password={} app", "<A12>"),
    ("sshpass -p '{}' ssh deploy@host", "<P12>"),
    ("redis-cli -h cache -a {} ping", "<A16>"),
    ("curl -u admin:{} https://api.internal", "<P12>"),
    ("curl --user 'bot:{}' https://api.internal", "<A20>"),
    ("docker login -u ci -p {} registry.internal", "<A20>"),
    ("mongosh -u root -p {} --authenticationDatabase admin", "<A14>"),
    ("aws configure set aws_secret_access_key {}", "<B40>"),
    ("ALTER USER app WITH PASSWORD '{}';", "<P12>"),
    ("CREATE USER app IDENTIFIED BY '{}';", "<P12>"),
    ("machine api.internal login bot password {}\n", "<A20>"),
    ("db.internal:5432:app:app:{}\n", "<A14>"),
    # headers, cookies, URLs
    ("Authorization: Bearer {}", "<A40>"),
    ("Authorization: Basic {}==", "<B30>"),
    ("authorization: token {}", "<H40>"),
    ('curl -H "Authorization: Bearer {}" https://api.internal', "<W60>"),
    ("headers={{'Authorization': 'Bearer {}'}}", "<A48>"),
    ('"Authorization": "ApiKey {}"', "<B60>"),
    ("sent Bearer {} and got 401", "<A40>"),
    ("X-API-Key: {}", "<A32>"),
    ("-H 'x-api-key: {}'", "<G>"),
    ("X-Auth-Token: {}", "<H32>"),
    ("PRIVATE-TOKEN: {}", "<A20>"),
    ("Cookie: sessionid={}; theme=dark", "<L32>"),
    ("Cookie: theme=dark; connect.sid=s%3A{}", "<A32>"),
    ("Set-Cookie: SID={}; Path=/; HttpOnly", "<A40>"),
    ("-b 'PHPSESSID={}' -H 'Cookie: PHPSESSID=none'", "<L26>"),
    ("postgres://app:{}@db.internal:5432/app", "<A16>"),
    ("postgresql+asyncpg://app:{}@db/app?sslmode=require", "<P12>"),
    ("mongodb+srv://app:{}@cluster0.abcde.mongodb.net/app", "<A16>"),
    ("redis://:{}@cache.internal:6379/0", "<A24>"),
    ("amqp://app:{}@mq.internal//", "<A12>"),
    ("https://deploy:{}@git.internal/team/app.git", "<A20>"),
    ("https://{}@git.internal/team/app.git", "<H40>"),
    ("smtp://bot%40mail.internal:{}@smtp.internal:587", "<A16>"),
    ("mysql://root:{}@127.0.0.1/app", "<P12>"),
    ("GET /v1/items?api_key={}&page=2 HTTP/1.1", "<H32>"),
    ("https://api.internal/x?access_token={}", "<A40>"),
    ("https://a.blob.core.windows.net/c?se=2026-01-01&sig={}%3D", "<A43>"),
    ("AccountName=acct;AccountKey={}==;EndpointSuffix=core.windows.net", "<B86>"),
    ("Server=db;Database=app;User Id=sa;Password={};Encrypt=True", "<A16>"),
    ("Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={}=", "<B43>"),
    ("Data Source=db;Uid=app;Pwd={};", "<P12>"),
    ("s3?X-Amz-Expires=60&X-Amz-Signature={}", "<H64>"),
    ("POST /login username=app&password={}&remember=1", "<A14>"),
    # logs and tracebacks
    ("DEBUG connecting with user=app password={} host=db", "<P12>"),
    ("INFO config loaded: {{'db_password': '{}', 'debug': True}}", "<P12>"),
    ("OperationalError: connection to host=db user=app password={} failed", "<A14>"),
    ("  self = <Client token='{}'>", "<A32>"),
    ("login(user='app', password='{}')", "<P12>"),
    ("2026-01-02 ERROR invalid api key: {}", "<A32>"),
    ("token={} expired", "<A40>"),
    ("Using secret {} for signing", "<A40>"),
    ('msg="auth ok" api_token={} status=200', "<H40>"),
    ("Generated root password: {}", "<P12>"),
    ("A temporary password is generated for root@localhost: {}", "<P12>"),
    ("Your API key is {}", "<A32>"),
    # chats
    ("The staging password is {}, please rotate it.", "<P12>"),
    ("my password: {}", "<P12>"),
    ("password for the admin user: {}", "<P12>"),
    ("the db password (read only) is `{}`", "<P14>"),
    ("log in with user demo and password {}", "<P12>"),
    ("Please set the API token to {}", "<A32>"),
    ("here is the client secret: {}", "<A40>"),
    ("I changed the root password to {} yesterday", "<P12>"),
    ("use {} as the password", "<P12>"),
    ("**Password:** {}", "<P12>"),
    ("- **API key**: `{}`", "<A32>"),
    ("| password | `{}` |", "<P12>"),
    ("user: admin / pass: {}", "<P12>"),
    ("pw: {}", "<P12>"),
    ("creds: admin / password={}", "<P12>"),
    ("Пароль: {}", "<P12>"),
    ("пароль от базы: {}", "<P12>"),
    ("мой пароль — {}, запомни", "<P12>"),
    ("пароль такой: {}", "<P12>"),
    ("Токен для API: {}", "<A32>"),
    ("вот секретный ключ: {}", "<A32>"),
    ("密码：{}", "<P12>"),
    ("数据库密码是{}", "<A14>"),
    ("数据库的密码是 {} ，不要告诉别人", "<P12>"),
    ("密钥: {}", "<A32>"),
    ("访问令牌为 {}", "<A40>"),
    ("パスワード：{}", "<P12>"),
    ("パスワードは {} です", "<P12>"),
    ("APIキー: {}", "<A32>"),
    ("contraseña: {}", "<P12>"),
    ("La contraseña es {}", "<P12>"),
    ("la clave de acceso es {}", "<P12>"),
    ("mot de passe : {}", "<P12>"),
    ("Le mot de passe est « {} ».", "<P12>"),
    ("Passwort: {}", "<P12>"),
    ("Das Passwort lautet {}", "<P12>"),
    ("Kennwort = {}", "<P12>"),
    ("senha: {}", "<P12>"),
    ("wachtwoord is {}", "<P12>"),
    ("hasło: {}", "<P12>"),
    ("şifre: {}", "<P12>"),
    ("비밀번호: {}", "<P12>"),
    ("비밀번호는 {} 입니다", "<P12>"),
    ("كلمة المرور: {}", "<P12>"),
    ("סיסמה: {}", "<P12>"),
    ("mật khẩu: {}", "<P12>"),
    ("รหัสผ่าน: {}", "<P12>"),
    ("lösenord: {}", "<P12>"),
    ("wifi psk={}", "<A12>"),
    ("wpa_passphrase={}", "<P12>"),
    # further ways to write them
    ("passwords[0] = '{}'", "<P12>"),
    ('const pw = process.env.DB_PASSWORD ?? "{}";', "<P12>"),
    ('password = options[:password] || "{}"', "<P12>"),
    ('echo "bob:{}" | chpasswd', "<A12>"),
    ("echo {} | sudo -S apt update", "<P12>"),
    ("net user bob {} /add", "<P12>"),
    ("vault login {}", "s.<A24>"),
    ("az login --service-principal -u app -p {} --tenant t", "<A34>"),
    ("kubectl create secret generic db --from-literal=password={}", "<A14>"),
    ("Password:\n  {}\n", "<P12>"),
    ('"token":\n    "{}"', "<A32>"),
    ('password = (\n    "{}"\n)', "<P12>"),
    ('<string name="api_key">{}</string>', "<A32>"),
    ("<key>apiToken</key>\n<string>{}</string>", "<A32>"),
    ("${{DB_PASSWORD:-{}}}", "<A14>"),
    ("password: !!str {}", "<P12>"),
    ('cookies={{"session": "{}"}}', "<A32>"),
    ("role_id=<id> secret_id={}", "<G>"),
    (".dockerconfigjson: eyJhdXRocyI6{}==", "<B60>"),
    ("AZURE_DEVOPS_PAT={}", "<L52>"),
    ("PrivateKey = {}=", "<B43>"),
    ("the wifi password is {} by the way", "<S5>-<S6>-<S5>-<S7>"),
    ("el token es {}", "<A32>"),
    ("le jeton est {}", "<A32>"),
    ("用户名admin，密码{}", "<A12>"),
    ("{} is my password", "<P12>"),
    ('passphrase: "{}"', "<S5>-<S6>-<S5>-<S7>"),
    ("gmail app password: '{}'", "<S4> <S4> <S4> <S4>"),
    ('password = "{}"', "<S6> <S5> <S7> <D1>"),
    ("DB_PASSWORD='{}'", "<S4> <D2> <S5> & <S6>"),
    ('{{"passphrase": "{}"}}', "<S5> <S6>! <S4> <D3> <S5>"),
)

_BLOCKS: tuple[tuple[str, str], ...] = (
    ("{begin}\n{body}\n{end}\n", "RSA "),
    ("{begin}\n{body}\n{end}\n", ""),
    ("{begin}\n{body}\n{end}", "EC "),
    ("{begin}\n{body}\n{end}\n", "OPENSSH "),
    ("{begin}\n{body}\n{end}\n", "ENCRYPTED "),
    ("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES,00\n\n{body}\n{end}", "RSA "),
    ("key: |\n    {begin}\n{indented}\n    {end}\nport: 1\n", "RSA "),
    ('{{"private_key": "{begin}\\n{escaped}\\n{end}\\n", "a": 1}}', ""),
    ("GCP_KEY='{begin}\\\\n{escaped2}\\\\n{end}'", ""),
    ("{begin}\n{body}\n\nThe rest of the file was cut off here.", "RSA "),
    ("…\n{body}\n{end}\n", "RSA "),
    ("> {begin}\n{quoted}\n> {end}\n", "DSA "),
    ("+{begin}\n{added}\n+{end}\n", ""),
    ("{begin}\n\n{body}\n=abcd\n{end}\n", "PGP"),
    ("{begin}\nVersion: GnuPG v2\n\n{body}\n=abcd\n{end}\n", "PGP"),
    ("{begin} {oneline} {end}", "RSA "),
)


def _shaped() -> list[Positive]:
    found = []
    for number, (kind, pattern) in enumerate(SHAPED.items()):
        for turn in range(3):
            context = CONTEXTS[(3 * number + 7 * turn) % len(CONTEXTS)]
            secret = made(pattern, f"{kind} {turn}")
            found.append(Positive(f"{kind} {turn}", context.format(secret), secret))
    return found


def _named() -> list[Positive]:
    found = []
    for context, pattern in _NAMED:
        secret = made(pattern, context)
        found.append(Positive(context, context.format(secret), secret))
    return found


def _blocks() -> list[Positive]:
    found = []
    for number, (context, kind) in enumerate(_BLOCKS):
        body = made("<K8>", f"block {number}")
        lines = body.split("\n")
        words = "PGP PRIVATE KEY BLOCK" if kind == "PGP" else f"{kind}PRIVATE KEY"
        text = context.format(
            begin=f"-----BEGIN {words}-----",
            end=f"-----END {words}-----",
            body=body,
            indented="\n".join(f"    {line}" for line in lines),
            escaped="\\n".join(lines),
            escaped2="\\\\n".join(lines),
            quoted="\n".join(f"> {line}" for line in lines),
            added="\n".join(f"+{line}" for line in lines),
            oneline=" ".join(lines),
        )
        found.append(Positive(f"block {number}", text, "".join(lines[2:-2])))
    return found


def _plain() -> list[Positive]:
    return [Positive(each.text, each.text, each.secret) for each in PLAIN]


POSITIVES: tuple[Positive, ...] = (*_shaped(), *_named(), *_blocks(), *_plain())
SECRET_PIECE = 8


def is_gone(secret: str, text: str) -> bool:
    """Say whether no piece of a secret's own characters is left in a text."""
    tail = secret[-24:] if len(secret) > 24 else secret
    size = min(SECRET_PIECE, len(tail))
    places = range(len(tail) - size + 1)
    return secret not in text and not any(tail[at : at + size] in text for at in places)
