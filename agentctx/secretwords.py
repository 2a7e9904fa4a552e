"""Words that stand after `password:` or `the password is` and are no password.

They are types, states, requirements, placeholders and other names, in the languages
whose names for a password are known.
"""

from __future__ import annotations

import re
from functools import cache

DESCRIBES = (
    "name names url urls uri uris path paths file files filename type types count "
    "limit limits length size policy policies field fields hint hints expiry "
    "expires ttl expiration format formats prefix arn ref refs id ids manager "
    "provider providers store class method methods header headers endpoint "
    "endpoints regex pattern rule rules strength age min max label placeholder "
    "prompt error message title help env var variable created updated issued "
    "rotated rotation at date time timeout usage budget per index scope scopes "
    "algorithm algo alg version ver digest checksum hash hashes hashed fingerprint "
    "encoding enabled required allowed valid validator reset change changed less "
    "free config location dir folder mode state status owner issuer audience kind "
    "source service mount offset pos position span text range cost price engine "
    "ring board usages fn func function cb callback input output list map set sha "
    "sha256 md5 crc integrity public pub "
)
"""Last words of names that tell about a password, and not the password itself."""

PLAIN_KEYS = (
    "public pub primary foreign partition sort cache hash row group object index "
    "lookup dict map message idempotency host shift ctrl alt hot translation unique "
    "composite registry config json yaml data item field route query dedup dedupe "
    "event job task state bucket file form column join natural surrogate hosts "
    "publishable anon site turn mon don hoc joc tur whis wis the a this that each "
    "same some first second last next cert gpg pgp my new old with by of for no any "
    "arrow enter hotkey i18n range left right up down etag "
)
"""What makes a key no secret."""

STRONG_KEYS = (
    "api access secret private encryption signing master auth account license ssh "
    "session deploy consumer app application client admin write webhook hmac jwt "
    "aes token shared subscription service apikey server role crypt fernet rest "
    "ingest storage integration developer user rsa management authorization "
    "authorisation "
)
"""What makes a key a secret."""

_NO_VALUES = """
none null nil true false undefined void string str text bytes byte bytearray char chars
integer float double bool boolean object number array list dict tuple date datetime
uuid guid json yaml self this super return yield await async lambda func function
optional required mandatory secretstr securestring varchar nvarchar blob
buffer unknown never any interface literal binary base64 regex pattern param
parameter arg argument input output password passwd passwort passphrase passcode pwd
kennwort contraseña contrasena clave senha parola heslo wachtwoord secret secrets
token tokens jeton apikey credential credentials username user login email name
value values line data item result match default example sample placeholder changeme
redacted hidden masked omitted removed empty blank unset missing absent present yes
vault keychain keyring unicode ascii jwt
bearer basic digest negotiate ntlm kerberos oauth oauth2 saml ldap bcrypt argon2
argon2i argon2d argon2id scrypt pbkdf2 sha1 sha256 sha384 sha512 hmac plaintext plain
hash hashed salted encrypted expired invalid valid wrong correct incorrect inherit
include current-password new-password one-time-code off-session same-origin sandbox
text/plain textfield passwordfield charfield stringfield hello world
obligatorio requerido opcional cadena texto
obligatoire requis facultatif chaîne erforderlich optionaler zeichenkette pflichtfeld
obrigatório obrigatorio opzionale obbligatorio stringa
строка строчка обязательно обязательный необязательно пусто пустой пустая нет скрыт
скрыто неверный неверно верный текст значение число
next last first other same each every some when then with from into until while
used uses must should could would will that these those there here they them your
only also more most much many such what which where your please enter type sets gets
lexeme node word kind char symbol ident identifier index stream parser lexer scanner
generator iterator iter element entry field record row column stmt expr expression
request response session cookie header headers body query params config options opts
settings context state props event message msg payload args kwargs cell path file
"""

