/*
 * SPF records (RFC 7208): merging the rules of several into one, and counting DNS lookups. Pure text; no record is looked up.
 */

const version = "v=spf1";

/** Mechanisms and modifiers that cost a DNS lookup (RFC 7208 §4.6.4). */
const lookingUp = new Set(["include", "a", "mx", "ptr", "exists", "redirect"]);

/** The limit of RFC 7208 §4.6.4. */
export const mostLookups = 10;

/** Qualifiers from permissive to strict. */
const qualifiers = ["+", "?", "~", "-"] as const;
type Qualifier = (typeof qualifiers)[number];

interface Term {
  /** Null: a modifier, such as `redirect=`. */
  qualifier: Qualifier | null;
  /** As written, without qualifier. */
  text: string;
}

/** Returns whether a TXT value is an SPF record (RFC 7208 §4.5). */
export function isSpf(value: string): boolean {
  return /^v=spf1(?: |$)/i.test(value);
}

/** Returns the terms of an SPF record, or of rules without their version. */
function termsOf(text: string): Term[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "" && word.toLowerCase() !== version)
    .map((word): Term => {
      if (/^[a-z][\w.-]*=/i.test(word)) return { qualifier: null, text: word };
      const qualifier = qualifiers.find((sign) => word.startsWith(sign));
      return qualifier ? { qualifier, text: word.slice(1) } : { qualifier: "+", text: word };
    });
}

/** Terms of RFC 7208 §4.6.1. What follows `:` and `=` is not looked into, apart from addresses. */
const term =
  /^(?:[+?~-]?(?:all|(?:a|mx)(?::[^/]+)?(?:\/\d{1,2})?(?:\/\/\d{1,3})?|ptr(?::.+)?|(?:include|exists):.+|ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-f:.]+(?:\/\d{1,3})?)|[a-z][\w.-]*=.*)$/i;

/** Returns the first of some rules that is not an SPF term, which would make receivers reject the whole record; null if all are. */
export function invalidTerm(rules: string): string | null {
  const words = rules.split(/\s+/).filter((word) => word !== "" && word.toLowerCase() !== version);
  return words.find((word) => !term.test(word)) ?? null;
}

function written({ qualifier, text }: Term): string {
  return qualifier === null || qualifier === "+" ? text : `${qualifier}${text}`;
}

function keyOf({ qualifier, text }: Term): string {
  return `${qualifier === null ? "=" : ""}${text.toLowerCase()}`;
}

function isAll({ qualifier, text }: Term): boolean {
  return qualifier !== null && text.toLowerCase() === "all";
}

function isRedirect({ qualifier, text }: Term): boolean {
  return qualifier === null && text.toLowerCase().startsWith("redirect=");
}

/** Returns the more permissive of two qualifiers. */
function milder(one: Qualifier, other: Qualifier): Qualifier {
  return qualifiers.indexOf(one) <= qualifiers.indexOf(other) ? one : other;
}

/**
 * Merges rules into the SPF records of a host. The terms present come first, then the missing ones; of two policies for the same term the
 * more permissive counts. The record ends in `~all`, or a milder one that was there, or the `redirect=` that was there. A record that has
 * all the rules already is returned unchanged.
 * @param present the SPF records of the host; more than one is a fault that merging mends
 * @param rules `spfRules` of the template's SPFM records
 * @param dropped rules that no template needs any longer
 */
export function mergeSpf(
  present: readonly string[],
  rules: readonly string[],
  dropped: readonly string[] = [],
): string {
  const wanted = rules.flatMap(termsOf).filter((term) => !isAll(term) && !isRedirect(term));
  const wantedKeys = new Set(wanted.map(keyOf));
  const droppedKeys = new Set(
    dropped
      .flatMap(termsOf)
      .map(keyOf)
      .filter((key) => !wantedKeys.has(key)),
  );
  const [first] = present;
  const there = present.flatMap(termsOf);
  const terms = new Map<string, Term>();
  let changed = present.length !== 1;
  for (const term of there) {
    if (isAll(term) || isRedirect(term)) continue;
    if (droppedKeys.has(keyOf(term))) changed = true;
    else terms.set(keyOf(term), moreOpen(terms.get(keyOf(term)), term));
  }
  for (const term of wanted) {
    const known = terms.get(keyOf(term));
    const open = moreOpen(known, term);
    if (!known || known.qualifier !== open.qualifier) changed = true;
    terms.set(keyOf(term), open);
  }
  if (!changed && first !== undefined) return first;
  const redirect = there.find(isRedirect);
  const alls = there.filter(isAll).flatMap(({ qualifier }) => qualifier ?? []);
  const end = redirect && alls.length === 0 ? written(redirect) : `${alls.reduce(milder, "~")}all`.replace(/^\+/, "");
  // Modifiers stand last (RFC 7208 §6).
  const mechanisms = [...terms.values()].filter(({ qualifier }) => qualifier !== null);
  const modifiers = [...terms.values()].filter(({ qualifier }) => qualifier === null);
  return [version, ...mechanisms.map(written), end, ...modifiers.map(written)].join(" ");
}

