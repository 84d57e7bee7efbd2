import type { z } from "zod";

const longest = 500;
/** Characters of a text to look at. */
const mostRead = 65_536;
const mask = "********";

/**
 * Returns a vendor's text in a form that may be shown: one line of limited length, without markup or secrets in any encoding.
 * @param most characters @param known forms of secrets, which are made once per map
 */
export function shownText(
  text: string,
  secrets: readonly string[],
  most = longest,
  known: SecretForms = new Map(),
): string {
  // Cut between words, so that no secret is cut.
  const read = text.length > mostRead ? text.slice(0, mostRead).replace(/(?<!\S)\S*$/, "") : text;
  const line = withoutMarkup(withoutSecrets(read, secrets, known))
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** JSON fields in which APIs and gateways put error messages, the most specific first. */
const messageNames = ["message", "Message", "error_description", "detail", "error", "title", "reason"];

/** Returns the message in a JSON error body; the body itself if it is not JSON; an empty string if it has no message. */
export function messageIn(body: string): string {
  if (!/^\s*[[{]/.test(body)) return body;
  const read = body.slice(0, mostRead);
  for (const name of messageNames) {
    const [, message] = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(read) ?? [];
    const text = message === undefined ? null : parsedJson(message);
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return "";
}

/** Parses JSON; returns null for anything else. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Percent-encodes a query value for signing: everything except the unreserved characters of RFC 3986. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** HTML elements. Other words in angle brackets may be part of a sentence. */
const elements =
  "a|abbr|address|article|aside|b|body|br|button|center|code|div|em|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|li|link|main|meta|nav|ol|p|pre|script|section|small|span|strong|style|svg|table|tbody|td|th|thead|title|tr|tt|u|ul";
const tags = new RegExp(`<!--[^]*?(?:-->|$)|<!doctype[^>]*(?:>|$)|</?(?:${elements})\\b[^>]*(?:>|$)`, "gi");

/** Returns the title or text of an HTML page, which proxies and gateways send instead of an API answer. */
function withoutMarkup(text: string): string {
  const [, title = ""] = /^\s*<[!?a-z][^]*?<title\b[^>]{0,200}>([^<]*)/i.exec(text) ?? [];
  if (title.trim() !== "") return withoutEntities(title);
  const body = text.replaceAll(/<(script|style|head|svg)\b[^]*?(?:<\/\1\s*>|$)/gi, " ");
  const isMarkup = /^\s*<[!?a-z]/i.test(body);
  const bare = body.replaceAll(isMarkup ? /<!--[^]*?(?:-->|$)|<[^>]*(?:>|$)/g : tags, " ");
  return bare === text ? text : withoutEntities(bare);
}

function withoutEntities(text: string): string {
  return text.replaceAll(/&(\w+|#\d+);/g, (entity) => entities[entity] ?? " ");
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
};

/** What matches each secret in its encodings. */
export type SecretForms = Map<string, RegExp[]>;

function withoutSecrets(text: string, secrets: readonly string[], known: SecretForms): string {
  // No encoding is shorter than its secret.
  const possible = secrets.filter((secret) => secret !== "" && secret.length <= 2 * text.length);
  const forms = possible.flatMap((secret) => {
    const own = known.get(secret) ?? formsOf(secret);
    known.set(secret, own);
    return own;
  });
  return forms.reduce((so, form) => so.replaceAll(form, mask), text);
}

function formsOf(secret: string): RegExp[] {
  return [asWritten(secret)].concat(asBase64(secret));
}

/**
 * Matches a secret as it is, percent-encoded (RFC 3986 §2.1), escaped as JSON or as HTML, each character in any of these forms.
 * Repetitions are bounded, so that no input makes the search slow.
 */
function asWritten(secret: string): RegExp {
  const characters = Array.from(secret, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    const octets = Array.from(
      Buffer.from(character),
      (octet) => `%(?:25){0,8}${octet.toString(16).padStart(2, "0")}`,
    ).join("");
    const encoded = [
      octets,
      `\\\\{1,8}u${hex.padStart(4, "0")}`,
      `&#0{0,8}${code};`,
      `&#x0{0,8}${hex};`,
      ...(names[character] ? [`&${names[character]};`] : []),
      ...(character === " " ? ["\\+"] : []),
    ];
    // Letters are case-sensitive, hexadecimal digits are not. The character itself comes last, because it may begin one of the
    // other forms.
    return `(?:${[...encoded.map(anyCase), `\\\\{0,8}\\u{${hex}}`].join("|")})`;
  });
  return new RegExp(characters.join(""), "gu");
}

const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

function anyCase(form: string): string {
  return form.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** The shortest base64 fragment worth masking. */
const leastBase64 = 8;

/** Matches a secret in base64 or base64url, also inside a longer value: the part that does not depend on its neighbors. */
function asBase64(secret: string): RegExp[] {
  const octets = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), octets])
      .toString("base64")
      .replace(/=+$/, "");
    const whole = Math.floor(((before + octets.length) * 8) / 6);
    const own = text.slice(before === 0 ? 0 : before + 1, whole);
    if (own.length < leastBase64) return [];
    const source = own.replaceAll("+", "(?:[+-]|%2[Bb])").replaceAll("/", "(?:\\\\?[/_]|%2[Ff])");
    return [new RegExp(`[A-Za-z0-9+/_-]{0,1}${source}[A-Za-z0-9+/_-]{0,1}(?:=|%3[Dd]){0,2}`, "g")];
  });
}

/** A field that a vendor may leave out, and may as well print as null, whatever its documentation says: undefined then. */
export function maybe<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}
