import { permitted } from "../../access/authenticator.ts";
import type { Caller } from "../../access/caller.ts";
import { zoneFor } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { registrationHash, type Risk, type WantedRegistration } from "../../registry/registrars/plan.ts";
import { needsForce, type RegistrationDraft, type Registrations } from "../../registry/registrars/registrations.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { StoredPlan, StoredRequest } from "./request.ts";
import { approvalGone, counts, needsApproval, outdated, presentAuthor, reviewsOf, type FreshPlan } from "./review.ts";

/*
 * Change requests for a registration. They are planned by what the registrar says, of which a reader gets what it said last; a verdict and an
 * attempt ask it anew. A verdict also accepts the risks that the plan named: what is approved counts as long as the fields change in the same
 * way and no other risk came up. A risk that went away changes nothing.
 */

/** A stored request that changes a registration. */
export type RegistrationRequest = StoredRequest & { domainId: string; registration: WantedRegistration };

/** Who may see such a request: those who may see the name servers at the apex. */
const places = [{ name: "@", recordType: "NS" }];

/** Returns a plan of a registration as requests store and show it. @param accepted the risks that a verdict accepts */
export function registrationColumns(draft: RegistrationDraft, accepted: readonly Risk[] = draft.risks): StoredPlan {
  const { configId, changes, warnings } = draft;
  const plan = { changes, warnings, risks: accepted };
  const changesHash = registrationHash(configId, changes, accepted);
  return { places, plan, changesHash, creates: 0, updates: changes.length, deletes: 0 };
}

/** Returns what answers show of a stored plan. */
export function shownRegistration(plan: unknown) {
  const { changes, warnings, risks } = plan as Pick<RegistrationDraft, "changes" | "warnings" | "risks">;
  return { changes, warnings: [...risks.map(({ message }) => message), ...warnings] };
}

/** Returns the risks that the plan of a request named when it was made or last read anew. */
function knownRisks({ plan }: StoredRequest): Risk[] {
  return (plan as { risks: Risk[] }).risks;
}

function isWithin(risks: readonly Risk[], others: readonly Risk[]): boolean {
  return risks.every(({ about }) => others.some((other) => other.about === about));
}

/** Plans a request by what the registrar said last, with its author's present rights. @throws AppError as `Registrations.known`, CONFLICT */
export async function presentRegistration(
  em: EntityManager,
  registrations: Registrations,
  request: RegistrationRequest,
  now: Date,
): Promise<FreshPlan> {
  const author = await presentAuthor(em, request, now);
  const draft = await registrations.known(em, author, { id: request.domainId, ...request.registration });
  return freshOf(registrationColumns(draft, knownRisks(request)));
}

function freshOf(columns: StoredPlan): FreshPlan {
  return { ...columns, plan: columns.plan as FreshPlan["plan"], planHash: null, listed: [] };
}

/**
 * Asks registrar and name servers what a request would do now, for a verdict on it. What differs from what its plan said is stored, so that
 * the next reader sees it. Not for a transaction.
 * @throws AppError as `Registrations.draft`, CONFLICT
 */
export async function freshRegistration(
  em: EntityManager,
  registrations: Registrations,
  request: RegistrationRequest,
  now: Date,
): Promise<FreshPlan> {
  const author = await presentAuthor(em, request, now);
  const draft = await registrations.draft(em, author, { id: request.domainId, ...request.registration });
  const known = knownRisks(request);
  const columns = registrationColumns(draft, isWithin(draft.risks, known) ? known : draft.risks);
  if (columns.changesHash !== request.changesHash)
    await queries(em)
      .updateTable("change_requests")
      .set({ plan: JSON.stringify(columns.plan) })
      .where("id", "=", request.id)
      .where("closed_at", "is", null)
      .where("applying_token", "is", null)
      .execute();
  return freshOf(columns);
}

/** Who has a request applied, as far as its registration is concerned. */
interface Starter {
  /** Null: the service, at its time. */
  caller: Caller | null;
  force: boolean;
  /** Whether their session was confirmed just now. */
  confirmed: boolean;
}

/**
 * Finds whose approvals count for a plan as it is now. Without one, a request is a direct change by its author, and needs what that needs.
 * @throws AppError
 */
export async function judgeRegistration(
  em: EntityManager,
  request: RegistrationRequest,
  draft: RegistrationDraft,
  { author, starter, review, now }: { author: Caller; starter: Starter; review: ReviewPolicy; now: Date },
): Promise<string[]> {
  const known = knownRisks(request);
  const { configId, changes, risks } = draft;
  const accepted = isWithin(risks, known) ? [risks, known] : [risks];
  const hashes = new Set(accepted.map((some) => registrationHash(configId, changes, some)));
  const approvers: string[] = [];
  for (const one of await reviewsOf(em, request.id)) {
    const { userId, changesHash } = one;
    if (userId === null || changesHash === null || !hashes.has(changesHash)) continue;
    if (await counts(em, one, request, { changesHash, places, at: now })) approvers.push(userId);
  }
  if (approvers.length > 0) return approvers;
  if (!hashes.has(request.changesHash)) throw outdated(request);
  if (request.state === "approved") throw approvalGone();
  if (request.proposed || (starter.caller !== null && starter.caller.userId !== request.author.userId))
    throw needsApproval();
  permitted(author, "registrations:write");
  if (starter.caller) permitted(starter.caller, "registrations:write");
  const zone = await zoneFor(em, starter.caller ?? author, request.domainId, "manage");
  if (review.binds(zone, author.role)) throw needsApproval();
  if (risks.length > 0 && !request.force && !starter.force) throw needsForce(risks);
  if (turnsLockOff(request) && !starter.confirmed) throw lockNeedsSession();
  return approvers;
}

/** Returns whether a request turns the transfer lock off. */
export function turnsLockOff({ registration }: Pick<StoredRequest, "registration">): boolean {
  return registration?.locked === false;
}

/** Requires a confirmed session of whoever turns the transfer lock off, or approves that. @throws AppError FORBIDDEN, REAUTHENTICATION_REQUIRED */
export async function confirmForLock({ caller, confirmed }: { caller: Caller | null; confirmed: () => Promise<void> }) {
  if (caller === null || caller.sessionId === null) throw lockNeedsSession();
  await confirmed();
}

function lockNeedsSession(): AppError {
  return new AppError(
    "FORBIDDEN",
    "This turns the transfer lock off, which needs a confirmed session. Sign in for it.",
  );
}

/** Marks that an attempt begins to send a change, after which only the registrar knows what became of it. */
export async function markSending(tx: EntityManager, id: string, now: Date): Promise<void> {
  await queries(tx).updateTable("change_requests").set({ sent_at: now }).where("id", "=", id).execute();
}
