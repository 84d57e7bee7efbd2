import { isApexNs, textKey, type RecordData } from "../../../dns/record.ts";
import { isServerManaged } from "../../../dns/zone-file/type-names.ts";
import { isSpf } from "../../../dns/spf.ts";
import type { WantedRecord, WantedSpf } from "./expand.ts";

/*
 * Which records of a zone a template replaces (Domain Connect, "Record Types and Conflicts"). It goes further in one point: whatever stands
 * beside a CNAME goes, and a CNAME goes for whatever comes, because a zone cannot hold both.
 */

const addresses = ["A", "AAAA"];

/** The types at the same name that a record of a type replaces, besides NS. `any` includes every type. */
const replaced: Readonly<Record<string, readonly string[] | "any">> = {
  A: [...addresses, "CNAME", "ALIAS"],
  AAAA: [...addresses, "CNAME", "ALIAS"],
  CNAME: "any",
  ALIAS: [...addresses, "CNAME", "ALIAS"],
  MX: ["MX", "CNAME"],
  SRV: ["SRV", "CNAME"],
  NS: "any",
};

/** A CNAME at the apex, which the provider answers with addresses, leaves mail and texts alone. */
const atApex = [...addresses, "CNAME", "ALIAS"];

type Present = Pick<RecordData, "recordType" | "name" | "value">;

/** Returns the names above a name within the zone, without the apex. */
function ancestorsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}

/** The names whose records decide about conflicts. */
export interface Touched {
  names: string[];
  /** Names of delegations: everything below them matters, too. */
  trees: string[];
}

/** Returns the names to load before `Conflicts` can judge. */
export function touchedNames(wanted: readonly (WantedRecord | WantedSpf)[]): Touched {
  const names = new Set<string>();
  const trees = new Set<string>();
  for (const record of wanted) {
    if ("recordType" in record && record.recordType === "NS") trees.add(record.name);
    names.add(record.name);
    for (const above of ancestorsOf(record.name)) names.add(above);
  }
  return { names: [...names], trees: [...trees] };
}

/** What a template writes, indexed to judge each present record in constant time. */
export class Conflicts {
  readonly #byName: ReadonlyMap<string, readonly WantedRecord[]>;
  readonly #written: ReadonlySet<string>;
  readonly #delegations: ReadonlyMap<string, number>;
  /** The template's first record, other than NS and DS, at or below each name. */
  readonly #inTree = new Map<string, number>();
  readonly #spfNames: ReadonlyMap<string, number>;

  constructor(records: readonly WantedRecord[], spf: readonly WantedSpf[]) {
    this.#byName = Map.groupBy(records, ({ name }) => name);
    this.#written = new Set(records.map(textKey));
    this.#delegations = new Map(
      records.flatMap(({ recordType, name, index }) => (recordType === "NS" ? [[name, index]] : [])),
    );
    this.#spfNames = new Map(spf.map(({ name, index }) => [name, index]));
    for (const { recordType, name, index } of [...records, ...spf.map((one) => ({ ...one, recordType: "TXT" }))]) {
      // A DS belongs beside the NS of its delegation.
      const from = recordType === "DS" ? ancestorsOf(name) : [name, ...ancestorsOf(name)];
      if (recordType !== "NS") for (const at of from) if (!this.#inTree.has(at)) this.#inTree.set(at, index);
    }
  }

  /** Returns the index of the template's record that a present record conflicts with; null if it may stay. */
  conflictOf(present: Present): number | null {
    if (isApexNs(present) || isServerManaged(present) || present.recordType === "SOA") return null;
    if (this.#written.has(textKey(present))) return null;
    // SPF records are merged instead.
    const merging = this.#spfNames.has(present.name) && present.recordType === "TXT" && isSpf(present.value);
    if (!merging) {
      const here = this.#byName.get(present.name)?.find((record) => isReplaced(record, present));
      if (here) return here.index;
      if (present.recordType === "CNAME") return this.#spfNames.get(present.name) ?? null;
    }
    if (present.recordType === "NS") return this.#inTree.get(present.name) ?? null;
    for (const above of ancestorsOf(present.name)) {
      const index = this.#delegations.get(above);
      if (index !== undefined) return index;
    }
    return null;
  }
}

/** Returns whether a record of the template replaces a present one of the same name. */
function isReplaced({ recordType, name, txtConflicts }: WantedRecord, present: Present): boolean {
  if (recordType === "TXT" && present.recordType === "TXT") {
    if (txtConflicts.mode === "Prefix") return present.value.startsWith(txtConflicts.prefix);
    return txtConflicts.mode === "All";
  }
  const types = recordType === "CNAME" && name === "@" ? atApex : (replaced[recordType] ?? ["CNAME"]);
  return types === "any" || types.includes(present.recordType);
}
