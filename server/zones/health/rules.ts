import { ownerWithin } from "../../dns/names/names.ts";
import { specialUseAbove } from "../../dns/names/special-use.ts";
import { isActive, recordLabel, shortValue, type LiveRecord } from "../../dns/record.ts";
import { NamesInMemory, wildcardBelow, type KnownNames } from "../../dns/server-rules/known-names.ts";
import { addressesOf, isDelegatedAbove, isRefused } from "../../dns/server-rules/name-servers.ts";
import { countLookups, includedIn, isSpf, letsAllSend, mergeSpf, mostLookups, withSoftAll } from "../../dns/spf.ts";
import { violationsAt } from "../../dns/zone-rules.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { filtered, grouped, type Steps } from "../../platform/slices.ts";
import { isPrivate } from "../records/warnings.ts";

export const healthCodes = [
  "zone_rule",
  "ns_without_address",
  "alias_target",
  "dangling",
  "spf_duplicate",
  "spf_lookups",
  "spf_allows_all",
  "spf_missing",
  "dmarc_duplicate",
  "dmarc_missing",
  "dmarc_without_mailbox",
  "private_address",
  "ttl_short",
  "ttl_long",
] as const;
export type HealthCode = (typeof healthCodes)[number];

/** How bad each fault is, and why it matters. */
export const aboutCodes: Readonly<Record<HealthCode, { severity: "error" | "warning" | "info"; why: string }>> = {
  zone_rule: { severity: "error", why: "Name servers refuse such a zone, or answer with only some of its records." },
  ns_without_address: {
    severity: "error",
    why: "Resolvers cannot reach the name server, and name servers refuse the zone.",
  },
  alias_target: {
    severity: "warning",
    why: "These records must point to a name with addresses (RFC 2181 §10.3); some mail servers and resolvers do not follow a CNAME there.",
  },
  dangling: { severity: "warning", why: "Whoever uses the name gets no answer." },
  spf_duplicate: {
    severity: "error",
    why: "Receivers treat several SPF records as an error and ignore all (RFC 7208 §3.2).",
  },
  spf_lookups: { severity: "error", why: "Receivers stop after 10 lookups, and mail fails SPF (RFC 7208 §4.6.4)." },
  spf_allows_all: { severity: "error", why: "Anybody can send mail in your name, and it passes SPF." },
  spf_missing: {
    severity: "warning",
    why: "Large receivers refuse mail from a domain without SPF, or sort it as spam.",
  },
  dmarc_duplicate: { severity: "error", why: "Receivers ignore all of several DMARC records (RFC 7489 §6.6.3)." },
  dmarc_missing: {
    severity: "warning",
    why: "Without a policy, receivers let forged mail through, and large ones refuse bulk mail.",
  },
  dmarc_without_mailbox: { severity: "info", why: "Nobody sends you reports about forged or failing mail." },
  private_address: {
    severity: "warning",
    why: "The Internet cannot reach the address, and sees the inside of your network.",
  },
  ttl_short: { severity: "info", why: "Resolvers ask again so often that each visit takes longer." },
  ttl_long: { severity: "info", why: "After a change, resolvers answer with the old record for more than a week." },
};

/** A change that mends a fault, as a plan takes it. */
type Mend =
  | { action: "update"; recordId: string; record: { value?: string; ttl?: number } }
  | { action: "delete"; recordId: string };

/** A fault in the records of a zone. */
export interface Fault {
  code: HealthCode;
  /** Relative to the zone; `@` for the zone itself. */
  name: string;
  message: string;
  records: LiveRecord[];
  /** Changes that mend it; none if a person has to decide. */
  mend: Mend[];
}

/** A zone as it is judged. */
export interface JudgedZone {
  name: string;
  /** Empty: the default view. */
  view: string;
  kind: Pick<ProviderKind, "serverRules" | "apexCname" | "automaticTtl">;
  /** Whether the records are only those of some hosts, so that nothing is known to be missing. */
  isPart: boolean;
  /** Whether a zone above has the DMARC policy. */
  isBelowOwn: boolean;
}

/** TTLs that somebody meant otherwise: shorter ones cost lookups, and longer ones outlive a change. */
const [shortTtl, longTtl] = [60, 604_800];
const [mendedShortTtl, mendedLongTtl] = [300, 86_400];
/** Changes that mend one fault. */
const mostMended = 100;

/** Finds what is wrong in the records of a zone, in one pass after they are grouped by name. Pure: nothing is looked up. */
export function* faultsOf(zone: JudgedZone, all: readonly LiveRecord[]): Steps<Fault[]> {
  const records = yield* filtered(all, isActive);
  const known = yield* NamesInMemory.of(records);
  const byName = yield* grouped(records, ({ name }) => name);
  const judging = new Judging(zone, known, byName);
  for (const [name, some] of byName) {
    judging.name(name, some);
    yield;
  }
  return judging.end();
}

