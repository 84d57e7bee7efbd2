import type { DnsRecord } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";

/** How long a record that somebody else changed stays marked. */
const markedMilliseconds = 12_000;

/** The ids of loaded records that changed while the page was open, other than by the user's own hand. */
export function useLiveMarks(
  records: readonly DnsRecord[],
  ownRevisions: ReadonlySet<number>,
  revision: number,
): ReadonlySet<string> {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const seen = useRef<{ revision: number; versions: ReadonlyMap<string, number> } | null>(null);
  useEffect(() => {
    const versions = new Map(records.map(({ id, version }) => [id, version]));
    const before = seen.current;
    seen.current = { revision, versions };
    if (!before || before.revision === revision || ownRevisions.has(revision) || before.versions.size === 0)
      return undefined;
    const changed = records.filter(({ id, version }) => before.versions.get(id) !== version).map(({ id }) => id);
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
