import { createHash } from "node:crypto";
import { sql, type Selectable } from "kysely";
import { zoneFor } from "../../access/zone-access.ts";
import type { Caller, ZoneScope } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { onePage, type Paging } from "../../database/query-helpers.ts";
import type { Tables } from "../../database/tables/all.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { inChunks } from "../../platform/slices.ts";
import type { WrittenRecord } from "./applying/resolve.ts";
import type { StoredTemplate } from "./form/template.ts";

const statesPerStatement = 200;

/** What is remembered of an application, apart from where it is. */
export interface ApplicationState {
  appliedId: string;
  templateRevision: number;
  variables: Record<string, string>;
  groups: string[] | null;
  written: WrittenRecord[];
}

/** The state that an application is to have. */
export interface NextState extends ApplicationState {
  /** The zone's revision that the application names until then; with another one it stays as it is. */
  since: number;
}

/** A template at a host of a domain. */
export interface AppliedTemplate {
  id: string;
  domainId: string;
  templateId: string;
  templateRevision: number;
  host: string;
  instance: string;
  variables: Record<string, string>;
  /** Null: all groups. */
  groups: string[] | null;
  written: WrittenRecord[];
  linked: boolean;
  /** The zone's revision afterwards. */
  revision: number;
  /** When this was last stored: what it wrote is no younger. */
  appliedAt: Date;
}

/** What a caller applied. */
export interface NewApplication {
  domainId: string;
  host: string;
  variables: Record<string, string>;
  groups: string[] | null;
  written: WrittenRecord[];
  linked: boolean;
  revision: number;
}

type AppliedRow = Selectable<Tables["domain_templates"]>;

/** Returns what tells two applications of a template at one host apart: nothing, unless it can be applied several times. */
export function instanceOf(
  { template }: StoredTemplate,
  { variables, groups }: { variables: Record<string, string>; groups: string[] | null },
): string {
  if (template.multiInstance !== true) return "";
  const sorted = Object.entries(variables).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([sorted, groups?.toSorted() ?? null]))
    .digest("base64url");
}

function fromRow(row: AppliedRow): AppliedTemplate {
  return {
    id: row.id,
    domainId: row.domain_id,
    templateId: row.template_id,
    templateRevision: row.template_revision,
    host: row.host,
    instance: row.instance,
    ...choiceOf(row),
    written: row.written as WrittenRecord[],
    linked: row.linked,
    revision: row.revision,
    appliedAt: row.applied_at,
  };
}

function choiceOf(row: AppliedRow) {
  return { variables: row.variables as Record<string, string>, groups: row.groups as string[] | null };
}

/** Returns all templates that were applied to some domains. */
export async function appliedTo(em: EntityManager, domainIds: readonly string[]): Promise<AppliedTemplate[]> {
  if (domainIds.length === 0) return [];
  const rows = await queries(em)
    .selectFrom("domain_templates")
    .selectAll()
    .where("domain_id", "in", domainIds)
    .orderBy("id")
    .execute();
  return rows.map(fromRow);
}

/** Remembers which templates were applied where. The records themselves belong to the zone. */
export class DomainTemplates {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns a page of what was applied at hosts that the caller sees, newest first. @throws AppError NOT_FOUND */
  async list(em: EntityManager, caller: Caller, { id, page, limit }: Paging & { id: string }) {
    const { rights } = await zoneFor(em, caller, id, "read");
    const matching = queries(em)
      .selectFrom("domain_templates")
      .selectAll()
      .where("domain_id", "=", id)
      .where(rights.sees.allAtCondition(sql.ref("host")))
      .orderBy("id", "desc");
    const { rows, total } = await onePage(matching, { page, limit });
    return { templates: rows.map((row) => appliedView(row, rights.sees)), total, page, limit };
  }

