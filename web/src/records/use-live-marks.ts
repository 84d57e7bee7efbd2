import type { DnsRecord } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { fieldsOf, sameFields } from "../zone/draft/draft.ts";

/** How long a record that somebody else changed stays marked. */
const markedMilliseconds = 12_000;

/** The ids of the records that are new or have other data. Who may be asked and what is locked is no data: a save of it marks nothing. */
export function changedData(before: ReadonlyMap<string, DnsRecord>, records: readonly DnsRecord[]): string[] {
  return records.flatMap((record) => {
    const earlier = before.get(record.id);
    return earlier && sameFields(fieldsOf(earlier), fieldsOf(record)) ? [] : [record.id];
  });
}

/** The ids of loaded records that changed while the page was open, other than by the user's own hand. */
export function useLiveMarks(
  records: readonly DnsRecord[],
  ownRevisions: ReadonlySet<number>,
  revision: number,
): ReadonlySet<string> {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const seen = useRef<{ revision: number; records: ReadonlyMap<string, DnsRecord> } | null>(null);
  useEffect(() => {
    const before = seen.current;
    seen.current = { revision, records: new Map(records.map((record) => [record.id, record])) };
    if (!before || before.revision === revision || ownRevisions.has(revision) || before.records.size === 0)
      return undefined;
    const changed = changedData(before.records, records);
    if (changed.length === 0) return undefined;
    const marking = setTimeout(() => setMarks(new Set(changed)));
    const clearing = setTimeout(() => setMarks(new Set()), markedMilliseconds);
    return () => {
      clearTimeout(marking);
      clearTimeout(clearing);
    };
  }, [records, revision, ownRevisions]);
  return marks;
}
