import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import { registrableOf } from "../../registry/expiry/registration.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { qualifiedName, parseQualified, parseView } from "../../dns/names/names.ts";
import { isCatalog } from "../../dns-providers/primary/catalog-names.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { visibleDomains, type VisibleDomains } from "../../access/visible-domains.ts";

/*
 * What identifies a domain: its name and view here, and its zone at a provider configuration there, which a mirror cannot have either.
 * Each is unique. Checks before a call give clear errors; unique indexes and the triggers `…_take_zones` catch concurrent calls.
 */

interface Named {
  id: string;
  name: string;
  view: string;
}

/** A domain's zone at a provider configuration. */
interface Placed extends Named {
  providerConfigId: string;
  providerZone: string;
}

/** Refuses a name and view that another domain has. @throws AppError CONFLICT */
export async function refuseTaken(em: EntityManager, { id, name, view }: Named): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select("id")
    .where("name", "=", name)
    .where("view", "=", view)
    .where("id", "!=", id)
    .executeTakeFirst();
  if (other) {
    throw new AppError("CONFLICT", `${qualifiedName({ name, view })} is already managed here.`, {
      issues: [{ path: ["name"], message: "This domain already exists." }],
    });
  }
}

/** Refuses a new domain with the name of a catalog zone, which secondaries would get in its place. @throws AppError CONFLICT */
export async function refuseCatalog(em: EntityManager, name: string): Promise<void> {
  if (!(await isCatalog(em, name))) return;
  const message = `${name} is the name of a catalog zone. Rename the catalog in its provider configuration first.`;
  throw new AppError("CONFLICT", message, { issues: [{ path: ["name"], message }] });
}

/**
 * Refuses a zone that another domain has at the provider: two views of a name cannot share one.
 * @param namesIt whether the caller may learn the other domain's view
 * @throws AppError CONFLICT
 */
export async function refuseSharedZone(em: EntityManager, domain: Placed, namesIt: boolean): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select(["name", "view"])
    .where("provider_config_id", "=", domain.providerConfigId)
    .where("provider_zone", "=", domain.providerZone)
    .where("id", "!=", domain.id)
    .unionAll(
      queries(em)
        .selectFrom("mirrors")
        .innerJoin("domains", "domains.id", "mirrors.domain_id")
        .select(["domains.name", "domains.view"])
        .where("mirrors.provider_config_id", "=", domain.providerConfigId)
        .where("mirrors.provider_zone", "=", domain.providerZone)
        .where("domains.id", "!=", domain.id),
    )
    .executeTakeFirst();
  if (!other) return;
  const user = namesIt ? qualifiedName(other) : "Another domain";
  throw new AppError(
    "CONFLICT",
    `${user} already uses the zone ${domain.name} of this provider configuration. Choose another configuration for ${qualifiedName(domain)}.`,
    { issues: [{ path: ["providerConfigId"], message: `${user} already uses this zone.` }] },
  );
}

/** The code of PostgreSQL. */
const uniqueViolation = "23505";

/** Returns the CONFLICT behind a violated unique index or a zone that is taken; other errors as they are. */
export async function conflictOf(em: EntityManager, domain: Named | Placed, error: unknown): Promise<unknown> {
  // Exceptions of the ORM have the code of the database, too.
  if (!(error instanceof Error && "code" in error && error.code === uniqueViolation)) return error;
  try {
    await refuseTaken(em, domain);
    if ("providerZone" in domain) await refuseSharedZone(em, domain, false);
    return error;
  } catch (conflict) {
    return conflict;
  }
}

/** Returns whether the expiry date of a new domain is looked up. Reverse zones have none; views of a name share that of the default view. */
export function followsExpiry(name: string, view: string): boolean {
  return view === "" && registrableOf(name) !== null;
}

/** Refuses a zone whose name the provider cannot hold. @throws AppError BAD_REQUEST */
export function refuseUnnamable(kind: ProviderKind, providerZone: string): void {
  const fault = kind.zoneFault?.(providerZone) ?? null;
  if (fault !== null) throw badField(["view"], fault);
}

/** @returns the CONFLICT of a call whose domain moved, or changed its view, since it was read */
export function movedMeanwhile(): AppError {
  return new AppError(
    "CONFLICT",
    "Another call moved this domain or changed its view meanwhile. Read it again, then retry.",
  );
}

/** What the audit trail says of a move besides the places: the reason of an administrator who overrides a review. */
export type MoveAbout = Readonly<{ message?: string | undefined; reviewOverridden?: boolean }>;

