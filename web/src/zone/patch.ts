import type { RouterOutputs } from "@zonewright/client";
import { zoneWords } from "../words/zone.ts";
import { shortestTtl, ttlText } from "./ttl.ts";

type Planned = NonNullable<RouterOutputs["domains"]["sync"]["plan"]>;
type Difference = RouterOutputs["snapshots"]["diff"];
type Data = Planned["creates"][number];
type Compared = Difference["added"][number];
type Made = RouterOutputs["records"]["history"]["entries"][number]["changes"][number];

/** One record of a patch. */
export interface PatchLine {
  kind: "create" | "update" | "delete";
  name: string;
  recordType: string;
  value: string;
  /** The value before; null if it is the same. */
  before: string | null;
  /** What else is there to know: the TTL, or what changes besides the value. */
  note: string;
  /** The note where the provider means an automatic TTL by the shortest one; null if the line has no such TTL. */
  automaticNote: string | null;
}

/** What else is there to know of a line, given whether the provider means an automatic TTL by the shortest one. */
export function noteOf({ note, automaticNote }: PatchLine, isAutomatic: boolean): string {
  return isAutomatic ? (automaticNote ?? note) : note;
}

/** Changes that do the same to many records. */
export interface Fold {
  lines: readonly PatchLine[];
}

/** As many equal changes are shown as one. */
const leastFolded = 3;

/** Returns the lines to show. The same change of three or more records is one line, in the place of the first. */
export function folded(lines: readonly PatchLine[]): (PatchLine | Fold)[] {
  const equal = Map.groupBy(lines.filter(isUpdate), sameness);
  return lines.flatMap((each): (PatchLine | Fold)[] => {
    const others = isUpdate(each) ? (equal.get(sameness(each)) ?? []) : [];
    if (others.length < leastFolded) return [each];
    return others[0] === each ? [{ lines: others }] : [];
  });
}

const isUpdate = ({ kind }: PatchLine) => kind === "update";

/** Without a value before, the value stays as it is, whatever it is. */
const sameness = ({ before, value, note }: PatchLine) => JSON.stringify([before, before === null ? "" : value, note]);

/** The parts of a value, and whether the other value lacks them. */
export function markedWords(value: string, other: string | null): { at: number; text: string; changed: boolean }[] {
  if (other === null || other === value) return [{ at: 0, text: value, changed: false }];
  const others = new Set(other.split(" "));
  return value.split(" ").map((text, at) => ({ at, text, changed: !others.has(text) }));
}

const order = { delete: 0, update: 1, create: 2 } as const;

/** The lines of planned changes, by name and type, so that what replaces something stands below it. */
export function planLines({ creates, updates, deletes }: Planned): PatchLine[] {
  return sorted([
    ...creates.map((record) => line("create", record)),
    ...updates.map(({ before, after }) => changed(before, after)),
    ...deletes.map((record) => line("delete", record)),
  ]);
}

/** What an action would change, with what a person has to know before. */
export interface Reviewed {
  lines: readonly PatchLine[];
  warnings: readonly string[];
  /** Makes exactly these changes, or none. */
  planHash: string | null;
}

/** What a dry run answers, for a person to read before it is made. */
export function reviewedPlan(plan: Planned | null, planHash: string | null): Reviewed {
  return { lines: plan ? planLines(plan) : [], warnings: plan?.warnings ?? [], planHash };
}

/** The lines of changes that were made. */
export function madeLines(changes: readonly Made[]): PatchLine[] {
  return sorted(
    changes.flatMap(({ before, after }) => {
      if (before && after) return [changed(before, after)];
      if (after) return [line("create", after)];
      return before ? [line("delete", before)] : [];
    }),
  );
}

/** The lines of a difference between two states. */
export function differenceLines({ added, removed, modified }: Difference): PatchLine[] {
  return sorted([
    ...added.map((record) => line("create", record)),
    ...modified.map(({ before, after }) => changed(before, after)),
    ...removed.map((record) => line("delete", record)),
  ]);
}

/** The notes with the TTLs of some records, and the notes if the provider chooses the shortest one itself. */
function notesOf(
  records: readonly (Data | Compared)[],
  notesWith: (...ttls: string[]) => string[],
): Pick<PatchLine, "note" | "automaticNote"> {
  const noted = (automaticTtl: number | null) =>
    notesWith(...records.map((record) => ttlText(record, { automaticTtl })))
      .filter(Boolean)
      .join(", ");
  const isShortest = records.some(({ ttl, proxied }) => ttl === shortestTtl && !proxied);
  return { note: noted(null), automaticNote: isShortest ? noted(shortestTtl) : null };
}

function line(kind: "create" | "delete", record: Data | Compared): PatchLine {
  const { name, recordType, value, status } = record;
  const notes = notesOf([record], (ttl) => [ttl, status === "disabled" ? zoneWords.nowDisabled : ""]);
  return { kind, name, recordType, value, before: null, ...notes };
}

function changed(before: Data | Compared, after: Data | Compared): PatchLine {
  const notes = [
    before.proxied && !after.proxied ? zoneWords.notProxied : "",
    before.status === after.status ? "" : after.status === "disabled" ? zoneWords.nowDisabled : zoneWords.nowEnabled,
    before.name === after.name ? "" : zoneWords.was(before.name),
    before.recordType === after.recordType ? "" : zoneWords.was(before.recordType),
  ];
  // Texts that differ only in their strings would look the same.
  const isResplit = before.value === after.value && JSON.stringify(before.strings) !== JSON.stringify(after.strings);
  if (isResplit) notes.push(zoneWords.resplit);
  const valueOf = ({ value, strings }: Data | Compared) => (isResplit ? quoted(value, strings ?? null) : value);
  return {
    kind: "update",
    name: after.name,
    recordType: after.recordType,
    value: valueOf(after),
    before: before.value === after.value && !isResplit ? null : valueOf(before),
    ...notesOf([before, after], (ttl, newTtl) => [ttl === newTtl ? newTtl : `${ttl} → ${newTtl}`, ...notes]),
  };
}

/** A text as its character-strings; by default, they have 255 characters. */
function quoted(value: string, strings: readonly string[] | null): string {
  const parts = strings ?? value.match(/.{1,255}/gsu) ?? [""];
  return parts.map((part) => `"${part}"`).join(" ");
}

function sorted(lines: PatchLine[]): PatchLine[] {
  return lines.toSorted(
    (one, other) =>
      names.compare(apexFirst(one.name), apexFirst(other.name)) ||
      compare(one.name, other.name) ||
      compare(one.recordType, other.recordType) ||
      order[one.kind] - order[other.kind] ||
      compare(one.value, other.value),
  );
}

/** Orders names as people count: h2 stands above h10. */
const names = new Intl.Collator("en", { numeric: true });

function apexFirst(name: string): string {
  return name === "@" ? "" : name;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
