import type { Caller } from "../../access/caller.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { escapeLike } from "../../database/query-helpers.ts";
import { ProviderError, type DnsProvider } from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";

/*
 * Limits on the zones a member may add, see docs/decisions/0009-members-and-zones.md: none that a provider already serves, and
 * none above or below a domain that the member does not own.
 */

/**
 * Refuses a zone that already exists at the provider.
 * @throws AppError CONFLICT when the provider serves the zone, PROVIDER_ERROR when that is unknown. Neither reveals the zone's content.
 */
export async function refuseServed(
  provider: DnsProvider | null,
  { name, providerZone }: { name: string; providerZone: string },
): Promise<void> {
  if (!provider || !(await serves(provider, providerZone))) return;
  throw new AppError("CONFLICT", `${name} exists at the provider; an administrator can import it.`);
}

async function serves(provider: DnsProvider, zone: string): Promise<boolean> {
  try {
    // The zone exists if the first read succeeds, even when it is empty.
    const records = provider.readZone(zone)[Symbol.asyncIterator]();
    await records.next();
    await records.return?.();
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.zoneMissing) return false;
    throw new AppError(
      "PROVIDER_ERROR",
      `The provider does not say whether it serves ${zone}; ask an administrator to look.`,
      { cause: error },
    );
  }
}

/**
 * Refuses a member's new domain above or below a domain that they do not own, and a view of such a domain. The owner of a parent domain controls the names
 * below it, and a new parent would take control of names that others own.
 * @throws AppError FORBIDDEN
 */
export async function refuseOverlap(em: EntityManager, caller: Caller, name: string): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select("name")
    .where((eb) => eb.or([eb("name", "in", [name, ...parentsOf(name)]), eb("name", "like", `%.${escapeLike(name)}`)]))
    .where((eb) => eb.or([eb("owner_id", "is", null), eb("owner_id", "!=", caller.userId)]))
    .limit(1)
    .executeTakeFirst();
  if (!other) return;
  if (other.name === name)
    throw new AppError("FORBIDDEN", `Another user has ${name} here. Ask an administrator to add a view of it.`);
  const relation = other.name.length < name.length ? "below" : "above";
  throw new AppError(
    "FORBIDDEN",
    `${name} lies ${relation} a domain that somebody else has here; ask an administrator to add it.`,
  );
}

/** Returns the parent names, nearest first: `b.example.com`, `example.com` and `com` for `a.b.example.com`. */
function parentsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
