import { absoluteName, ownerWithin } from "../../dns/names/names.ts";
import { specialUseAbove } from "../../dns/names/special-use.ts";
import { isActive, recordLabel, shortValue, type LiveRecord } from "../../dns/record.ts";
import { ancestorsOf, NamesInMemory, wildcardBelow, type KnownNames } from "../../dns/server-rules/known-names.ts";
import { addressesOf, isDelegatedAbove, isRefused } from "../../dns/server-rules/name-servers.ts";
import { countLookups, includedIn, isSpf, letsAllSend, mostLookups, unionOfSpf, withSoftAll } from "../../dns/spf.ts";
import { violationsAt } from "../../dns/zone-rules.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { filtered, flatMapped, grouped, type Steps } from "../../platform/slices.ts";
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
  dangling: { severity: "warning", why: "Lookups of this name fail." },
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
  /** Whether it is the registered name, whose DMARC policy covers all names below. */
  isRegistered: boolean;
  /** Whether the caller may change a record, or propose it. */
  mayMend: (record: LiveRecord) => boolean;
  /** Names of the zone that are domains of their own here, whoever may see them. */
  childZones: ReadonlySet<string>;
}

/** TTLs that somebody meant otherwise: shorter ones cost lookups, and longer ones outlive a change. */
const [shortTtl, longTtl] = [60, 604_800];
const [mendedShortTtl, mendedLongTtl] = [300, 86_400];
/** Changes that mend one fault. */
const mostMended = 100;
/** CNAME records that are followed. Servers follow no more. */
const longestChain = 16;

/**
 * Finds what is wrong in the records of a zone, in one pass after they are grouped by name. Pure: nothing is looked up.
 * @returns the faults, and how many records were judged
 */
export function* faultsOf(zone: JudgedZone, all: readonly LiveRecord[]): Steps<{ faults: Fault[]; checked: number }> {
  const records = yield* filtered(all, isActive);
  const known = yield* NamesInMemory.of(records);
  const stored = records.length === all.length ? known : yield* NamesInMemory.of(all);
  const byName = yield* grouped(records, ({ name }) => name);
  const judging = new Judging(zone, { known, stored, byName });
  for (const [name, some] of byName) {
    yield* judging.name(name, some);
    yield;
  }
  return { faults: judging.end(), checked: records.length };
}

interface Names {
  known: KnownNames;
  /** With disabled records. */
  stored: KnownNames;
  /** Active records. */
  byName: ReadonlyMap<string, LiveRecord[]>;
}

class Judging {
  readonly #zone: JudgedZone;
  readonly #known: KnownNames;
  readonly #stored: KnownNames;
  readonly #byName: ReadonlyMap<string, LiveRecord[]>;
  /** SPF records that others include. */
  readonly #included = new Map<string, string | null>();
  readonly #faults: Fault[] = [];
  readonly #short: LiveRecord[] = [];
  readonly #long: LiveRecord[] = [];
  readonly #private: LiveRecord[] = [];

  constructor(zone: JudgedZone, { known, stored, byName }: Names) {
    this.#zone = zone;
    this.#known = known;
    this.#stored = stored;
    this.#byName = byName;
  }