class Judging {
  readonly #zone: JudgedZone;
  readonly #known: KnownNames;
  readonly #byName: ReadonlyMap<string, LiveRecord[]>;
  readonly #faults: Fault[] = [];
  readonly #short: LiveRecord[] = [];
  readonly #long: LiveRecord[] = [];
  readonly #private: LiveRecord[] = [];

  constructor(zone: JudgedZone, known: KnownNames, byName: ReadonlyMap<string, LiveRecord[]>) {
    this.#zone = zone;
    this.#known = known;
    this.#byName = byName;
  }

  /** Judges the records of one name. */
  name(name: string, records: LiveRecord[]): void {
    const { serverRules = null, apexCname } = this.#zone.kind;
    for (const { message } of violationsAt(name, records, serverRules, apexCname))
      this.#add("zone_rule", name, message, records);
    for (const record of records) {
      this.#ttl(record);
      if (isPrivate(record)) this.#private.push(record);
      this.#target(record);
    }
    this.#spf(name, records);
  }

  /** Judges the zone as a whole. @returns all faults */
  end(): Fault[] {
    const isPublic = this.#zone.view === "" && specialUseAbove(this.#zone.name) === null;
    if (isPublic) this.#mail();
    if (isPublic && this.#private.length > 0)
      this.#addAll("private_address", this.#private, "has a private address", "have private addresses");
    if (this.#short.length > 0)
      this.#addAll(
        "ttl_short",
        this.#short,
        `has a TTL under ${shortTtl} seconds`,
        `have a TTL under ${shortTtl} seconds`,
        withTtl(this.#short, mendedShortTtl),
      );
    if (this.#long.length > 0)
      this.#addAll(
        "ttl_long",
        this.#long,
        "has a TTL over a week",
        "have a TTL over a week",
        withTtl(this.#long, mendedLongTtl),
      );
    return this.#faults;
  }

  #add(code: HealthCode, name: string, message: string, records: LiveRecord[], mend: Mend[] = []): void {
    this.#faults.push({ code, name, message, records, mend });
  }

  /** Adds one fault of many records. */
  #addAll(code: HealthCode, records: LiveRecord[], one: string, many: string, mend: Mend[] = []): void {
    const [first] = records;
    const isOne = records.length === 1 && first !== undefined;
    const message = isOne ? `${recordLabel(first)} ${one}.` : `${records.length} records ${many}.`;
    this.#add(code, isOne ? first.name : "@", message, records, mend);
  }

  #ttl(record: LiveRecord): void {
    const { ttl, name } = record;
    if (ttl === this.#zone.kind.automaticTtl || name.startsWith("_acme-challenge")) return;
    if (ttl < shortTtl) this.#short.push(record);
    else if (ttl > longTtl) this.#long.push(record);
  }

  /** Judges where a record points within the zone. */
  #target(record: LiveRecord): void {
    const { name, recordType } = record;
    const host = hostIn(record);
    const target = host === null ? null : ownerWithin(host, this.#zone.name);
    if (host === null || target === null || name.startsWith("_acme-challenge")) return;
    const known = this.#known;
    if (recordType === "CNAME") {
      if (!this.#zone.isPart && !isDelegatedAbove(known, name) && !this.#mayExist(target))
        this.#add(
          "dangling",
          name,
          `${recordLabel(record)} points to a name without records.`,
          [record],
          [{ action: "delete", recordId: record.id }],
        );
      return;
    }
    if (isDelegatedAbove(known, name) || this.#isFlattened(target)) return;
    const addresses = addressesOf(known, target);
    const isNs = recordType === "NS";
    if (addresses.state === "alias") {
      const end = isNs ? null : this.#endOfAlias(target);
      const mend: Mend[] =
        end === null ? [] : [{ action: "update", recordId: record.id, record: { value: withHost(record, end) } }];
      this.#add("alias_target", name, `${recordLabel(record)} points to a CNAME.`, [record], mend);
    } else if (!this.#zone.isPart && isNs && isRefused(addresses, name)) {
      this.#add(
        "ns_without_address",
        name,
        `${recordLabel(record)} is a name server without an A or AAAA record in the zone. Add its address.`,
        [record],
      );
    } else if (!this.#zone.isPart && !isNs && addresses.state === "missing") {
      this.#add("dangling", name, `${recordLabel(record)} points to a name without A or AAAA records.`, [record]);
    }
  }

  /** Returns whether a provider answers for a name with addresses that the zone does not have. */
  #isFlattened(name: string): boolean {
    const isAtApex = name === "@" && this.#zone.kind.apexCname?.isFlattened === true;
    return (this.#byName.get(name) ?? []).some(
      ({ recordType, proxied }) => recordType === "ALIAS" || (recordType === "CNAME" && (proxied || isAtApex)),
    );
  }

