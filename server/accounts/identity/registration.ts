import type { z } from "zod";
import type { registerExternalInput } from "./schemas.ts";
import { randomInt } from "node:crypto";
import type { Actor } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { ClientInfo } from "../auth/sessions.ts";
import type { SignedIn, SignIn } from "../auth/sign-in.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { mapUniqueViolation } from "../../database/query-helpers.ts";
import { AppError } from "../../platform/errors.ts";
import { resolveAlias } from "../../api/input-error.ts";
import type { User } from "../../database/tables/users.ts";
import type { Invitations } from "../users/invitations/service.ts";
import type { Users } from "../users/service.ts";
import type { IdentityBindings } from "./bindings.ts";
import { lockEnabled } from "./configs.ts";
import type { GroupGrants } from "./groups/grants.ts";
import { outcomeOfGroups, groupSettings } from "./groups/rules.ts";
import { knownProvider, type Identity } from "./providers/provider.ts";
import type { ProviderId } from "../../database/tables/identity.ts";
import type { IdentityTickets } from "./tickets.ts";

const mostTries = 5;
const longestUsername = 48;
/** Candidates with a number. */
const numbered = 20;

export type ExternalAccount = z.infer<typeof registerExternalInput>;

/** An identity without an account, and its groups that rules name. */
type PendingIdentity = Identity & { groups: readonly string[] };

interface Parts {
  grants: GroupGrants;
  tickets: IdentityTickets;
  bindings: IdentityBindings;
  users: Users;
  invitations: Invitations;
  signIn: SignIn;
  audit: Audit;
}

/** Registers users with an invitation, who then sign in through a provider. */
export class ExternalRegistration {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Registers a user. An invalid invitation code does not consume the pending token.
   * @throws AppError NOT_FOUND for an unknown provider, UNAUTHORIZED for an invalid or expired pending token, BAD_REQUEST for an invalid code,
   * CONFLICT if the identity has been linked in the meantime
   */
  async register(em: EntityManager, actor: Actor, input: ExternalAccount, client: ClientInfo): Promise<SignedIn> {
    const providerId = knownProvider(input.providerId);
    const { pendingToken } = input;
    const { given: inviteCode } = resolveAlias({ inviteCode: input.inviteCode, code: input.code });
    for (let tries = 1; ; tries++) {
      const identity = await this.#parts.tickets.pending(em, providerId, pendingToken);
      if (!identity) throw expired();
      try {
        const user = await this.#create(em.fork(), actor, providerId, identity, { pendingToken, inviteCode });
        return await this.#parts.signIn.start(
          em.fork(),
          actor,
          user.id,
          { rememberMe: false, method: providerId },
          client,
        );
      } catch (error) {
        // The name or address was taken between the check and the insert.
        const taken = error instanceof AppError && error.code === "CONFLICT" && error.issues !== null;
        if (!taken || tries === mostTries) throw error;
      }
    }
  }

  async #create(
    em: EntityManager,
    actor: Actor,
    providerId: ProviderId,
    identity: PendingIdentity,
    { pendingToken, inviteCode }: { pendingToken: string; inviteCode: string },
  ): Promise<User> {
    const { displayName } = identity;
    const username = await freeUsername(em, usernamesFor(providerId, identity));
    const email = await freeAddress(em, identity);
    const account = {
      username,
      password: null,
      email,
      emailVerifiedBy: "provider",
      role: "member",
      displayName,
    } as const;
    return await this.#parts.users.create(em, account, actor, async (tx) => {
      // Its rules and state then stay until this ends, or a change of them that was first has ended the token.
      if (!(await lockEnabled(tx, providerId))) throw expired();
      if (!(await this.#parts.tickets.takePending(tx, pendingToken))) throw expired();
      // Locks the administrators for one of them: who has done so may wait for the name that is stored next.
      const { id: invitationId, role } = await this.#parts.invitations.redeem(tx, inviteCode);
      return { role, invitationId, complete: (same, user) => this.#bind(same, actor, user, providerId, identity) };
    });
  }

  async #bind(
    tx: EntityManager,
    actor: Actor,
    { id }: User,
    providerId: ProviderId,
    identity: PendingIdentity,
  ): Promise<void> {
    const binding = await mapUniqueViolation(
      this.#parts.bindings.add(tx, id, providerId, identity),
      (cause) => new AppError("CONFLICT", "This identity already has an account. Sign in again.", { cause }),
    );
    const event = { action: "identity.register", targetType: "user", targetId: id } as const;
    await this.#parts.audit.record(tx, { ...actor, userId: id }, { ...event, after: { providerId } });
    const settings = await groupSettings(tx, providerId);
    const outcome = outcomeOfGroups(settings, new Set(identity.groups));
    const signing = { userId: id, providerId, bindingId: binding.id };
    if (await this.#parts.grants.apply(tx, { ...actor, userId: id }, signing, outcome)) return;
    throw new AppError("UNAUTHORIZED", "None of your groups is allowed to sign in. Ask an administrator.");
  }
}

/**
 * Returns username candidates for a user who registers through a provider, best first: the username there, the local part of the email
 * address, or the display name; then the same with numbers. The last one has a random number, so that one is always free.
 */
export function usernamesFor(providerId: ProviderId, { username, email, displayName }: Identity): string[] {
  const base =
    [username, email?.replace(/@.*$/s, "") ?? null, displayName]
      .map((text) => (text === null ? "" : plain(text)))
      .find((text) => text.length >= 2) ?? `${providerId}-user`;
  const numbers = Array.from({ length: numbered }, (_, index) => `${base}-${index + 2}`);
  return [base, ...numbers, `${base}-${randomInt(100_000, 1_000_000_000)}`];
}

function expired(): AppError {
  return new AppError(
    "UNAUTHORIZED",
    "This registration is completed or has expired. Sign in with the provider again.",
  );
}

async function freeUsername(em: EntityManager, candidates: readonly string[]): Promise<string> {
  const lower = candidates.map((candidate) => candidate.toLowerCase());
  const rows = await queries(em)
    .selectFrom("users")
    .select((eb) => eb.fn<string>("lower", ["username"]).as("name"))
    .where((eb) => eb(eb.fn<string>("lower", ["username"]), "in", lower))
    .execute();
  const taken = new Set(rows.map(({ name }) => name));
  return candidates.find((candidate) => !taken.has(candidate.toLowerCase())) ?? candidates.at(-1) ?? "user";
}

/** Returns the address if the provider verified it and no other account has verified it. A matching address never links accounts. */
async function freeAddress(em: EntityManager, { email, emailVerified }: Identity): Promise<string | null> {
  if (email === null || !emailVerified) return null;
  const taken = await queries(em)
    .selectFrom("users")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", email.toLowerCase()))
    .where("email_verified_by", "is not", null)
    .executeTakeFirst();
  return taken ? null : email;
}

/** Reduces a text to letters, digits, dots, hyphens and underscores, without accents. Excludes @, which would look like an email address. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, longestUsername);
}
