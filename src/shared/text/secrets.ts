// Finds texts that look like secrets. The key formats are those of gitleaks' default rules (config/gitleaks.toml of
// gitleaks/gitleaks at commit 009e025a, 2026), for services whose keys have a format of their own.

/** Each pattern starts with a fixed text or at the beginning of a run of letters, digits, _ and -: matching is linear. */
const KEYS: readonly [what: string, form: RegExp][] = [
  ["a private key", /-----BEGIN[ A-Z\d_-]{0,40}PRIVATE KEY(?: BLOCK)?-----/],
  ["an age secret key", /(?<![\w-])AGE-SECRET-KEY-1[A-Z\d]{58}/],
  ["an AWS access key", /(?<![\w-])(?:A3T[A-Z\d]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![\w-])/],
  ["a GitHub token", /(?<![\w-])(?:gh[pousr]_[A-Za-z\d]{36}|github_pat_\w{82})/],
  ["a GitLab token", /(?<![\w-])gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas)-[\w-]{20}/],
  ["a Slack token", /(?<![\w-])(?:xox[abeoprs]-\d[\w-]{10}|xapp-\d-[\w-]{10})/],
  ["a Slack webhook", /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w+/]{43,60}/],
  ["a Stripe key", /(?<![\w-])(?:sk|rk)_(?:test|live|prod)_[A-Za-z\d]{10}/],
  ["an Anthropic key", /(?<![\w-])sk-ant-(?:api|admin)\d\d-[\w-]{80}/],
  ["an OpenAI key", /(?<![\w-])sk-(?:(?:proj|svcacct|admin)-[\w-]{40}|[A-Za-z\d]{20}T3BlbkFJ[A-Za-z\d]{20})/],
  ["a Google key", /(?<![\w-])(?:AIza[\w-]{35}|ya29\.[\w-]{20}|GOCSPX-[\w-]{28})(?![\w-])/],
  ["an npm token", /(?<![\w-])npm_[A-Za-z\d]{36}/],
  ["a PyPI token", /(?<![\w-])pypi-AgEIcHlwaS5vcmc[\w-]{50}/],
  ["a Hugging Face token", /(?<![\w-])(?:hf|api_org)_[A-Za-z]{34}(?![\w-])/],
  ["a DigitalOcean token", /(?<![\w-])do[por]_v1_[a-f\d]{64}/],
  ["a SendGrid key", /(?<![\w-])SG\.[\w-]{20,24}\.[\w-]{40}/],
  ["a Twilio key", /(?<![\w-])SK[a-f\d]{32}(?![\w-])/],
  ["a Shopify token", /(?<![\w-])shp(?:at|ca|pa|ss)_[a-fA-F\d]{32}/],
  ["a Telegram bot token", /(?<![\w:-])\d{8,10}:AA[\w-]{33}(?![\w-])/],
  ["a Discord token", /(?<![\w-])[MN][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/],
  ["a Databricks token", /(?<![\w-])dapi[a-f\d]{32}(?![\w])/],
  ["a Docker token", /(?<![\w-])dckr_pat_[\w-]{27}/],
  ["a Vault token", /(?<![\w-])hv[bs]\.[\w-]{90}/],
  ["a Linear key", /(?<![\w-])lin_api_[A-Za-z\d]{40}/],
  ["a Notion token", /(?<![\w-])ntn_\d{11}[A-Za-z\d]{35}/],
  ["a 1Password secret key", /(?<![\w-])A3-[A-Z\d]{6}-[A-Z\d]{6,11}-(?:[A-Z\d]{5}-){2,3}[A-Z\d]{5}(?![\w-])/],
  ["a Commonplace key", /(?<![\w-])cpk_[\w-]{40}/],
  ["a signed token", /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{20}/],
  ["a password in a URL", /(?<![\w-])[a-z][a-z\d+]{1,15}:\/\/[^\s/:@]{1,60}:(?!\/)[^\s/:@]{6,80}@[\w-]/i],
];

const NAMES =
  "pass(?:word|phrase|code|wd)?|pwd|pw|kennwort|passwort|mot de passe|contraseña|senha|wachtwoord|api[ _-]?key|secret(?:[ _-]?(?:access)?[ _-]?key)?|client[ _-]?secret|access[ _-]?token|auth[ _-]?token|recovery (?:code|key)";
