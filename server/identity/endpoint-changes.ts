import { queries, type EntityManager } from "../database/database.ts";
import { AppError, badField } from "../platform/errors.ts";
import { sameOrigin, secretAgain } from "../net/same-origin.ts";
import { urlFields, type IdentityConfigPatch } from "./config-fields.ts";
import type { IdentityConfig } from "../database/tables/identity.ts";
import type { ProviderId } from "../database/tables/identity.ts";

type Endpoints = Record<(typeof urlFields)[number], string | null>;

/** Whether a change gives access: through a provider that is changed, somebody may sign in as anybody. Disabling one does not. */
export function changesSignIn({ enabled, ...others }: IdentityConfigPatch): boolean {
  return enabled === true || Object.values(others).some((value) => value !== undefined);
}

/** Whether a change sends browsers or calls to other addresses. A path counts: at one host, files of anybody may be served. */
export function movesEndpoints(config: IdentityConfig, after: Endpoints): boolean {
  return urlFields.some((field) => (config[field] ?? null) !== after[field]);
}

/** Keeps a stored secret from going to another server. @throws AppError BAD_REQUEST */
export function requireSecretAgain(config: IdentityConfig, patch: IdentityConfigPatch, after: Endpoints): void {
  if (patch.clientSecret || typeof config.clientSecret !== "string") return;
  if (urlFields.every((field) => sameOrigin(config[field] ?? null, after[field]))) return;
  throw badField(["clientSecret"], secretAgain);
}

/**
 * Deletes the bindings of a provider's users.
 * @returns how many there were
 * @throws AppError CONFIRMATION_REQUIRED when there are some and their end is not confirmed
 */
export async function unbindAll(tx: EntityManager, providerId: ProviderId, confirmed: boolean): Promise<number> {
  const bindings = queries(tx).deleteFrom("identity_bindings").where("provider_id", "=", providerId);
  const { numDeletedRows } = await bindings.executeTakeFirstOrThrow();
  const users = Number(numDeletedRows);
  if (users === 0 || confirmed) return users;
  const who = users === 1 ? "1 user signs" : `${users} users sign`;
  throw new AppError(
    "CONFIRMATION_REQUIRED",
    `${who} in through this provider and would not be able to any more; repeat the call with the header x-confirm-delete: true.`,
  );
}
