import { UniqueConstraintViolationException } from "@mikro-orm/core";
import { queries, type EntityManager } from "../database/database.ts";
import { qualifiedName } from "../dns/names/views.ts";
import { AppError } from "../platform/errors.ts";

/*
 * What identifies a domain: its name and view here, and its zone at a provider configuration there. Each is unique. Checks before a call
 * give clear errors; the unique indexes catch concurrent calls.
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
    throw new AppError("CONFLICT", `${qualifiedName({ name, view })} is managed here already.`, {
      issues: [{ path: ["name"], message: "This domain exists already." }],
    });
  }
}

/** Refuses a zone that another domain has at the provider: two views of a name cannot share one. @throws AppError CONFLICT */
export async function refuseSharedZone(em: EntityManager, domain: Placed): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select(["name", "view"])
    .where("provider_config_id", "=", domain.providerConfigId)
    .where("provider_zone", "=", domain.providerZone)
    .where("id", "!=", domain.id)
    .executeTakeFirst();
  if (!other) return;
  const user = qualifiedName(other);
  throw new AppError(
    "CONFLICT",
    `${user} already uses the zone ${domain.name} of this provider configuration. Choose another configuration for ${qualifiedName(domain)}.`,
    { issues: [{ path: ["providerConfigId"], message: `${user} already uses this zone.` }] },
  );
}

/** Returns the CONFLICT behind a violated unique index; other errors as they are. */
export async function conflictOf(em: EntityManager, domain: Named | Placed, error: unknown): Promise<unknown> {
  if (!(error instanceof UniqueConstraintViolationException)) return error;
  try {
    await refuseTaken(em, domain);
    if ("providerZone" in domain) await refuseSharedZone(em, domain);
    return error;
  } catch (conflict) {
    return conflict;
  }
}
