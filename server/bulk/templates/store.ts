import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { type Paging, escapeLike, mapUniqueViolation } from "../../database/query-helpers.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { builtInProvider, builtInTemplate, builtInTemplates, type BuiltIn } from "./built-in/list.ts";
import { type Template, detailView, summaryView, type StoredTemplate } from "./form/template.ts";

/** A new version of a template, and the revision that it was made from. */
export type NewVersion = Template & { id: string; revision?: number | undefined };

/** Maximum length of a template as JSON text. */
const longestTemplate = 262_144;

/** Stores templates, and finds them together with the built-in ones. */
export class Templates {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns a page of templates: the built-in ones first. */
  async list(em: EntityManager, { search, page, limit }: Paging & { search?: string | undefined }) {
    const part = search?.toLowerCase() ?? "";
    const builtIn = builtInTemplates.filter(({ template }) => isNamed(template, part)).map(storedForm);
    const from = (page - 1) * limit;
    const shown = builtIn.slice(from, from + limit);
    const like = `%${escapeLike(part)}%`;
    const matching = queries(em)
      .selectFrom("templates")
      .$if(part !== "", (query) =>
        query.where((eb) =>
          eb.or(
            (["provider_id", "provider_name", "service_id", "service_name"] as const).map(
              (column) => sql<boolean>`lower(${eb.ref(column)}) like ${like}`,
            ),
          ),
        ),
      );
    const rows =
      shown.length === limit
        ? []
        : await matching
            .select(columns)
            .orderBy(sql`lower(provider_id)`)
            .orderBy(sql`lower(service_id)`)
            .limit(limit - shown.length)
            .offset(Math.max(0, from - builtIn.length))
            .execute();
    const counted = await matching.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
    const templates = [...shown, ...rows.map(fromRow)].map(summaryView);
    return { templates, total: builtIn.length + Number(counted.total), page, limit };
  }

  /** @throws AppError NOT_FOUND */
  async get(em: EntityManager, id: string) {
    return detailView(await this.load(em, id));
  }

  /** Returns a template in the form that plans use. @throws AppError NOT_FOUND */
  async load(em: EntityManager, id: string): Promise<StoredTemplate> {
    const builtIn = builtInTemplate(id);
    if (builtIn) return storedForm(builtIn);
    const row = await queries(em).selectFrom("templates").select(columns).where("id", "=", id).executeTakeFirst();
    if (!row) throw notFound("template");
    return fromRow(row);
  }

  /** Adds a template. @throws AppError BAD_REQUEST, CONFLICT if the provider's service has one */
  async create(em: EntityManager, caller: Caller, template: Template) {
    const text = checkedText(template);
    const id = newId();
    const now = this.#now();
    return await em.transactional(async (tx) => {
      const stored = queries(tx)
        .insertInto("templates")
        .values({
          id,
          revision: 1,
          ...named(template),
          template: text,
          created_by: caller.userId,
          created_at: now,
          updated_at: now,
        })
        .execute();
      await mapUniqueViolation(stored, (cause) => {
        const name = `${template.providerId} ${template.serviceId}`;
        return new AppError(
          "CONFLICT",
          `There is already a template for ${name}. Change that one, or delete it first.`,
          { cause },
        );
      });
      const after = factsOf(template, 1);
      await this.#audit.record(tx, caller, { action: "template.create", targetType: "template", targetId: id, after });
      return detailView(await this.load(tx, id));
    });
  }

  /**
   * Stores a new version of a template. Domains stay as they are.
   * @param change the template, and the revision that it was made from; undefined: any
   * @throws AppError BAD_REQUEST, NOT_FOUND, CONFLICT if another version was stored since that revision
   */
  async update(em: EntityManager, caller: Caller, change: NewVersion) {
    const { id, revision: madeFrom, ...template } = change;
    refuseBuiltIn(id);
    const text = checkedText(template);
    return await em.transactional(async (tx) => {
      const before = await this.#locked(tx, id);
      for (const field of ["providerId", "serviceId"] as const) {
        if (template[field].toLowerCase() === before.template[field].toLowerCase()) continue;
        throw badField(
          [field],
          `This template is for ${before.template[field]}. Add a new template for another service.`,
        );
      }
      if (JSON.stringify(before.template) !== text) {
        if (madeFrom !== undefined && madeFrom !== before.revision) {
          const message = `The template was changed meanwhile: it has revision ${before.revision}, not ${madeFrom}. Get it again, and make your change in that version.`;
          throw new AppError("CONFLICT", message);
        }
        const revision = before.revision + 1;
        await queries(tx)
          .updateTable("templates")
          .set({ revision, ...named(template), template: text, updated_at: this.#now() })
          .where("id", "=", id)
          .execute();
        await this.#audit.record(tx, caller, {
          action: "template.update",
          targetType: "template",
          targetId: id,
          before: factsOf(before.template, before.revision),
          after: factsOf(template, revision),
        });
      }
      return detailView(await this.load(tx, id));
    });
  }

