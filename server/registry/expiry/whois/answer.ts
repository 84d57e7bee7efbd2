import { domainToASCII } from "node:url";
import { parseExpiryDate, cleanRegistryText, distinct, readDs, readHostNames } from "../dates.ts";
import type { Answer } from "../registration.ts";

/** A parsed WHOIS answer, and the server that it refers to. */
export interface WhoisAnswer {
  answer: Answer;
  /** `host` or `host:port`, not validated. IANA refers to the registry's server, and a registry to the registrar's. */
  referral: string | null;
}

/** How much of an answer without a registration is searched for the reason. */
const longestPlain = 8_192;

const limited =
  /quota|limit(?:s)? (?:has been |was |is )?(?:exceeded|reached)|exceeded|too many|too (?:fast|often)|try again (?:later|after|in)|access (?:denied|refused|restricted)|blocked|blacklisted|excessive/i;
const unregistered =
  /\bno (?:match(?:ing)?|entries|data|such domain|object|record|information)\b|\bnot (?:been )?(?:found|registered|exist)\b|\bnothing found\b|\bdoes not exist\b|\bis (?:free|available)\b|^[ \t]*(?:domain )?status:?[ \t]+(?:free|available)\b|\bavailable for (?:registration|purchase)\b|\bdo not have an entry\b|\bno_se_encontro\b|\bunassignable\b|該当するデータがありません/im;

/** Parses a WHOIS answer. @param name the queried name in lower-case A-labels. */
export function readWhoisAnswer(text: string, name: string): WhoisAnswer {
  const pairs = readPairs(text);
  return { answer: answerIn(text, pairs, name), referral: referralIn(pairs) };
}

function answerIn(text: string, pairs: readonly Pair[], name: string): Answer {
  const registryExpiresAt = dateIn(pairs, registryExpiryKeys) ?? connectedUntil(pairs);
  const registrarExpiresAt = dateIn(pairs, registrarExpiryKeys);
  const dated = registryExpiresAt !== null || registrarExpiresAt !== null;
  if (!dated && !pairs.some(({ key }) => registrationKeys.has(key))) {
    const start = text.slice(0, longestPlain);
    if (/\breturned 0 objects\b/i.test(start)) return { kind: "no registry" };
    if (unregistered.test(start)) return { kind: "unregistered" };
    if (limited.test(start)) return { kind: "limited", seconds: null };
    const empty = text.trim() === "";
    return {
      kind: "broken",
      message: empty ? "returned an empty response" : "returned a response that cannot be parsed",
    };
  }
  // An answer for an unregistered name can contain the registry's own contact data.
  if (!dated && statusesIn(pairs).some((status) => /^(?:free|available)$/i.test(status)))
    return { kind: "unregistered" };
  if (!isFor(pairs, name, dated)) return { kind: "broken", message: "returned data for another name" };
  return {
    kind: "registered",
    registration: {
      registryExpiresAt,
      registrarExpiresAt,
      registrar: firstIn(pairs, registrarKeys, cleanRegistryText),
      statuses: statusesIn(pairs),
      nameServers: nameServersIn(pairs),
      ds: dsIn(pairs),
    },
  };
}

function dateIn(pairs: readonly Pair[], keys: ReadonlySet<string>): Date | null {
  return firstIn(pairs, keys, parseExpiryDate);
}

/** Returns the date of JPRS's status for names below co.jp: `[State] Connected (2027/03/31)`. */
function connectedUntil(pairs: readonly Pair[]): Date | null {
  return firstIn(pairs, statusKeys, (value) => parseExpiryDate(/^connected \(([\d/]+)\)$/i.exec(value)?.[1] ?? ""));
}

/** Returns the first result of `read` that is not null. */
function firstIn<T>(pairs: readonly Pair[], keys: ReadonlySet<string>, read: (value: string) => T | null): T | null {
  for (const { key, value } of pairs) {
    const result = keys.has(key) ? read(value) : null;
    if (result !== null) return result;
  }
  return null;
}

