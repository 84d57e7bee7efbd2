import { isIPv4, isIPv6 } from "node:net";

/** An RRset in a simulated account. */
export interface HeldRrset {
  /** Relative to the zone, `@` for the apex. */
  name: string;
  type: string;
  ttl: number;
  /** As the client wrote them. */
  values: string[];
  /** Changes with the content. */
  etag: string;
}

/** An RRset that a call writes; without values it is deleted. */
export type Writing = Omit<HeldRrset, "etag">;

/** What a vendor accepts. */
export interface StoreRules {
  types: readonly string[];
  minTtl: number;
  maxTtl: number;
  /** Owners relative to the zone, without `@`. */
  owner: RegExp;
  /** Octets of a character-string in a TXT; the vendor splits longer ones. */
  longestString?: number;
  /** Owners of these types may not be the apex. */
  notAtApex?: readonly string[];
  /** The vendor's own refusals of a value in presentation form. */
  refusal?: (type: string, value: string) => string | null;
  /** What a new zone has. */
  initial: readonly Writing[];
}

/** The zones of a simulated account whose API writes RRsets. Values are in presentation form (RFC 1035 §5.1). */
export class RrsetStore {
  readonly rules: StoreRules;
  readonly zones = new Map<string, Map<string, HeldRrset>>();
  #etags = 0;

  constructor(rules: StoreRules) {
    this.rules = rules;
  }

  addZone(name: string): void {
    this.zones.set(name, new Map());
    this.write(name, this.rules.initial);
  }

  /** All RRsets of a zone, or those of a name. */
  rrsets(zone: string, name?: string): HeldRrset[] {
    const all = [...(this.zones.get(zone)?.values() ?? [])];
    return name === undefined ? all : all.filter((one) => one.name === name);
  }

  rrset(zone: string, name: string, type: string): HeldRrset | undefined {
    return this.zones.get(zone)?.get(`${name} ${type}`);
  }

  /** The records of a zone as `name type ttl value`, without those of a new zone. */
  lines(zone: string): string[] {
    const initial = new Set(this.rules.initial.map(({ name, type }) => `${name} ${type}`));
    return this.rrsets(zone)
      .filter(({ name, type }) => !initial.has(`${name} ${type}`))
      .flatMap(({ name, type, ttl, values }) => values.map((value) => `${name} ${type} ${ttl} ${value}`))
      .toSorted();
  }

  /** Writes without any check, as somebody else would. */
  write(zone: string, writings: readonly Writing[]): void {
    const held = this.zones.get(zone) ?? new Map<string, HeldRrset>();
    for (const { name, type, ttl, values } of writings) {
      const key = `${name} ${type}`;
      if (values.length === 0) held.delete(key);
      else held.set(key, { name, type, ttl, values: [...values], etag: `e${++this.#etags}` });
    }
  }

  /** Returns why each RRset of a call is refused, judged by the zone that the call would make; null for those that are not. */
  faults(zone: string, writings: readonly Writing[]): (string | null)[] {
    const after = new Map(writings.map(({ name }) => [name, new Set<string>()]));
    for (const { name, type } of this.zones.get(zone)?.values() ?? []) after.get(name)?.add(type);
    for (const { name, type, values } of writings) {
      if (values.length === 0) after.get(name)?.delete(type);
      else after.get(name)?.add(type);
    }
    return writings.map((writing) => (writing.values.length === 0 ? null : this.#faultOf(writing, after)));
  }

  #faultOf({ name, type, ttl, values }: Writing, after: ReadonlyMap<string, ReadonlySet<string>>): string | null {
    const { types, minTtl, maxTtl, owner, notAtApex = [], longestString = 255, refusal } = this.rules;
    if (!types.includes(type)) return `The type ${type} is not supported.`;
    if (name !== "@" && !owner.test(name)) return `The name ${name} is not allowed.`;
    if (ttl < minTtl || ttl > maxTtl) return `The TTL must be from ${minTtl} to ${maxTtl}.`;
    if (name === "@" && ["CNAME", ...notAtApex].includes(type)) return `${type} is not allowed at the apex.`;
    if (type === "CNAME" && values.length > 1) return "A CNAME has one record.";
    const beside = [...(after.get(name) ?? [])].filter((other) => other !== type);
    if (beside.some((other) => type === "CNAME" || other === "CNAME")) {
      return `A CNAME conflicts with other records at ${name}.`;
    }
    if (new Set(values).size < values.length) return "The RRset has the same record twice.";
    const reasons = values.map((value) => presentationFault(type, value, longestString) ?? refusal?.(type, value));
    return reasons.find((reason) => reason) ?? null;
  }
}

const host = /^(?:\.|(?:[^\s".;()]+\.)+)$/;
const quoted = /"((?:[^"\\]|\\(?:\d{3}|[^\d]))*)"/;

/** Returns why a value is not in presentation form; null if it is. */
function presentationFault(type: string, value: string, longestString: number): string | null {
  const fields = value.split(" ");
  const isRight = ((): boolean => {
    switch (type) {
      case "A":
        return isIPv4(value);
      case "AAAA":
        return isIPv6(value) && !value.includes(".");
      case "CNAME":
      case "DNAME":
      case "NS":
      case "PTR":
        return host.test(value);
      case "MX":
        return fields.length === 2 && isNumber(fields[0]) && host.test(fields[1] ?? "");
      case "SRV":
        return fields.length === 4 && fields.slice(0, 3).every(isNumber) && host.test(fields[3] ?? "");
      case "TXT":
      case "SPF":
        return new RegExp(`^${quoted.source}(?: ${quoted.source})*$`).test(value) && !isLong(value, longestString);
      case "CAA":
        return new RegExp(`^\\d{1,3} [a-z0-9]+ ${quoted.source}$`, "i").test(value);
      default:
        return value.trim() !== "" && !value.startsWith("\\#");
    }
  })();
  return isRight ? null : `The value ${value} is not a valid ${type} record.`;
}

function isNumber(field = ""): boolean {
  return /^\d{1,5}$/.test(field) && Number(field) <= 65_535;
}

function isLong(value: string, longestString: number): boolean {
  const strings = [...value.matchAll(new RegExp(quoted.source, "g"))].map(([, text = ""]) => text);
  return strings.some((text) => Buffer.byteLength(text.replaceAll(/\\(?:\d{3}|[^])/g, "x")) > longestString);
}