  /** Judges the records of one name. */
  *name(name: string, records: LiveRecord[]): Steps<void> {
    const { serverRules = null, apexCname } = this.#zone.kind;
    for (const { message } of violationsAt(name, records, serverRules, apexCname))
      this.#add("zone_rule", name, message, records);
    const beside = new Set(yield* flatMapped(records, (record) => (isService(record) ? [valueKey(record)] : [])));
    for (const record of records) {
      this.#ttl(record);
      if (isPrivate(record)) this.#private.push(record);
      this.#target(record, beside);
      yield;
    }
    yield* this.#spf(name, yield* filtered(records, isSpfRecord));
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
        this.#withTtl(this.#short, mendedShortTtl),
      );
    if (this.#long.length > 0)
      this.#addAll(
        "ttl_long",
        this.#long,
        "has a TTL over a week",
        "have a TTL over a week",
        this.#withTtl(this.#long, mendedLongTtl),
      );
    return this.#faults;
  }

  #add(code: HealthCode, name: string, message: string, records: LiveRecord[], mend: Mend[] = []): void {
    const ids = new Set(mend.map(({ recordId }) => recordId));
    const isFree = ids.size === 0 || records.every((one) => !ids.has(one.id) || this.#mayMend(one));
    this.#faults.push({ code, name, message, records, mend: isFree ? mend : [] });
  }

  /** Returns whether the caller may change a record. Somebody locked it for a reason. */
  #mayMend(record: LiveRecord): boolean {
    return !record.locked && this.#zone.mayMend(record);
  }

  /** Returns the changes that give records a TTL. */
  #withTtl(records: readonly LiveRecord[], ttl: number): Mend[] {
    const mended: Mend[] = [];
    for (const record of records) {
      if (mended.length === mostMended) break;
      if (this.#mayMend(record)) mended.push({ action: "update", recordId: record.id, record: { ttl } });
    }
    return mended;
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

  /** Judges where a record points within the zone. @param beside keys of the MX and SRV records of its name, as they will be */
  #target(record: LiveRecord, beside: Set<string>): void {
    const { name } = record;
    const host = hostIn(record);
    const target = host === null ? null : ownerWithin(host, this.#zone.name);
    if (target === null || name.startsWith("_acme-challenge") || isDelegatedAbove(this.#known, name)) return;
    if (record.recordType === "CNAME") this.#alias(record, target);
    else if (record.recordType === "NS") this.#nameServer(record, target);
    else this.#service(record, target, beside);
  }

  /** Judges a CNAME. */
  #alias(record: LiveRecord, target: string): void {
    const { name } = record;
    if (this.#zone.isPart || this.#isInChildZone(target) || this.#isInChildZone(name)) return;
    const label = recordLabel(record);
    if (!mayExist(this.#known, target)) {
      if (mayExist(this.#stored, target))
        this.#add(
          "dangling",
          name,
          `${label} points to a name whose records are disabled. Enable them, or delete this record.`,
          [record],
        );
      else
        this.#add(
          "dangling",
          name,
          `${label} points to a name without records.`,
          [record],
          [{ action: "delete", recordId: record.id }],
        );
    } else if (this.#isLoop(target))
      this.#add("dangling", name, `${label} leads into a loop of CNAME records. Point one of them to another name.`, [
        record,
      ]);
  }

  #nameServer(record: LiveRecord, target: string): void {
    const { name, value: host } = record;
    // A delegation needs the addresses of name servers within it (glue).
    const isGlue = name !== "@" && (target === name || target.endsWith(`.${name}`));
    if (this.#isFlattened(target) || (!isGlue && this.#isInChildZone(target))) return;
    const addresses = addressesOf(this.#known, target);
    if (addresses.state === "alias")
      this.#add(
        "alias_target",
        name,
        `${host}, a name server of ${absoluteName(name, this.#zone.name)}, is a CNAME. Point the NS record to a name with addresses.`,
        [record],
      );
    else if (!this.#zone.isPart && isRefused(addresses, name))
      this.#add(
        "ns_without_address",
        name,
        `${host}, a name server of ${absoluteName(name, this.#zone.name)}, has no A or AAAA record in the zone. Add its address.`,
        [record],
      );
  }

  /** Judges an MX or SRV record. */
  #service(record: LiveRecord, target: string, beside: Set<string>): void {
    const { name } = record;
    // The addresses of a delegated name are in its own zone.
    const isDelegated = target !== "@" && this.#known.types(target).has("NS");
    if (isDelegated || this.#isInChildZone(target) || this.#isFlattened(target)) return;
    const { state } = addressesOf(this.#known, target);
    const host = absoluteName(target, this.#zone.name);
    const label = recordLabel(record);
    if (state === "alias") {
      const isNamed = this.#isNamedElsewhere(record, target);
      this.#add(
        "alias_target",
        name,
        isNamed
          ? `${label} points to a CNAME. DANE or MTA-STS names ${host}: change both together.`
          : `${label} points to a CNAME. Point it to where ${host} leads.`,
        [record],
        isNamed || this.#zone.isPart ? [] : this.#pastAlias(record, target, beside),
      );
    } else if (!this.#zone.isPart && state === "missing") {
      const isDisabled = addressesOf(this.#stored, target).state === "fine";
      this.#add(
        "dangling",
        name,
        isDisabled
          ? `${label} points to a name whose addresses are disabled. Enable them, or delete this record.`
          : `${label} points to a name without A or AAAA records.`,
        [record],
      );
    }
  }

  /** Returns the change that leads past an alias; none if its end is not known. */
  #pastAlias(record: LiveRecord, target: string, beside: Set<string>): Mend[] {
    const end = this.#endOfAlias(target);
    if (end === null) return [];
    const value = withHost(record, end);
    const key = valueKey({ ...record, value });
    if (beside.has(key)) return [{ action: "delete", recordId: record.id }];
    beside.add(key);
    return [{ action: "update", recordId: record.id, record: { value } }];
  }

  /** Returns whether TLSA records (RFC 7672, RFC 7673) or an MTA-STS policy (RFC 8461) name the host of a record. */
  #isNamedElsewhere({ name, recordType }: LiveRecord, target: string): boolean {
    const { types, existsBelow } = this.#stored;
    if (existsBelow(`_tcp.${target}`) || existsBelow(`_udp.${target}`)) return true;
    return recordType === "MX" && types(name === "@" ? "_mta-sts" : `_mta-sts.${name}`).size > 0;
  }

  /** Returns whether a name is, or is below, a domain of its own here. */
  #isInChildZone(name: string): boolean {
    const { childZones } = this.#zone;
    if (childZones.size === 0 || name === "@") return false;
    return childZones.has(name) || ancestorsOf(name).some((above) => childZones.has(above));
  }

  /** Returns whether a provider answers for a name with addresses that the zone does not have. */
  #isFlattened(name: string): boolean {
    const isAtApex = name === "@" && this.#zone.kind.apexCname?.isFlattened === true;
    return this.#answering(name).some(
      ({ recordType, proxied }) => flattened.has(recordType) || (recordType === "CNAME" && (proxied || isAtApex)),
    );
  }

  /** Returns the records of a name, or of the wildcards above one that does not exist. */
  #answering(name: string): readonly LiveRecord[] {
    const own = this.#byName.get(name);
    if (own || name === "@" || this.#known.existsBelow(name)) return own ?? [];
    return [...this.#known.above(name), "@"].flatMap((above) => this.#byName.get(wildcardBelow(above)) ?? []);
  }

  /** Yields the CNAME records that a name leads to within the zone, each with where it leads on; null: out of the zone. */
  *#aliases(owner: string): Generator<{ value: string; next: string | null }, void> {
    for (let at: string | null = owner, left = longestChain; at !== null && left > 0; left--) {
      if (!this.#known.types(at).has("CNAME")) return;
      const value = this.#byName.get(at)?.find(({ recordType }) => recordType === "CNAME")?.value ?? "";
      at = ownerWithin(value, this.#zone.name);
      yield { value, next: at };
    }
  }

  #isLoop(owner: string): boolean {
    const seen = new Set<string | null>([owner]);
    for (const { next } of this.#aliases(owner)) {
      if (seen.has(next)) return true;
      seen.add(next);
    }
    return false;
  }

  /** Returns the name with addresses to which a CNAME leads; null if there is none that is known. */
  #endOfAlias(owner: string): string | null {
    for (const { value, next } of this.#aliases(owner))
      if (next === null || addressesOf(this.#known, next).state === "fine") return value;
    return null;
  }

  *#spf(name: string, found: LiveRecord[]): Steps<void> {
    const [first, ...others] = found;
    if (!first) return;
    if (others.length > 0) {
      const value = others.length < mostMended ? unionOfSpf(found.map((one) => one.value)) : null;
      const isMended = value !== null && this.#lookups(name, value) <= mostLookups;
      this.#add(
        "spf_duplicate",
        name,
        `${name} has ${found.length} SPF records.${isMended ? "" : " Decide which terms count, and keep one record with them."}`,
        found,
        isMended
          ? [
              { action: "update", recordId: first.id, record: { value } },
              ...others.map(({ id }): Mend => ({ action: "delete", recordId: id })),
            ]
          : [],
      );
    }
    for (const record of found) {
      const lookups = this.#lookups(name, record.value);
      if (lookups > mostLookups)
        this.#add(
          "spf_lookups",
          name,
          `The SPF record of ${name} needs at least ${lookups} lookups. Remove terms, or replace some by addresses.`,
          [record],
        );
      // Of several, none counts: which one is right, a person decides.
      if (others.length === 0 && letsAllSend(record.value))
        this.#add(
          "spf_allows_all",
          name,
          `The SPF record of ${name} ends in +all.`,
          [record],
          [{ action: "update", recordId: record.id, record: { value: withSoftAll(record.value) } }],
        );
      yield;
    }
  }

  #firstSpf(name: string): string | null {
    let value = this.#included.get(name);
    if (value === undefined) {
      value = this.#byName.get(name)?.find(isSpfRecord)?.value ?? null;
      this.#included.set(name, value);
    }
    return value;
  }

  /** Counts lookups, also of included records within the zone, until there are too many. */
  #lookups(name: string, value: string): number {
    const seen = new Set([name]);
    const values = [value];
    let count = 0;
    for (let next = values.pop(); next !== undefined && count <= mostLookups; next = values.pop()) {
      count += countLookups(next);
      for (const included of includedIn(next)) {
        const at = ownerWithin(included, this.#zone.name);
        // One that includes itself is an error of another kind.
        if (at === null || seen.has(at)) continue;
        seen.add(at);
        const found = this.#firstSpf(at);
        if (found !== null) values.push(found);
      }
    }
    return count;
  }

  /** Judges what protects the mail of the zone's own name. */
  #mail(): void {
    const apex = this.#byName.get("@") ?? [];
    const exchangers = apex.filter(({ recordType, value }) => recordType === "MX" && value !== "0 .");
    const spf = apex.filter(isSpfRecord);
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
    if (sends && !policy && !isElsewhere && this.#zone.isRegistered)
      this.#add("dmarc_missing", "_dmarc", `${this.#zone.name} has mail, but no DMARC record at _dmarc.`, [
        ...exchangers,
        ...spf,
      ]);
  }
}