/** Returns statuses without the explanations that some servers append. */
function statusesIn(pairs: readonly Pair[]): string[] {
  const values = pairs.flatMap(({ key, value }) => (statusKeys.has(key) ? value.split(/,\s*/) : []));
  const statuses = values.flatMap((value) => cleanRegistryText(value.replace(/\s+\(?https?:\/\/.*$/i, "")) ?? []);
  return [...new Set(statuses)].slice(0, 50);
}

/** Returns the names of the name servers, without the addresses that some servers append; null if the answer has none. */
function nameServersIn(pairs: readonly Pair[]): string[] | null {
  const names = pairs.flatMap(({ key, value }) => (nameServerKeys.has(key) ? (value.split(/[\s,(]/)[0] ?? "") : []));
  const hosts = readHostNames(names);
  return hosts.length === 0 ? null : hosts;
}

/** Returns the DS records; empty if the answer says that the name is not signed, null if it lists none. */
function dsIn(pairs: readonly Pair[]): string[] | null {
  const records = pairs.flatMap(({ key, value }) => (dsKeys.has(key) ? (readDs(value) ?? []) : []));
  if (records.length > 0) return distinct(records);
  const unsigned = pairs.some(
    ({ key, value }) => signedKeys.has(key) && /^(?:unsigned|no|none|inactive)\b/i.test(value),
  );
  return unsigned ? [] : null;
}

/** Whether the answer is for this name. An answer with a date but no name is assumed to be. */
function isFor(pairs: readonly Pair[], name: string, dated: boolean): boolean {
  const names = pairs.flatMap(({ key, value }) => (nameKeys.has(key) ? (value.split(/[\s(]/)[0] ?? "") : []));
  return (dated && names.length === 0) || names.some((given) => domainToASCII(given.replace(/\.$/, "")) === name);
}

function referralIn(pairs: readonly Pair[]): string | null {
  return firstIn(pairs, referralKeys, (value) => {
    const [, host] = /^(?:r?whois:\/\/)?([\w.-]+(?::\d{1,5})?)\/?$/i.exec(value) ?? [];
    return host?.includes(".") ? host.toLowerCase() : null;
  });
}

/** A `key: value` line of a WHOIS answer. The key is in lower case, with single spaces between words. */
interface Pair {
  key: string;
  value: string;
}

/** Further lines of a block that are read. */
const mostBelow = 20;
const mostLines = 5_000;
const longestLine = 500;

/**
 * Returns the pairs in an answer. WHOIS defines no format (RFC 3912 §2): most servers write `key: value`, some `[key] value`, and some
 * put the value, or a block about it, on the lines below the key.
 */
function readPairs(text: string): Pair[] {
  const lines = text.split(/\r\n|\r|\n/, mostLines).map((line) => line.slice(0, longestLine).trimEnd());
  return lines.flatMap((line, index) => {
    const pair = pairOf(line);
    if (!pair) return [];
    if (pair.value !== "")
      return [pair.value, ...hostsBelow(lines, index)].map((text) => ({ key: pair.key, value: text }));
    const value = valueBelow(lines, index);
    if (value === "") return [];
    return [value, ...moreBelow(lines, index)].map((text) => ({ key: pair.key, value: text }));
  });
}

function pairOf(line: string): Pair | null {
  if (/^\s*(?:[%#;]|>>>|--)/.test(line)) return null;
  const [, bracketed, behind] = /^\s*(?:[a-z](?:\.| ) *)?\[([^\]]{1,60})\](.*)$/i.exec(line) ?? [];
  if (bracketed !== undefined) return { key: keyOf(bracketed), value: (behind ?? "").trim() };
  // "Record expires on 2027-05-31 23:59:59 (UTC+8)"
  const [, sentence, date] = /^\s*((?:record )?expires on)\s+(\d.*)$/i.exec(line) ?? [];
  if (sentence !== undefined) return { key: keyOf(sentence), value: date ?? "" };
  // A colon within a URL does not end a key.
  const [, key, value] = /^([^:]{1,60}?)[.\s]*:(?!\/\/)(.*)$/.exec(line.trimStart()) ?? [];
  return key === undefined ? null : { key: keyOf(key), value: (value ?? "").trim() };
}

function keyOf(text: string): string {
  return text
    .replaceAll(/[._\s]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Returns the first line of the block below a key. If that line is itself a name's pair, returns its value. */
function valueBelow(lines: readonly string[], index: number): string {
  const next = lines[index + 1];
  if (next === undefined || next.trim() === "" || indent(next) <= indent(lines[index] ?? "")) return "";
  const below = pairOf(next);
  if (below && below.value !== "" && /^(?:name|organi[sz]ation(?: name)?)$/.test(below.key)) return below.value;
  return below && /^[\w ]{1,30}$/.test(below.key) && below.value !== "" ? "" : next.trim();
}

/** Returns host names aligned below the value of a pair, as lists of name servers have them. */
function hostsBelow(lines: readonly string[], index: number): string[] {
  const below = lines.slice(index + 1, index + 1 + mostBelow);
  const end = below.findIndex((line) => !/^\s{8,}[\w-]+(?:\.[\w-]+)+\.?(?:\s|$)/.test(line));
  return below.slice(0, end === -1 ? below.length : end).map((line) => line.trim());
}

/** Returns the other lines of a block that is a list, such as one of name servers. */
function moreBelow(lines: readonly string[], index: number): string[] {
  const depth = indent(lines[index + 1] ?? "");
  const more: string[] = [];
  for (const line of lines.slice(index + 2, index + 2 + mostBelow)) {
    if (line.trim() === "" || indent(line) !== depth || pairOf(line)) break;
    more.push(line.trim());
  }
  return more;
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}

/** Registries' keys for the expiry date. Case is ignored; dots and underscores count as spaces. */
const registryExpiryKeys = keys(`
  registry expiry date, registry expiration date, domain expiration date, domain expiry, domain expires, domain datebilleduntil,
  expiration date, expiration time, expiration, expire date, expire-date, expire, expires, expires at, expires on, expires-on,
  expiry date, expiry, exp date, paid-till, paid till, record expires on, record expired, registered until, renewal date, renewal,
  valid until, valid-until, validity, 有効期限
`);

const registrarExpiryKeys = keys(`
  registrar registration expiration date, registrar expiration date, registrar expiry date
`);

const registrarKeys = keys(`
  registrar, registrar name, sponsoring registrar, registrar organization, registrar company, current registrar, authorized agency
`);

const statusKeys = keys("domain status, status, state, eppstatus, 状態");

const nameServerKeys = keys(`
  name server, name servers, nameserver, nameservers, nserver, domain nameservers, nsentry, ns, primary name server, secondary name server, ネームサーバ
`);

const dsKeys = keys("dnssec ds data, ds-rdata, ds rdata, ds data, ds record, ds, signing key");

/** Keys whose value `unsigned` or `no` says that the name has no DS records. */
const signedKeys = keys("dnssec, dnssec signed, dnssec status");

const nameKeys = keys("domain name, domain, ascii domain name, ドメイン名");

/** Keys for a referral: IANA refers to the registry's server, and a registry to the registrar's. */
const referralKeys = keys("refer, whois, whois server, registrar whois server, referralserver");

/** Keys that occur only in registrations. */
const registrationKeys = keys(`
  registrar, sponsoring registrar, created, creation date, created on, registered, registered on, registered date, domain registered,
  登録年月日, nserver, name server, name servers, nameserver, nameservers, domain nameservers, holder, registrant, changed,
  last update, modified, record created
`);

function keys(list: string): ReadonlySet<string> {
  return new Set(list.split(",").map((key) => key.trim()));
}
