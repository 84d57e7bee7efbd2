import type { z } from "zod";
import { SecretMask } from "./secrets.ts";

const longest = 500;
/** Characters of a text to look at. */
const mostRead = 65_536;

/**
 * Returns a vendor's text in a form that may be shown: one line of limited length, without markup or secrets in any encoding.
 * @param most characters @param secretMask of the connection, if several texts are shown
 */
export function shownText(
  text: string,
  secrets: readonly string[],
  most = longest,
  secretMask = new SecretMask(),
): string {
  // Cut between words, so that no secret is cut.
  const read = text.length > mostRead ? text.slice(0, mostRead).replace(/(?<!\S)\S*$/, "") : text;
  const line = withoutMarkup(secretMask.apply(read, secrets))
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

/** A field that a vendor may leave out, and may as well print as null, whatever its documentation says: undefined then. */
export function maybe<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}
