import { dsText, type Ds } from "../../dns/dnssec/keys.ts";
import type { Observation, ServerState } from "./observation.ts";

/** What the zone above says, as stored. */
export interface ParentFacts {
  zone: string;
  /** When the zone above was last seen to say this, as ISO 8601. */
  seenAt: string;
  nameServers: string[];
  glue: { name: string; address: string }[];
  /** Null: not known. */
  ds: Ds[] | null;
}

/** What a check saw, in the form that is stored. */
export interface StoredFacts {
  /** Null: never seen, or its servers show only the lower zone. */
  parent: ParentFacts | null;
  /** Why the last check could not see it; null if it could. */
  parentError: string | null;
  apex: {
    nameServers: string[] | null;
    keys: { tag: number; algorithm: number; entryPoint: boolean }[] | null;
  };
  servers: {
    name: string;
    address: string | null;
    state: ServerState;
    serial: number | null;
    detail: string | null;
  }[];
  targets: { checked: number; unknown: number; skipped: number };
}

/** Returns the facts of a check. What it could not see of the zone above stays as it was seen last. */
export function factsOf(seen: Observation, before: StoredFacts | null, now: Date): StoredFacts {
  const states = [...seen.targets.values()];
  const unknown = states.filter((state) => state === "unknown").length;
  return {
    parent: parentFacts(seen, before?.parent ?? null, now),
    parentError: parentError(seen),
    apex: {
      nameServers: seen.apex.nameServers?.toSorted() ?? null,
      keys: seen.apex.keys?.map(({ tag, algorithm, entryPoint }) => ({ tag, algorithm, entryPoint })) ?? null,
    },
    servers: seen.servers.map(({ name, address, state, serial, detail }) => ({ name, address, state, serial, detail })),
    targets: { checked: states.length - unknown, unknown, skipped: seen.skipped },
  };
}

function parentFacts({ parent }: Observation, before: ParentFacts | null, now: Date): ParentFacts | null {
  if (parent.kind === "unknown" || parent.kind === "hidden") return before;
  const seen = { zone: parent.zone, seenAt: now.toISOString() };
  if (parent.kind === "not_delegated") return { ...seen, nameServers: [], glue: [], ds: [] };
  const glue = parent.glue.toSorted(inOrder(({ name, address }) => `${name} ${address}`));
  const ds = parent.ds?.toSorted(inOrder(dsText)) ?? before?.ds ?? null;
  return { ...seen, nameServers: parent.nameServers.toSorted(), glue, ds };
}

function parentError({ parent }: Observation): string | null {
  if (parent.kind === "unknown") return parent.message;
  if (parent.kind !== "hidden") return null;
  return "The servers of the zone above serve this zone, too, and show only its own NS records.";
}

const sets = {
  nameServers: ({ nameServers }: ParentFacts) => nameServers,
  ds: ({ ds }: ParentFacts) => ds?.map(dsText) ?? null,
  glue: ({ glue }: ParentFacts) => glue.map(({ name, address }) => `${name} ${address}`),
};

export type ParentSet = keyof typeof sets;

/** Returns which sets of the zone above differ from before; none if they were not known before. */
export function changedSets(before: ParentFacts | null, after: ParentFacts | null): ParentSet[] {
  if (!before || !after) return [];
  return (Object.keys(sets) as ParentSet[]).filter((set) => {
    const [old, present] = [sets[set](before), sets[set](after)];
    return old !== null && old.join() !== present?.join();
  });
}

function inOrder<T>(key: (item: T) => string) {
  return (one: T, other: T) => (key(one) < key(other) ? -1 : 1);
}