const ASSIGNMENT = "(?:\\s{0,3}(?::|=|=>|:=)|\\s{1,3}(?:is|ist|lautet|est|es|was))";
/** The name of a secret and its value. Bounded quantifiers prevent quadratic backtracking. */
const NAMED_SECRET = new RegExp(
  `(?<![\\p{L}\\d])(?:[a-z\\d]{1,20}[_-]){0,4}(?:${NAMES})["'\`*]{0,3}${ASSIGNMENT}\\s{0,3}["'\`*]{0,3}([^\\s"'\`*<>]{6,100})`,
  "giu",
);
const PIN_OR_DOOR_CODE = new RegExp(
  `(?<![\\p{L}\\d])(?:pin|tan|puk|cvv|cvc|(?:door|gate|entry|alarm|safe|lock|garage)[ -]?(?:pin|code)|t[üu]rcode|zugangscode)(?: (?:code|number))?(?: (?:for|of|to) (?:the |my )?[\\p{L}]{1,20})?${ASSIGNMENT}\\s{0,3}["'\`*]{0,3}([#*]?\\d{3,10}[#*]?)(?![\\d.,/:]*\\d|\\p{L}|%)`,
  "iu",
);

const PLACEHOLDER =
  /^(?:\$|%|\{|\[|<|\(|x{4}|\*{3}|\.{3}|process\.|os\.|env\.|import|https?:|www\.)|\(|^[\w.+-]+@[\w-]+\.|\.{3}$/i;
const SENTENCE_END = /[.,;:!?)\]}]+$/;
const SYMBOL = /[!@#$%^&*+=?~]/;
const DAY_OR_TIME = /^\d{1,4}[-./:]\d{1,2}(?:[-./:]\d{1,4})*$/;

/** Whether a value could be a password: letters with digits or symbols, or six digits; not a word or a day. */
function looksLikePassword(sent: string): boolean {
  if (PLACEHOLDER.test(sent) || DAY_OR_TIME.test(sent)) return false;
  const value = sent.replace(SENTENCE_END, "");
  if (value.length < 6 || !/\p{L}/u.test(value)) return /^\d{6,}$/.test(value);
  return /\d/.test(value) || SYMBOL.test(value);
}

const CARD_NUMBER =
  /(?<![\w.#-])(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}|\d{4}[ -]\d{6}[ -]\d{5}|\d{14,16})(?![\w-]|\.\d)/g;
/** Ranges and lengths of the networks (ISO/IEC 7812): Visa, Mastercard, American Express, Discover, JCB, Diners. */
const CARD_NUMBER_FORMAT =
  /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|35\d{14}|3[0689]\d{12})$/;

/** Luhn check digit (ISO/IEC 7812-1, annex B). */
function hasValidCheckDigit(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

function isCardNumber(written: string): boolean {
  const digits = written.replace(/[ -]/g, "");
  return CARD_NUMBER_FORMAT.test(digits) && new Set(digits).size > 1 && hasValidCheckDigit(digits);
}

/** `what` describes the secret, such as `a private key`. */
export type FoundSecret = { what: string; at: number; length: number };

const makeSecret = (what: string, at: number, written: string): FoundSecret => ({
  what,
  at,
  length: written.length,
});

function findKey(text: string): FoundSecret | undefined {
  for (const [what, form] of KEYS) {
    const match = form.exec(text);
    if (match) return makeSecret(what, match.index, match[0]);
  }
  return undefined;
}

const namedSecret = (what: string, match: RegExpExecArray, value: string): FoundSecret =>
  makeSecret(what, match.index + match[0].lastIndexOf(value), value);

/**
 * A part of a text that looks like a secret; undefined if there is none. Keys are found before passwords, PINs and card
 * numbers, wherever they are. Linear in the text.
 */
export function findSecret(text: string): FoundSecret | undefined {
  const key = findKey(text);
  if (key) return key;
  for (const match of text.matchAll(NAMED_SECRET)) {
    const [, value = ""] = match;
    if (looksLikePassword(value)) return namedSecret("a password or key", match, value);
  }
  const code = PIN_OR_DOOR_CODE.exec(text);
  if (code) return namedSecret("a PIN or door code", code, code[1] ?? "");
  for (const { 0: written, index } of text.matchAll(CARD_NUMBER))
    if (isCardNumber(written)) return makeSecret("a card number", index, written);
  return undefined;
}

/** The kind of secret that a text seems to contain; undefined if there is none. */
export const secretKindIn = (text: string): string | undefined => findSecret(text)?.what;

type JsonValue = { path: string; value: unknown };

function childValues({ path, value }: JsonValue): JsonValue[] {
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return parts.map(([name, part]) => ({ path: path === "" ? name : `${path}.${name}`, value: part }));
}

/** The first secret in any JSON value, with the path of the text: `content.text`, `operations.2.topic`. */
export function findSecretInJson(json: unknown): { path: string; what: string } | undefined {
  const left: JsonValue[] = [{ path: "", value: json }];
  for (let next = left.pop(); next; next = left.pop()) {
    const what = typeof next.value === "string" ? secretKindIn(next.value) : undefined;
    if (what !== undefined) return { path: next.path, what };
    for (const part of childValues(next).toReversed()) left.push(part);
  }
  return undefined;
}