_COMMON = """
page pages fallback field fields form forms screen prompt check pair pairs flow policy
manager reset fail fails failed pass passes passed wiki storage dialog box database
protection rotation strength rules rule generator login logins
a an the not no in on at to of for and but or so too as by it its this that these those
very already still never always also only just now then there here set unset reset sent
kept held read lost gone good wrong right correct incorrect weak strong short long safe
unsafe secure insecure unique random secret private public plain plaintext clear blank
empty missing absent invalid valid required optional mandatory necessary needed unknown
known visible hidden case-sensitive sensitive personal temporary permanent fine okay ok
important critical confidential shared same different new old bad mine yours theirs his
hers ours enough ready complete incomplete active inactive available unavailable null
none nil true false undefined string text bytes written given chosen stolen broken
forgotten shown taken known made bound stale fresh dead alive out up down over here
there below above inside outside elsewhere everything nothing something anything dumb
easy hard simple complex trivial obvious overkill harmless useless useful worthless
what why how when where who which whatever mandatory case-insensitive salted hashed
power money evil insufficient enough different upon about within without ever
easier harder better worse longer shorter stronger weaker older newer more less most
least own yet again once twice sometimes usually probably maybe often rarely hereby
hash digest token password passphrase username email one two three four five six seven
eight nine ten zero both neither either all some many few several any each every
falsch richtig leer erforderlich notwendig ungültig gültig optional abgelaufen sicher
unsicher geheim nicht kein hier da das der die ein eine zu sehr schon noch bekannt
unbekannt verschlüsselt gespeichert gesetzt nötig pflicht kurz lang schwach stark weg
obligatoire requis vide invalide valide incorrect faux juste secret privé public pas
une trop déjà encore ici là court longue faible fort nécessaire oublié perdu stocké
obligatoria obligatorio vacía vacío válida inválida incorrecta correcta secreta débil
fuerte corta larga necesaria requerida opcional muy que una aquí segura pública privada
vazia obrigatória incorreta válida secreta muito uma aqui fraca forte curta longa
vuota breve lunga obbligatoria errata corretta segreta debole troppo molto una qui
неверный неверен верный верен пустой пуст обязателен обязательно нужен нужно не нет
строка секрет важно плохо хорошо тут здесь там он она оно уже ещё очень слабый сильный
короткий длинный старый новый другой общий один просто тоже только можно нельзя надо
набор
"""

_COMMON_ENDS = (
    r"(?:ed|ing|able|ible|less|ful|ive|ous|ent|ant|ly|ary|ory|tion|ment|ness|ity"
    r"|ship|wise|ward|est"
    r"|iert|ieren|lich|bar|isch|ungen|ung"
    r"|ado|ada|ido|ida|ível|ável|ibile|abile|ato|ata|uto|uta|é|ée|euse"
    r"|ный|ная|ное|ные|ого|ому|ется|ются|ится|ятся|ются|тся|ать|ить|еть|лся|лась"
    r"|ено|ена|ены|ен|ан|ана|ано|аны|ости|ость|ние|ния)"
)
_PART = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_NAME_PARTS = """
pass passwd password passwords pwd pw passphrase secret secrets token tokens tok key
keys user username users login auth authentication authorization authenticator oauth
cred creds credential credentials hash hashed hasher salt env environ config conf
settings option options param params arg args kwargs field fields form input value val
data request req response resp res result session cookie header self this ctx context
str string text type types info item node line name names file path id ids get set new
old raw plain encrypted decrypted encoded decoded bytes buffer entity model schema
"""


@cache
def words_of(table: str) -> frozenset[str]:
    """Split a table of words once."""
    return frozenset(table.split())


def is_no_value(value: str) -> bool:
    """Say whether a value is a type, a state, a requirement or another name."""
    words = value.lower().strip("?!;,.*:").split("|")
    return words_of(_NO_VALUES).issuperset(words)


def is_common(word: str, *, assigned: bool = False) -> bool:
    """Say whether a sentence may well end with this word and tell no password.

    After an equals sign or a colon far fewer words are no password.
    """
    lowered = word.lower()
    if is_no_value(lowered):
        return True
    if assigned:
        return lowered.endswith("ed")
    if lowered in words_of(_COMMON):
        return True
    return re.search(_COMMON_ENDS + r"\Z", lowered) is not None


def names_a_value(value: str) -> bool:
    """Say whether a value is a name such as `user_password` or `newToken`."""
    if re.fullmatch(r"[A-Za-z_$][\w$-]*[;?!]?", value) is None:
        return False
    if re.search(
        r"[a-z0-9](?:Key|Token|Password|Secret|Credential)s?(?:[A-Z]|\Z)", value
    ):
        return True
    if sum(map(str.isdigit, value)) > value[-1].isdigit():
        return False
    parts = re.findall(_PART, value)
    return any(part.lower() in words_of(_NAME_PARTS) for part in parts)
