import type { Plan } from "./use-draft.ts";

type Data = Plan["creates"][number];

/** A line of a patch: what goes, or what comes. */
interface PatchLine {
  /** Unique in its group. */
  id: string;
  sign: "+" | "-";
  ttl: number;
  value: string;
  /** Whether DNS does not have this side. */
  disabled: boolean;
  /** The parts of the value; those that the other side lacks are marked. */
  words: readonly { at: number; text: string; changed: boolean }[];
}

/** What a plan does to the records of one name and type. */
export interface PatchGroup {
  name: string;
  recordType: string;
  lines: PatchLine[];
}

/** A plan as a patch: by name and type, removals before additions, with the words that differ marked. */
export function patchOf(plan: Pick<Plan, "creates" | "updates" | "deletes">): PatchGroup[] {
  const groups = new Map<string, PatchGroup>();
  const add = (sign: PatchLine["sign"], data: Data, other: Data | null) => {
    const key = `${data.name} ${data.recordType}`;
    const group = groups.get(key) ?? { name: data.name, recordType: data.recordType, lines: [] };
    groups.set(key, group);
    group.lines.push({
      id: `${sign}${group.lines.length}`,
      sign,
      ttl: data.ttl,
      value: data.value,
      disabled: data.status === "disabled",
      words: markedWords(data.value, other?.value ?? null),
    });
  };
  for (const record of plan.deletes) add("-", record, null);
  for (const { before, after } of plan.updates) {
    add("-", before, after);
    add("+", after, before);
  }
  for (const record of plan.creates) add("+", record, null);
  const sorted = [...groups.values()].toSorted(byName);
  for (const { lines } of sorted) lines.sort((a, b) => (a.sign === b.sign ? 0 : a.sign === "-" ? -1 : 1));
  return sorted;
}

function markedWords(value: string, other: string | null): PatchLine["words"] {
  if (other === null || other === value) return [{ at: 0, text: value, changed: false }];
  const others = new Set(other.split(" "));
  return value.split(" ").map((text, at) => ({ at, text, changed: !others.has(text) }));
}

function byName(a: PatchGroup, b: PatchGroup): number {
  if (a.name !== b.name) return a.name === "@" ? -1 : b.name === "@" ? 1 : a.name < b.name ? -1 : 1;
  return a.recordType < b.recordType ? -1 : 1;
}

/** The longest time for which resolvers may still give an old answer, in seconds; null if nothing old is taken away. */
export function longestOldTtl(plan: Pick<Plan, "updates" | "deletes">): number | null {
  const old = [...plan.deletes, ...plan.updates.map(({ before }) => before)];
  const ttls = old.flatMap(({ ttl, status }) => (status === "disabled" ? [] : [ttl]));
  return ttls.length === 0 ? null : ttls.reduce((most, ttl) => Math.max(most, ttl), 0);
}
