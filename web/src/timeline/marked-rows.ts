import type { DnsRecord } from "@zonewright/client";
import type { ChangeSet } from "./may-take-back.ts";

type Change = ChangeSet["changes"][number];
type Data = NonNullable<Change["after"]>;

/** A record at a moment, or one that the change before that moment deleted. */
interface MarkedRow {
  key: string;
  kind: Change["action"] | null;
  data: Pick<Data, "name" | "recordType" | "value" | "ttl" | "proxied" | "status">;
  /** What an update replaced. */
  before: Change["before"];
}

interface MarkedRowsOptions {
  /** The number of records. */
  total: number;
  /** The record at an index, if it was read. */
  at: (index: number) => DnsRecord | undefined;
  changes: readonly Change[];
}

/** Up to this number of records, each is looked at to find the places of deleted ones. */
const mostPlaced = 500;

/**
 * Returns the rows of a moment: its records, marked by the change that led there, and those that it deleted. These stand where they were in
 * a zone that was read whole, else at the top.
 */
export function markedRows({ total, at, changes }: MarkedRowsOptions): {
  count: number;
  at: (index: number) => MarkedRow | undefined;
} {
  const byRecord = new Map(changes.map((change) => [change.recordId, change]));
  const marked = (record: DnsRecord | undefined): MarkedRow | undefined => {
    if (!record) return undefined;
    const change = byRecord.get(record.id);
    const before = change?.action === "update" ? change.before : null;
    return { key: record.id, kind: change?.action ?? null, data: record, before };
  };
  const deleted = changes.flatMap(({ action, recordId, before }): MarkedRow[] =>
    action === "delete" && before ? [{ key: recordId, kind: action, data: before, before: null }] : [],
  );
  const count = total + deleted.length;
  if (deleted.length === 0) return { count, at: (index) => marked(at(index)) };
  if (total > mostPlaced)
    return {
      count,
      at: (index) => deleted[index] ?? (index < deleted.length ? undefined : marked(at(index - deleted.length))),
    };
  const rows: MarkedRow[] = Array.from({ length: total }, (_, index) => marked(at(index))).filter(
    (row) => row !== undefined,
  );
  for (const row of deleted) {
    const place = rows.findIndex(({ data }) => order(data) > order(row.data));
    rows.splice(place === -1 ? rows.length : place, 0, row);
  }
  return { count, at: (index) => rows[index] };
}

const order = ({ name, recordType }: MarkedRow["data"]) => `${name} ${recordType}`;
