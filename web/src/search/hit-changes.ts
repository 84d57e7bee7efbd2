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
  /** Null if the zone's provider does not have what was asked for. */
  action: HitAction | null;
  changes: Change[];
}

/**
 * The found records by their zone, without zones in which the action changes nothing.
 * @param actionAt what to do where the provider is of a kind; null if the kind does not have it
 */
export function byZone(hits: readonly Hit[], actionAt: (providerId: string) => HitAction | null): ZoneHits[] {
  return [...Map.groupBy(hits, ({ domainId }) => domainId)].flatMap(([domainId, found]) => {
    const [first] = found;
    if (!first) return [];
    const { domainName, providerId } = first;
    const action = actionAt(providerId);
    const changes = action === null ? [] : changesOf(withAction(emptyDraft, found, action));
    return action === null || changes.length > 0
      ? [{ domainId, domainName, providerId, records: found, action, changes }]
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