/** Changes the view of a domain whose zone at the provider stays the same. @throws AppError CONFLICT */
export async function changeView(
  em: EntityManager,
  domain: Named & { providerConfigId: string },
  { view, caller, now, about }: { view: string; caller: Caller; now: Date; about: MoveAbout },
): Promise<void> {
  const { id, name } = domain;
  const changed = em.transactional(async (tx) => {
    const { numUpdatedRows } = await queries(tx)
      .updateTable("domains")
      .set({ view, auto_check_expiry: followsExpiry(name, view), updated_at: now })
      .where("id", "=", id)
      .where("view", "=", domain.view)
      .where("provider_config_id", "=", domain.providerConfigId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw movedMeanwhile();
    await writeEntry(tx, now, caller, {
      action: "domain.update",
      targetType: "domain",
      targetId: id,
      before: { view: domain.view },
      after: { view, ...about },
    });
  });
  await changed.catch(async (error: unknown) => {
    throw await conflictOf(em.fork(), { id, name, view }, error);
  });
}

/** A place where secondaries find a domain. */
interface Place {
  domainId: string;
  /** The configuration; undefined: all that serve the domain. */
  configId?: string | undefined;
}

/**
 * Refuses to take a domain out of catalog zones without confirmation: secondaries that follow a catalog drop the zone (RFC 9432 §5.3).
 * @throws AppError CONFIRMATION_REQUIRED
 */
export async function refuseLeavingCatalog(em: EntityManager, place: Place, force: boolean): Promise<void> {
  if (force) return;
  const catalog = await catalogOf(em, place);
  if (catalog === null) return;
  const message = `The domain is in the catalog zone ${catalog}: its secondaries will drop this zone. Confirm with \`force: true\`.`;
  throw new AppError("CONFIRMATION_REQUIRED", message, { issues: [{ path: ["force"], message }] });
}

/** Returns the name of a catalog zone that has the domain as a member; null if none has. */
export async function catalogOf(em: EntityManager, { domainId, configId }: Place): Promise<string | null> {
  const isHere = configId === undefined ? sql`true` : sql`c.id = ${configId}::uuid`;
  const { rows } = await sql<{ catalog: string }>`
    select c.config ->> 'catalogZone' as catalog from provider_configs c
    where c.id in (
        select provider_config_id from domains where id = ${domainId}::uuid
        union all select provider_config_id from mirrors where domain_id = ${domainId}::uuid
      )
      and c.kind = 'primary' and c.config ->> 'catalogZone' is not null and ${isHere} limit 1
  `.execute(queries(em));
  return rows[0]?.catalog ?? null;
}

/* What a name of a domain, as a user writes it, stands for. */

/**
 * Returns the domain that a name stands for: a bare name means the default view, or the only one.
 * @throws AppError BAD_REQUEST for an invalid name, CONFLICT if several views have it and none is the default
 */
export async function namedDomain(
  em: EntityManager,
  visible: VisibleDomains,
  given: string,
  filteredView: string | undefined,
): Promise<{ name: string; view?: string }> {
  const parsed = parseQualified(given);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  const { name, view } = parsed.value;
  if (view !== null && filteredView !== undefined && view !== filteredView) throw badField(["view"], differing(view));
  if (view !== null) return { name, view };
  if (filteredView !== undefined) return { name };
  const rows = await queries(em)
    .selectFrom("domains")
    .select("view")
    .where("name", "=", name)
    .where((eb) => visible.condition(eb))
    .orderBy("view")
    .execute();
  return {
    name,
    view: theView(
      name,
      rows.map((row) => row.view),
    ),
  };
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Returns the id of the domain that an id or a name stands for. The domain of an id is not looked up.
 * @throws AppError NOT_FOUND if the caller sees no domain of the name, and as {@link namedDomain}
 */
export async function domainIdOf(em: EntityManager, caller: Caller, given: string): Promise<string> {
  if (uuid.test(given)) return given.toLowerCase();
  const visible = await visibleDomains(em, caller);
  const { name, view = "" } = await namedDomain(em, visible, given, undefined);
  const row = await queries(em)
    .selectFrom("domains")
    .select("id")
    .where("name", "=", name)
    .where("view", "=", view)
    .where((eb) => visible.condition(eb))
    .executeTakeFirst();
  if (!row) throw notFound("domain");
  return row.id;
}

/** @throws AppError BAD_REQUEST */
export function givenView(view: string): string {
  const parsed = parseView(view);
  if (!parsed.ok) throw badField(["view"], parsed.message);
  return parsed.value;
}

/** Returns the view that a bare name stands for. @throws AppError CONFLICT */
export function theView(name: string, views: readonly string[]): string {
  const [first = "", ...others] = views;
  if (first === "" || others.length === 0) return first;
  const names = views.map((view) => qualifiedName({ name, view }));
  throw new AppError("CONFLICT", `${name} has several views here. Choose one: ${names.slice(0, 10).join(", ")}.`);
}

/** Returns the name and view of a new domain. @throws AppError BAD_REQUEST */
export function newName({ name, view }: { name: string; view?: string | undefined }): { name: string; view: string } {
  const parsed = parseQualified(name);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  const named = parsed.value.view;
  if (view === undefined) return { name: parsed.value.name, view: named ?? "" };
  const given = givenView(view);
  if (named !== null && given !== named) throw badField(["view"], differing(named));
  return { name: parsed.value.name, view: given };
}

function differing(view: string): string {
  return `The name contains the view ${view || "default"}, but \`view\` says otherwise. Send only one.`;
}