  /** Forgets that a template was applied. Its records stay. @throws AppError NOT_FOUND, FORBIDDEN */
  async unlink(em: EntityManager, caller: Caller, { id, appliedId }: { id: string; appliedId: string }): Promise<void> {
    await em.transactional(async (tx) => {
      const { rights } = await zoneFor(tx, caller, id, "write");
      const row = await queries(tx)
        .selectFrom("domain_templates")
        .selectAll()
        .where("domain_id", "=", id)
        .where("id", "=", appliedId)
        .forUpdate()
        .executeTakeFirst();
      if (!row || !rights.sees.includesAllAt(row.host)) throw notFound("applied template");
      if (!rights.changes.includesAllAt(row.host))
        throw new AppError("FORBIDDEN", `Your assignments do not let you change the records of ${row.host}.`);
      await queries(tx).deleteFrom("domain_templates").where("id", "=", appliedId).execute();
      await this.#audit.record(tx, caller, {
        action: "template.unlink",
        targetType: "domain",
        targetId: id,
        before: factsOf(row),
      });
    });
  }

  /**
   * Stores an application in the caller's transaction, in place of an earlier one of the same template at the same host.
   * @param sees what the caller may see of it
   */
  async remember(
    tx: EntityManager,
    caller: Caller,
    stored: StoredTemplate,
    { sees, ...given }: NewApplication & { sees: ZoneScope },
  ) {
    const { template } = stored;
    const values = {
      template_revision: stored.revision,
      provider_id: template.providerId,
      service_id: template.serviceId,
      service_name: template.serviceName,
      variables: JSON.stringify(given.variables),
      groups: given.groups === null ? null : JSON.stringify(given.groups),
      written: JSON.stringify(given.written),
      linked: given.linked,
      revision: given.revision,
      applied_by: caller.userId,
      applied_at: this.#now(),
    };
    const row = await queries(tx)
      .insertInto("domain_templates")
      .values({
        id: newId(),
        domain_id: given.domainId,
        template_id: stored.id,
        host: given.host,
        instance: instanceOf(stored, given),
        ...values,
      })
      .onConflict((conflict) => conflict.columns(["domain_id", "template_id", "host", "instance"]).doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    await this.#audit.record(tx, caller, {
      action: "template.apply",
      targetType: "domain",
      targetId: given.domainId,
      after: { ...factsOf(row), linked: row.linked, revision: row.revision },
    });
    return appliedView(row, sees);
  }

  /**
   * Stores the next states of applications, in the caller's transaction. Those that were forgotten or applied again stay as they are.
   * @param revision the zone's revision afterwards; null leaves the one that each application names
   */
  async put(tx: EntityManager, states: readonly NextState[], revision: number | null): Promise<void> {
    await inChunks(states, statesPerStatement, async (some) => {
      const rows = some.map(({ appliedId: id, templateRevision: template, variables, groups, written, since }) => ({
        id,
        template,
        variables,
        groups,
        written,
        since,
      }));
      await sql`
        update domain_templates a set template_revision = s.template, variables = s.variables, written = s.written,
          groups = case when jsonb_typeof(s.groups) = 'null' then null else s.groups end, revision = coalesce(${revision}::int, a.revision),
          applied_at = ${this.#now()}::timestamptz
        from ${jsonRows(rows)} as s
          (id uuid, template int, variables jsonb, groups jsonb, written jsonb, since int)
        where a.id = s.id and a.revision = s.since
      `.execute(queries(tx));
      return [];
    });
  }
}

function factsOf(row: AppliedRow) {
  return {
    templateId: row.template_id,
    providerId: row.provider_id,
    serviceId: row.service_id,
    templateRevision: row.template_revision,
    host: row.host,
    ...choiceOf(row),
  };
}

/** Returns an application without the records that the caller may not see, and without the values that only those have. */
function appliedView(row: AppliedRow, sees: ZoneScope) {
  const written = (row.written as WrittenRecord[]).filter(({ type, name }) =>
    sees.includes({ name, recordType: type === "SPFM" ? "TXT" : type }),
  );
  const { variables, groups } = choiceOf(row);
  const shown = written.map(({ name, value }) => `${name} ${value}`.toLowerCase());
  const isShown = (value: string) => value !== "" && shown.some((text) => text.includes(value.toLowerCase()));
  return {
    id: row.id,
    templateId: row.template_id,
    providerId: row.provider_id,
    serviceId: row.service_id,
    serviceName: row.service_name,
    templateRevision: row.template_revision,
    host: row.host,
    variables: sees.isAll
      ? variables
      : Object.fromEntries(Object.entries(variables).filter(([, value]) => isShown(value))),
    groups,
    linked: row.linked,
    records: written.map(({ type, name, value, essential }) => ({ recordType: type, name, value, essential })),
    revision: row.revision,
    appliedBy: row.applied_by,
    appliedAt: row.applied_at,
  };
}