function isSpfRecord({ recordType, value }: LiveRecord): boolean {
  return recordType === "TXT" && isSpf(value);
}

/** Returns whether a name exists, comes from a wildcard, or is another zone's to answer for. */
function mayExist({ types, existsBelow, above }: KnownNames, name: string): boolean {
  if (name === "@" || types(name).size > 0 || existsBelow(name)) return true;
  const over = [...above(name), "@"];
  return over.some((each) => {
    const has = types(each);
    return types(wildcardBelow(each)).size > 0 || has.has("DNAME") || (each !== "@" && has.has("NS"));
  });
}

/** Types from which providers make addresses. */
const flattened = new Set(["ALIAS", "ANAME", "LUA"]);

const pointing = new Set(["CNAME", "MX", "NS", "SRV"]);

function isService({ recordType }: LiveRecord): boolean {
  return recordType === "MX" || recordType === "SRV";
}

function valueKey({ recordType, value }: Pick<LiveRecord, "recordType" | "value">): string {
  return `${recordType} ${value}`;
}

/** Returns the host that a record points to; null if it points to none. */
function hostIn({ recordType, value }: LiveRecord): string | null {
  if (!pointing.has(recordType)) return null;
  const host = value.slice(value.lastIndexOf(" ") + 1);
  return host === "." || value.startsWith("\\#") ? null : host;
}

function withHost({ value }: LiveRecord, host: string): string {
  return value.slice(0, value.lastIndexOf(" ") + 1) + host;
}
