import type { EntityManager } from "../database/database.ts";
import type { Place } from "../dns/reverse/zones.ts";
import type { RecordData } from "../dns/record.ts";
import type { ManagedZones } from "./managed-zones.ts";
import { placeKey, recordsAt } from "./records-at.ts";

/** A longer chain of CNAME records is not followed. */
const longestChain = 8;

type Answer = Pick<RecordData, "recordType" | "value" | "proxied"> & { status?: string };

/** Records as they will be after a change, in one zone. They replace the stored ones. */
export interface Overlay {
  domainId: string;
  /** By name. Names that do not change are left out. */
  records: ReadonlyMap<string, readonly Answer[]>;
}

/** A name and an address that it may have. */
export interface Claim {
  name: string;
  address: string;
}

export function claimKey({ name, address }: Claim): string {
  return `${name}\0${address}`;
}

/** Answers which managed names resolve to which addresses. Views do not matter: a name resolves if it does in one of them. */
export class Resolution {
  readonly #zones: ManagedZones;
  readonly #overlay: Overlay | null;

  constructor(zones: ManagedZones, overlay: Overlay | null = null) {
    this.#zones = zones;
    this.#overlay = overlay;
  }

  /** Returns the keys of the claims that are true: the name has the address, by itself, by CNAME records or by a wildcard. */
  async trueOf(em: EntityManager, claims: readonly Claim[]): Promise<Set<string>> {
    const holding = new Set<string>();
    let open = [...new Map(claims.map((claim) => [claimKey(claim), { ...claim, root: claimKey(claim) }])).values()];
    for (let hop = 0; hop < longestChain && open.length > 0; hop++) {
      const names = open.map(({ name }) => name);
      await this.#zones.readNames(em, names);
      const answers = await this.#answers(em, new Set(names));
      open = open.flatMap(({ name, address, root }) => {
        const given = answers.get(name) ?? [];
        if (given.some((record) => gives(record, address))) holding.add(root);
        if (holding.has(root)) return [];
        return given.flatMap(({ recordType, value }) =>
          recordType === "CNAME" ? [{ name: value, address, root }] : [],
        );
      });
    }
    return holding;
  }

  /** Returns whether a name lies in a managed zone. Only for names that were read. */
  isManaged(name: string): boolean {
    return this.#zones.index.placesOfName(name).length > 0;
  }

  /** Returns what each name answers with, from all zones that hold it. */
  async #answers(em: EntityManager, names: ReadonlySet<string>): Promise<Map<string, Answer[]>> {
    const places = new Map([...names].map((name) => [name, this.#zones.index.placesOfName(name)]));
    const asked = [...places.values()].flat().flatMap((place) => ownersFor(place));
    const stored = await recordsAt(
      em,
      asked.filter(({ domainId, name }) => !this.#overlaid(domainId, name)),
    );
    const at = (domainId: string, name: string) =>
      this.#overlaid(domainId, name) ?? stored.get(placeKey({ domainId, name })) ?? [];
    return new Map(
      [...places].map(([name, each]) => [
        name,
        each.flatMap((place) => {
          // A name that exists is not answered by a wildcard (RFC 4592 §2.2.1).
          const owners = ownersFor(place).map((owner) => at(owner.domainId, owner.name));
          return owners.find((records) => records.length > 0) ?? [];
        }),
      ]),
    );
  }

  #overlaid(domainId: string, name: string): readonly Answer[] | undefined {
    return this.#overlay?.domainId === domainId ? this.#overlay.records.get(name) : undefined;
  }
}

function gives({ recordType, value, proxied, status = "active" }: Answer, address: string): boolean {
  return (recordType === "A" || recordType === "AAAA") && value === address && !proxied && status === "active";
}

/** Returns the owners whose records answer for a name, in order: itself, then wildcards, the closest first. */
function ownersFor({ zone, owner }: Place): { domainId: string; name: string }[] {
  const labels = owner === "@" ? [] : owner.split(".");
  const wildcards = labels.map((_, index) => ["*", ...labels.slice(index + 1)].join("."));
  return [owner, ...wildcards].map((name) => ({ domainId: zone.id, name }));
}
