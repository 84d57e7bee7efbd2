import type { RouterOutputs } from "@zonewright/client";

type Report = RouterOutputs["reverse"]["report"];
type Finding = Report["findings"][number];

/** A change in the form that `records.plan` takes. */
export type Change = Report["plan"][number]["changes"][number];

/** What is wrong in one reverse zone, and what mends it. */
export interface ZoneReport {
  domainId: string;
  domainName: string;
  findings: Finding[];
  changes: Change[];
}

/** Gathers the pages of a report by reverse zone, in the order in which they come. A change may come with several pages. */
export function zonesOf(pages: readonly Pick<Report, "findings" | "plan">[]): ZoneReport[] {
  const zones = new Map<string, ZoneReport>();
  const zoneOf = ({ domainId, domainName }: Pick<ZoneReport, "domainId" | "domainName">) => {
    const found = zones.get(domainId) ?? { domainId, domainName, findings: [], changes: [] };
    zones.set(domainId, found);
    return found;
  };
  for (const { findings, plan } of pages) {
    for (const finding of findings) zoneOf(finding).findings.push(finding);
    for (const part of plan) zoneOf(part).changes.push(...part.changes);
  }
  for (const zone of zones.values()) {
    const seen = new Map(zone.changes.map((change) => [keyOf(change), change]));
    zone.changes = [...seen.values()];
  }
  return [...zones.values()];
}

const keyOf = (change: Change) =>
  change.action === "create" ? JSON.stringify(change.record) : `${change.action} ${change.recordId}`;

/** The changes of a zone that mend one of its findings. */
export function changesOf({ name, recordId, problem }: Finding, changes: readonly Change[]): Change[] {
  return changes.filter((change) =>
    change.action === "create" ? problem === "missing" && change.record.name === name : change.recordId === recordId,
  );
}