  /** Deletes a template. What it wrote stays. @throws AppError BAD_REQUEST, NOT_FOUND, CONFLICT while domains are linked */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    refuseBuiltIn(id);
    await em.transactional(async (tx) => {
      const { template, revision } = await this.#locked(tx, id);
      const linked = await queries(tx)
        .selectFrom("domain_templates")
        .select((eb) => eb.fn.countAll<string>().as("total"))
        .where("template_id", "=", id)
        .where("linked", "=", true)
        .executeTakeFirstOrThrow();
      const count = Number(linked.total);
      if (count > 0)
        throw new AppError(
          "CONFLICT",
          `The template is linked to ${count === 1 ? "1 domain" : `${count} domains`}. Unlink it there first.`,
        );
      await queries(tx).deleteFrom("templates").where("id", "=", id).execute();
      await this.#audit.record(tx, caller, {
        action: "template.delete",
        targetType: "template",
        targetId: id,
        before: factsOf(template, revision),
      });
    });
  }

  /** Locks a template against deletion until the transaction ends. @returns whether it exists */
  async hold(tx: EntityManager, id: string): Promise<boolean> {
    if (builtInTemplate(id)) return true;
    const row = await queries(tx)
      .selectFrom("templates")
      .select("id")
      .where("id", "=", id)
      .forKeyShare()
      .executeTakeFirst();
    return row !== undefined;
  }

  async #locked(tx: EntityManager, id: string): Promise<StoredTemplate> {
    const row = await queries(tx)
      .selectFrom("templates")
      .select(columns)
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw notFound("template");
    return fromRow(row);
  }
}

const columns = ["id", "revision", "template", "created_by", "created_at", "updated_at"] as const;

function fromRow(row: {
  id: string;
  revision: number;
  template: string;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}): StoredTemplate {
  return {
    id: row.id,
    builtIn: false,
    revision: row.revision,
    template: JSON.parse(row.template) as Template,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function storedForm({ id, revision, template }: BuiltIn): StoredTemplate {
  return { id, builtIn: true, revision, template, createdBy: null, createdAt: null, updatedAt: null };
}

function isNamed({ providerId, providerName, serviceId, serviceName }: Template, part: string): boolean {
  return [providerId, providerName, serviceId, serviceName].some((text) => text.toLowerCase().includes(part));
}

function named({ providerId, providerName, serviceId, serviceName }: Template) {
  return {
    provider_id: providerId,
    provider_name: providerName,
    service_id: serviceId,
    service_name: serviceName,
  };
}

/** What the audit trail says about a template. */
function factsOf({ providerId, serviceId, version, records }: Template, revision: number) {
  return {
    providerId,
    serviceId,
    version: String(version ?? "").slice(0, 40) || null,
    records: records.length,
    revision,
  };
}

/** Returns the JSON to store. @throws AppError BAD_REQUEST */
function checkedText(template: Template): string {
  if (template.providerId.toLowerCase() === builtInProvider)
    throw badField(["providerId"], `"${builtInProvider}" is the provider of the built-in templates. Use another name.`);
  const text = JSON.stringify(template);
  if (text.length <= longestTemplate) return text;
  throw new AppError(
    "BAD_REQUEST",
    `A template can have at most ${longestTemplate} characters as JSON. Remove some records.`,
  );
}

function refuseBuiltIn(id: string): void {
  if (!builtInTemplate(id)) return;
  throw new AppError("BAD_REQUEST", "Built-in templates cannot be changed or deleted. Add one of your own.");
}