  /** Returns whether a name exists, comes from a wildcard, or is another zone's to answer for. */
  #mayExist(name: string): boolean {
    const { types, existsBelow, above } = this.#known;
    if (name === "@" || types(name).size > 0 || existsBelow(name)) return true;
    const over = [...above(name), "@"];
    return over.some((each) => {
      const has = types(each);
      return types(wildcardBelow(each)).size > 0 || has.has("DNAME") || (each !== "@" && has.has("NS"));
    });
  }

  /** Returns the name with addresses to which a CNAME leads; null if there is none that is known. */
  #endOfAlias(owner: string): string | null {
    const seen = new Set<string>();
    for (let at = owner; !seen.has(at);) {
      seen.add(at);
      const alias = this.#byName.get(at)?.find(({ recordType }) => recordType === "CNAME");
      if (!alias) return null;
      const next = ownerWithin(alias.value, this.#zone.name);
      if (next === null) return alias.value;
      if (addressesOf(this.#known, next).state === "fine") return alias.value;
      at = next;
    }
    return null;
  }

  #spfAt(name: string): LiveRecord[] {
    return spfAmong(this.#byName.get(name) ?? []);
  }

  #spf(name: string, records: readonly LiveRecord[]): void {
    const found = spfAmong(records);
    const [first, ...others] = found;
    if (!first) return;
    if (others.length > 0) {
      const value = mergeSpf(
        found.map((one) => one.value),
        [],
      );
      const deletes = others.map(({ id }): Mend => ({ action: "delete", recordId: id }));
      this.#add("spf_duplicate", name, `${name} has ${found.length} SPF records.`, found, [
        { action: "update", recordId: first.id, record: { value } },
        ...deletes,
      ]);
    }
    for (const record of found) {
      const lookups = this.#lookups(record.value, new Set([name]));
      if (lookups > mostLookups)
        this.#add(
          "spf_lookups",
          name,
          `The SPF record of ${name} needs at least ${lookups} lookups. Remove terms, or replace some by addresses.`,
          [record],
        );
      if (letsAllSend(record.value))
        this.#add(
          "spf_allows_all",
          name,
          `The SPF record of ${name} ends in +all.`,
          [record],
          [{ action: "update", recordId: record.id, record: { value: withSoftAll(record.value) } }],
        );
    }
  }

  /** Counts lookups, also of included records within the zone. */
  #lookups(value: string, seen: Set<string>): number {
    let count = countLookups(value);
    for (const included of includedIn(value)) {
      const name = ownerWithin(included, this.#zone.name);
      // One that includes itself is an error of another kind.
      if (name === null || seen.has(name) || count > mostCounted) continue;
      seen.add(name);
      const [record] = this.#spfAt(name);
      if (record) count += this.#lookups(record.value, seen);
    }
    return count;
  }

  /** Judges what protects the mail of the zone's own name. */
  #mail(): void {
    const apex = this.#byName.get("@") ?? [];
    const exchangers = apex.filter(({ recordType, value }) => recordType === "MX" && value !== "0 .");
    const spf = spfAmong(apex);
    const policies = this.#byName.get("_dmarc") ?? [];
    const dmarc = policies.filter(
      ({ recordType, value }) => recordType === "TXT" && /^v=DMARC1\s*(?:;|$)/i.test(value),
    );
    const [policy, ...others] = dmarc;
    if (others.length > 0)
      this.#add("dmarc_duplicate", "_dmarc", `_dmarc has ${dmarc.length} DMARC records. Delete all but one.`, dmarc);
    else if (policy && !/;\s*rua\s*=\s*\S/i.test(policy.value))
      this.#add(
        "dmarc_without_mailbox",
        "_dmarc",
        `The policy ${shortValue(policy.value)} names no mailbox (rua) for reports.`,
        [policy],
      );
    if (this.#zone.isPart) return;
    if (exchangers.length > 0 && spf.length === 0)
      this.#add("spf_missing", "@", `${this.#zone.name} receives mail, but has no SPF record.`, exchangers);
    const isElsewhere = policies.some(({ recordType }) => recordType === "CNAME" || recordType === "NS");
    const sends = exchangers.length > 0 || spf.some(({ value }) => countLookups(value) > 0 || /\bip[46]:/i.test(value));
    if (sends && !policy && !isElsewhere && !this.#zone.isBelowOwn)
      this.#add("dmarc_missing", "_dmarc", `${this.#zone.name} has mail, but no DMARC record at _dmarc.`, [
        ...exchangers,
        ...spf,
      ]);
  }
}

/** Counting on is useless: an SPF record that is over the limit stays so. */
const mostCounted = 200;

/** Returns the changes that give records a TTL. */
function withTtl(records: readonly LiveRecord[], ttl: number): Mend[] {
  return records.slice(0, mostMended).map(({ id }) => ({ action: "update", recordId: id, record: { ttl } }));
}

function spfAmong(records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter(({ recordType, value }) => recordType === "TXT" && isSpf(value));
}

const pointing = new Set(["CNAME", "MX", "NS", "SRV"]);

/** Returns the host that a record points to; null if it points to none. */
function hostIn({ recordType, value }: LiveRecord): string | null {
  if (!pointing.has(recordType)) return null;
  const host = value.slice(value.lastIndexOf(" ") + 1);
  return host === "." || value.startsWith("\\#") ? null : host;
}

function withHost({ value }: LiveRecord, host: string): string {
  return value.slice(0, value.lastIndexOf(" ") + 1) + host;
}
