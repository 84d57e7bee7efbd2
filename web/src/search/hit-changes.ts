import type { Change, DnsRecord, RouterOutputs } from "@zonewright/client";
import { changesOf, emptyDraft, fieldsOf, markDeleted, setFields, type Draft } from "../zone/draft/draft.ts";

/** A found record. */
export type Hit = RouterOutputs["records"]["search"]["records"][number];

/** What to do with found records. */
export type HitAction =
  | { kind: "delete" | "disable" | "enable" }
  | { kind: "ttl"; ttl: number }
  | { kind: "value"; value: string };

/** The found records of one zone, and the changes that the action makes of them. */
export interface ZoneHits {
  domainId: string;
  domainName: string;
  providerId: string;
  records: readonly DnsRecord[];
  changes: Change[];
}

/** The found records by their zone, without zones in which the action changes nothing. */
export function byZone(hits: readonly Hit[], action: HitAction): ZoneHits[] {
  return [...Map.groupBy(hits, ({ domainId }) => domainId)].flatMap(([domainId, found]) => {
    const [first] = found;
    const changes = changesOf(withAction(emptyDraft, found, action));
    return first && changes.length > 0
      ? [{ domainId, domainName: first.domainName, providerId: first.providerId, records: found, changes }]
      : [];
  });
}

/** A draft with the action on some records. Other edits of them stay; a record that the draft deletes stays deleted. */
export function withAction(draft: Draft, records: readonly DnsRecord[], action: HitAction): Draft {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  const kept = records.filter(({ id }) => edits.get(id)?.kind !== "delete");
  if (action.kind === "delete") {
    return markDeleted(
      draft,
      kept.map((record) => ({ key: record.id, record })),
    );
  }
  const rows = kept.map((record) => {
    const edit = edits.get(record.id);
    return { key: record.id, record, fields: edit?.kind === "update" ? edit.fields : fieldsOf(record) };
  });
  if (action.kind === "ttl") return setFields(draft, rows, { ttl: action.ttl });
  if (action.kind === "value") return setFields(draft, rows, { value: action.value });
  return setFields(draft, rows, { disabled: action.kind === "disable" });
}
