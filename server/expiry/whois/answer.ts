import { domainToASCII } from "node:url";
import { parseExpiryDate } from "../dates.ts";
import type { Answer } from "../registration.ts";
import { cleanRegistryText } from "../clean-registry-text.ts";
import { distinct, readDs, readHostNames } from "../delegation-data.ts";
import {
  dsKeys,
  nameKeys,
  nameServerKeys,
  referralKeys,
  registrarExpiryKeys,
  registrarKeys,
  registrationKeys,
  registryExpiryKeys,
  signedKeys,
  statusKeys,
} from "./keys.ts";
import { readPairs, type Pair } from "./pairs.ts";

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
