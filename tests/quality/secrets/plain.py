"""Texts with the plain secrets that people choose: words, names, years, counting.

The secret stands in double square brackets, which are no part of the text.
"""

from __future__ import annotations

import string
from typing import NamedTuple

_TEXTS = r"""
password=[[swordfish]]
password: [[letmein]]
password='[[mysecretpass]]'
user=admin password=[[admin123]]
DB_PASSWORD=[[postgres]]
password=[[abc123def456]]
token=[[abcdef1234567890]]
secret=[[opensesame]]
the password is [[swordfish]]
The DB password is [[hunter3secret]]
login admin / pass [[Zx9kkw2qq]]
{"apiKey":"[[abcd1234efgh5678]]"}
my password is [[letmein]]
My password is: [[letmein]]
password is "[[swordfish]]"
The admin password is [[monkey]], the user is root.
PASSWORD is [[Dragon]]
the wifi password is [[sunshine]] and the ssid is home
the password for the staging db is [[swordfish]]
the password for db: [[letmein]]
password for the db is [[hunter2]]
I set the password to [[letmein]]
password changed to [[letmein]]
'password' => '[[letmein]]'
password := "[[letmein]]"
:password => "[[letmein]]"
{"password": "[[letmein]]", "user": "bob"}
{'passwd': '[[hunter2]]'}
{\"password\":\"[[letmein]]\"}
<password>[[letmein]]</password>
<add key="password" value="[[letmein]]"/>
<input name="password" value="[[letmein]]">
password: [[12345678]]
password=[[123456]]
password=[[qwerty]]
pwd=[[1234]]
passcode: [[4821]]
passphrase: [[opensesame]]
secret: [[opensesame]]
client_secret="[[opensesame]]"
token=[[deadbeef]]
access_token=[[abc123]]
api-key: [[1234abcd]]
API key: [[abcd1234efgh]]
X-Api-Key: [[abcd1234]]
Authorization: Bearer [[abcdef1234567890]]
Bearer [[abcdef1234567890]]
mysql -u root -p[[letmein]]
curl -u admin:[[letmein]] https://api.internal
sshpass -p [[letmein]] ssh deploy@host
redis-cli -a [[letmein]] ping
docker login -u me -p [[letmein]] registry.internal
PGPASSWORD=[[letmein]] psql
postgres://app:[[letmein]]@db/app
redis://:[[swordfish]]@localhost
mongodb://admin:[[admin123]]@host
export TOKEN=[[abcdef]]
export DB_PASS=[[swordfish]]
$env:PASSWORD = "[[swordfish]]"
SECRET_KEY=[[django-insecure-abc123]]
JWT_SECRET=[[sesame99]]
ADMIN_PASSWORD=[[admin]]
MYSQL_ROOT_PASSWORD: [[root]]
password: [[P@ssw0rd]]
password = [[hunter2]]
password = [[letmein]] # dev only
| password | [[letmein]] |
- password: [[letmein]]
* **Password:** [[letmein]]
**Password**: `[[letmein]]`
`password`: `[[letmein]]`
connect(user, password='[[letmein]]', host=h)
new Client({ password: '[[letmein]]' })
user.setPassword("[[letmein]]");
set_password("[[letmein]]")
os.environ["DB_PASSWORD"] = "[[letmein]]"
os.getenv("DB_PASSWORD", "[[letmein]]")
process.env.PASSWORD || "[[letmein]]"
password: str = "[[letmein]]"
if password == "[[letmein]]":
app --password=[[letmein]] run
app --password [[letmein]] run
app --token [[abcdef123456]] run
GET /x?token=[[abcdef]]&x=1
user=bob;pwd=[[letmein]];
password%3D[[letmein]]
user: admin, pass: [[letmein]]
username: bob password: [[letmein]]
user/pass: [[admin/letmein]]
creds: admin / [[hunter2]]
admin / pass [[Zx9kkw2qq]]
the token is [[abcdef1234567890]]
my api key is [[abcdef123456]]
пароль: [[солнышко]]
Пароль: [[qwerty]]
пароль [[qwerty123]]
пароль это [[солнышко]]
пароль — [[солнышко]]
Пароль от вайфая: [[котик2020]]
логин: admin, пароль: [[qwerty]]
логин admin / пароль [[qwerty]]
токен: [[abcdef123456]]
секрет: [[сезамоткройся]]
密码是[[mima12345x]]
密码是：[[abc123]]
密码为 [[abc123]]
密码:[[123456]]
密码：[[芝麻开门]]
口令：[[天王盖地虎]]
パスワードは [[himitsu]] です
パスワードは[[himitsu99]]です
パスワード：[[さくらさくら]]
비밀번호: [[hello1234]]
비밀번호는 [[hello1234]] 입니다
passwort: [[geheim]]
Das Passwort ist [[sonnenschein]]
Das Passwort lautet [[sonnenschein]].
le mot de passe est [[soleil]]
Mot de passe: [[azerty]]
contraseña: [[gatito123]]
La contraseña es [[gatito]]
senha: [[flamengo]]
a senha é [[flamengo]]
la parola è [[ciao1234]]
hasło: [[kotek]]
wachtwoord: [[geheimpje]]
şifre: [[kedi1234]]
"""

_LETTERS, _DIGITS = string.ascii_letters, string.digits
_HEX = _DIGITS + "abcdef"
_COUNTING: tuple[str, ...] = (
    "ghp_" + (_LETTERS[:26] + _DIGITS),
    "gho_" + (_HEX * 3)[:36],
    "ghp_" + "a" * 36,
    "AKIA" + _LETTERS[26:42],
    "AKIA" + (_DIGITS + "ABCDEF"),
    "xoxb-" + "-".join(("123456789012", _LETTERS[:10] + _LETTERS[26:36])),
    "sk_live_" + _LETTERS[:24],
    "sk-" + (_LETTERS[:26] + "123456"),
    "sk-ant-api03-" + _LETTERS,
    "glpat-" + (_LETTERS[:10] + _DIGITS),
    "npm_" + (_LETTERS[:26] + _DIGITS),
    "hf_" + (_LETTERS[:26] + _DIGITS),
    "AIza" + (_LETTERS[:26] + _DIGITS)[:35],
)


class Plain(NamedTuple):
    """A text, and the plain secret in it."""

    text: str
    secret: str


def _marked(line: str) -> Plain:
    secret = line.partition("[[")[2].partition("]]")[0]
    return Plain(line.replace("[[", "").replace("]]", ""), secret)


PLAIN: tuple[Plain, ...] = (
    *map(_marked, _TEXTS.strip("\n").split("\n")),
    *(Plain(f"use {key} for now", key) for key in _COUNTING),
)
