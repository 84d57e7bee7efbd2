import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { outsideRights } from "../../access/zone-access.ts";
import { visibleDomains, type VisibleDomains } from "../../access/visible-domains.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { badField } from "../../platform/errors.ts";
import { findingsAmong, type Finding, type ReadZones, domainsAfter, rowsAfter, type Position } from "./findings.ts";
import { ManagedZones } from "./places.ts";
import { reverseZones, type ReverseZone } from "./pointer-changes.ts";
import type { reportInput } from "./schemas.ts";

/** Records looked at for one page. A page may have fewer findings than asked for, and still not be the last. */
const mostRows = 500;
const rowsPerBatch = 500;
const domainsPerBatch = 100;

/** Reports PTR records that are missing, stale or mismatched, over what a caller sees. */
export class ReverseReport {
  readonly #connections: ProviderConnections;
  readonly #review: ReviewPolicy;

  constructor(connections: ProviderConnections, review: ReviewPolicy) {
    this.#connections = connections;
    this.#review = review;
  }

  /** Returns findings from a position on, with the changes that mend them. @throws AppError BAD_REQUEST for a bad position */
  async page(em: EntityManager, caller: Caller, { after, limit, domainId }: z.output<typeof reportInput>) {
    const visible = await visibleDomains(em, caller);
    const zones = new Map<string, ReverseZone>();
    const { findings, next } = await this.#collect(em, visible, after === undefined ? null : positionOf(after), {
      limit,
      domainId,
      readZones: async (ids) => {
        const unread = ids.filter((id) => !zones.has(id));
        const read = await reverseZones(em, caller, this.#connections, this.#review, unread);
        for (const [id, zone] of read) zones.set(id, zone);
        return zones;
      },
    });
    return { findings: findings.map(findingView), plan: mendingPlan(findings), next };
  }

  async #collect(
    em: EntityManager,
    visible: VisibleDomains,
    from: Position | null,
    { limit, domainId, readZones }: { limit: number; domainId: string | undefined; readZones: ReadZones },
  ): Promise<{ findings: Finding[]; next: string | null }> {
    const managed = new ManagedZones();
    const findings: Finding[] = [];
    let position = from;
    for (let seen = 0; seen < mostRows;) {
      const domains = await domainsAfter(em, visible, { position, only: domainId }, domainsPerBatch);
      const last = domains.at(-1);
      if (!last) return { findings, next: null };
      const rows = await rowsAfter(em, visible, domains, position, rowsPerBatch);
      const found = await findingsAmong(em, { rows, visible, managed, readZones });
      for (const [index, each] of found.entries()) {
        if (each) findings.push(each);
        const row = rows[index];
        if (findings.length === limit && row) return { findings, next: positionText(row) };
      }
      seen += rows.length + 1;
      const lastRow = rows.length === rowsPerBatch ? rows.at(-1) : undefined;
      position = lastRow ?? { domainId: last.id, record: null };
    }
    return { findings, next: position && positionText(position) };
  }
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Positions that earlier versions gave have no number of a version. */
const positionForm = new RegExp(`^(${uuid})(?:\\.(${uuid})(?:\\.([0-9]{1,9}))?)?$`);

function positionText({ domainId, record }: Position): string {
  return record === null ? domainId : `${domainId}.${record.id}.${record.version}`;
}

function positionOf(text: string): Position {
  const [, domainId, id, version = "1"] = positionForm.exec(text) ?? [];
  if (domainId === undefined) throw badField(["after"], "This must be the `next` of an earlier page.");
  return { domainId, record: id === undefined ? null : { id, version: Number(version) } };
}

function findingView({ zone, owner, pointer, problem, address, expected, source }: Finding) {
  return {
    problem,
    address,
    domainId: zone.id,
    domainName: zone.shownName,
    name: owner,
    recordId: pointer?.id ?? null,
    value: pointer?.value ?? null,
    expected,
    sourceId: source,
  };
}

/** Returns the changes that mend findings, by reverse zone, as far as the caller may make them. */
function mendingPlan(findings: readonly Finding[]) {
  const planned = new Map<string, { zone: ReverseZone; changes: Mend[] }>();
  const places = new Set<string>();
  for (const { mend, pointer, mendAt, ...finding } of findings) {
    const { zone, owner } = mendAt ?? finding;
    const recordType = mend?.action === "create" ? mend.record.recordType : "PTR";
    if (!mend || !zone.rights || outsideRights({ recordType, name: owner }, zone.rights) !== null) continue;
    // Names of several views may miss the same PTR record.
    const key = `${zone.id}\0${(mendAt ? null : pointer?.id) ?? owner}`;
    if (places.has(key)) continue;
    places.add(key);
    const known = planned.get(zone.id) ?? { zone, changes: [] };
    known.changes.push(mend);
    planned.set(zone.id, known);
  }
  return [...planned.values()].map(({ zone, changes }) => ({
    domainId: zone.id,
    domainName: zone.shownName,
    changes,
  }));
}

type Mend = NonNullable<Finding["mend"]>;