function moreOpen(known: Term | undefined, term: Term): Term {
  if (!known || known.qualifier === null || term.qualifier === null) return known ?? term;
  return { ...known, qualifier: milder(known.qualifier, term.qualifier) };
}

/**
 * Returns one SPF record that passes whatever any of several passes, and ends as the mildest of them. Returns null if a person has to decide:
 * modifiers, terms that do not pass, `+all`, and terms after `all` would mean something else in one record.
 */
export function unionOfSpf(values: readonly string[]): string | null {
  const all = values.map(termsOf);
  if (!all.every(isPlain) || values.some((value) => invalidTerm(value) !== null)) return null;
  // A record without `all` ends neutral (RFC 7208 §4.7).
  const ends = all.map((terms) => terms.find(isAll)?.qualifier ?? "?");
  const mechanisms = new Set(all.flatMap((terms) => terms.filter((term) => !isAll(term)).map(written)));
  return [version, ...mechanisms, `${ends.reduce(milder)}all`].join(" ");
}

/** Returns whether all that terms do is pass some hosts, before an `all` at the end that does not pass the others. */
function isPlain(terms: readonly Term[]): boolean {
  const last = terms.length - 1;
  return terms.every((term, at) => (isAll(term) ? term.qualifier !== "+" && at === last : term.qualifier === "+"));
}

/** Counts the terms of an SPF record that cost a DNS lookup. Those behind an `include` are not counted, because nothing is looked up. */
export function countLookups(value: string): number {
  return termsOf(value).filter(({ text }) => lookingUp.has((/^[a-z]+/i.exec(text)?.[0] ?? "").toLowerCase())).length;
}

/** Returns the names whose SPF records a record includes or redirects to, without macros (RFC 7208 §7), which depend on the mail. */
export function includedIn(value: string): string[] {
  return termsOf(value).flatMap(({ text }) => {
    const [, name] = /^(?:include:|redirect=)([^%]+)$/i.exec(text) ?? [];
    return name === undefined ? [] : [name.toLowerCase().replace(/\.$/, "")];
  });
}

/** Returns whether a record lets everybody send, because its `all` has no sign or a plus. */
export function letsAllSend(value: string): boolean {
  return termsOf(value).find(isAll)?.qualifier === "+";
}

/** Returns a record that also passes what another one passes, and else stays as it is. */
export function withInclude(value: string, host: string): string {
  const terms = termsOf(value);
  // Nothing behind `all` counts, and modifiers stand last (RFC 7208 §5.1, §6).
  const end = terms.findIndex((one) => isAll(one) || one.qualifier === null);
  const include: Term = { qualifier: "+", text: `include:${host}` };
  return [version, ...terms.toSpliced(end === -1 ? terms.length : end, 0, include).map(written)].join(" ");
}

/** Returns a record that lets everybody send, with `~all` instead. */
export function withSoftAll(value: string): string {
  return [version, ...termsOf(value).map((one) => (isAll(one) ? "~all" : written(one)))].join(" ");
}

/** Returns warnings about a merged SPF record. @param before the SPF records that it replaces */
export function spfWarnings(name: string, after: string, before: readonly string[]): string[] {
  const warnings: string[] = [];
  const lookups = countLookups(after);
  if (lookups > mostLookups)
    warnings.push(
      `The SPF record of ${name} has ${lookups} terms that need a DNS lookup; receivers stop after ${mostLookups} (RFC 7208 §4.6.4). Remove some.`,
    );
  const wasStrict =
    before.length > 0 &&
    before
      .flatMap(termsOf)
      .filter(isAll)
      .every(({ qualifier }) => qualifier === "-");
  if (wasStrict && before.some((value) => termsOf(value).some(isAll)) && /(?:^| )~all(?: |$)/.test(after))
    warnings.push(
      `The SPF record of ${name} ends in ~all instead of -all, as Domain Connect merges rules. Change it afterwards if you want -all.`,
    );
  return warnings;
}
