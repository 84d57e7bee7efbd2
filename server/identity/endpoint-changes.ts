import { queries, type EntityManager } from "../database/database.ts";
import { AppError, badField } from "../platform/errors.ts";
import { sameOrigin, secretAgain } from "../net/same-origin.ts";
import { urlFields, type IdentityConfigPatch } from "./config-fields.ts";
import type { IdentityConfig } from "../database/tables/identity.ts";
import type { ProviderId } from "../database/tables/identity.ts";

type Endpoints = Record<(typeof urlFields)[number], string | null>;

/** Returns whether a change can grant access: a changed provider could sign in anyone. Disabling one cannot. */
export function changesSignIn({ enabled, ...others }: IdentityConfigPatch): boolean {
  return enabled === true || Object.values(others).some((value) => value !== undefined);
}

/** Returns whether a change directs browsers or calls to other URLs. Paths count, because one host may serve files of several parties. */
export function movesEndpoints(config: IdentityConfig, after: Endpoints): boolean {
  return urlFields.some((field) => (config[field] ?? null) !== after[field]);
}

/** Prevents sending a stored secret to another server. @throws AppError BAD_REQUEST */
export function requireSecretAgain(config: IdentityConfig, patch: IdentityConfigPatch, after: Endpoints): void {
  if (patch.clientSecret || typeof config.clientSecret !== "string") return;
  if (urlFields.every((field) => sameOrigin(config[field] ?? null, after[field]))) return;
  throw badField(["clientSecret"], secretAgain);
}

/**
 * Unlinks all users of a provider.
 * @returns the unlinked users, whose roles from groups `GroupGrants.unlinked` ends
 * @throws AppError CONFIRMATION_REQUIRED if there are any and `confirmed` is false
 */
export async function unbindAll(tx: EntityManager, providerId: ProviderId, confirmed: boolean): Promise<string[]> {
  const rows = await queries(tx)
    .deleteFrom("identity_bindings")
    .where("provider_id", "=", providerId)
    .returning("user_id")
    .execute();
  const users = rows.length;
  if (users === 0 || confirmed) return rows.map(({ user_id: id }) => id);
  const affected = users === 1 ? "1 user signs" : `${users} users sign`;
  throw new AppError(
    "CONFIRMATION_REQUIRED",
    `${affected} in through this provider and could no longer do so. To continue, repeat the call with the header x-confirm-delete: true.`,
  );
}
