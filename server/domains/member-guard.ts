import type { Caller } from "../access/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { escapeLike } from "../database/escape-like.ts";
import { ProviderError, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError } from "../platform/errors.ts";

/*
 * What a member may not take, see docs/decisions/0009-members-and-zones.md: a zone that a provider serves already, and names
 * above or below somebody else's domain.
 */

/**
 * Lets a member have only zones that are new at the provider.
 * @throws AppError CONFLICT when it serves the zone, PROVIDER_ERROR when it does not say; both tell nothing of what is in it.
 */
export async function refuseServed(provider: DnsProvider | null, zone: string): Promise<void> {
  if (!provider || !(await serves(provider, zone))) return;
  throw new AppError("CONFLICT", `${zone} exists at the provider; an administrator can import it.`);
}

async function serves(provider: DnsProvider, zone: string): Promise<boolean> {
  try {
    // A first batch, or the end of an empty zone: either way it is there.
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
 * Keeps a member's new domain apart from the domains of others: whoever has the parent decides on names below it, and a new
 * parent would decide on names that others have.
 * @throws AppError FORBIDDEN
 */
export async function refuseOverlap(em: EntityManager, caller: Caller, name: string): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select("name")
    .where((eb) => eb.or([eb("name", "in", parentsOf(name)), eb("name", "like", `%.${escapeLike(name)}`)]))
    .where((eb) => eb.or([eb("owner_id", "is", null), eb("owner_id", "!=", caller.userId)]))
    .limit(1)
    .executeTakeFirst();
  if (!other) return;
  const relation = other.name.length < name.length ? "below" : "above";
  throw new AppError(
    "FORBIDDEN",
    `${name} lies ${relation} a domain that somebody else has here; ask an administrator to add it.`,
  );
}

/** `b.example.com` and up for `a.b.example.com`, down to one label. */
function parentsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
