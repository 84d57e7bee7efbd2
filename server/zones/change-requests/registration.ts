import { permitted } from "../../access/authenticator.ts";
import type { Caller } from "../../access/caller.ts";
import { zoneFor } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import {
  approvalCovers,
  changesAlike,
  registrationHash,
  type Risk,
  type WantedRegistration,
} from "../../registry/registrars/plan.ts";
import { needsForce } from "../../registry/registrars/plan.ts";
import type { RegistrationDraft, Registrations } from "../../registry/registrars/registrations.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { StoredPlan, StoredRequest } from "./request.ts";
import {
  approvalGone,
  counts,
  needsApproval,
  outdated,
  presentAuthor,
  refuseUnread,
  reviewsOf,
  type FreshPlan,
} from "./review.ts";

/*
 * Change requests for a registration. Whoever reads one sees a plan by what the registrar said last; approving and applying ask it anew. An
 * approval also accepts the risks that the plan named: it counts as long as the fields change in the same way and no other risk came up. A
 * risk that went away changes nothing.
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
  const { changes, warnings, risks } = storedPlan({ plan });
  return { changes, warnings: [...risks.map(({ message }) => message), ...warnings] };
}

/** What the plan of a request said when it was made, approved, or last found to be outdated. */
function storedPlan({ plan }: Pick<StoredRequest, "plan">) {
  return plan as Pick<RegistrationDraft, "changes" | "warnings" | "risks">;
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
  return freshOf(registrationColumns(draft, storedPlan(request).risks));
}

function freshOf(columns: StoredPlan): FreshPlan {
  return { ...columns, plan: columns.plan as FreshPlan["plan"], planHash: null, listed: [] };
}

/**
 * Asks registrar and name servers what a request would do now, for a verdict on it. A plan that differs from the stored one is stored, so that
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
  const draft = await applicable(registrations.draft(em, author, { id: request.domainId, ...request.registration }));
  if (draft.changes.length === 0) throw nothingToApply();
  const { changes, risks } = storedPlan(request);
  const isCovered = draft.risks.every(({ about }) => risks.some((one) => one.about === about));
  const columns = registrationColumns(draft, isCovered ? risks : draft.risks);
  if (!isCovered || JSON.stringify(changes) !== JSON.stringify(draft.changes))
    await storeForReaders(em, request.id, columns);
  return freshOf(columns);
}

/** Stores a plan of a registration, so that the next reader of its request sees it. */
export async function storeForReaders(em: EntityManager, id: string, { plan }: StoredPlan): Promise<void> {
  await queries(em)
    .updateTable("change_requests")
    .set({ plan: JSON.stringify(plan) })
    .where("id", "=", id)
    .where("closed_at", "is", null)
    .where("applying_token", "is", null)
    .execute();
}

/** Says of a request what refuses its registration, in place of fields that a verdict does not have. @throws AppError CONFLICT, and others as they are */
export async function applicable<T>(plan: Promise<T>): Promise<T> {
  try {
    return await plan;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "BAD_REQUEST") throw error;
    throw new AppError("CONFLICT", `The request cannot be applied as things are now: ${error.message}`, {
      cause: error,
    });
  }
}

export function nothingToApply(): AppError {
  return new AppError("CONFLICT", "The registrar already has all of this, so there is nothing to apply.");
}

/** A risk came up that no approval covers. It may go away by itself, as where a name server did not answer once. */
export class NewRisk extends AppError {
  readonly draft: RegistrationDraft;

  constructor(request: Pick<StoredRequest, "state" | "registration">, draft: RegistrationDraft) {
    super("CONFLICT", `${outdated(request).message} ${draft.risks.map(({ message }) => message).join(" ")}`);
    this.draft = draft;
  }
}

/** Who has a request applied, as far as its registration is concerned. */
interface Starter {
  /** Null: the service, at its time. */
  caller: Caller | null;
  /** The hash of the changes that they have read; undefined: they apply whatever was approved. */
  read?: string | undefined;
  force: boolean;
  /** Whether their session was confirmed just now. */
  confirmed: boolean;
}

/**
 * Finds whose approvals count for a plan as it is now, with its author's present rights. Without one, a request is a direct change by its
 * author, and needs what that needs.
 * @throws AppError
 */
export async function judgeRegistration(
  em: EntityManager,
  request: RegistrationRequest,
  draft: RegistrationDraft,
  { starter, review, now }: { starter: Starter; review: ReviewPolicy; now: Date },
): Promise<string[]> {
  const { id, domainId } = request;
  const { configId, changes, risks } = draft;
  const author = await presentAuthor(em, request, now);
  const zone = await zoneFor(em, author, domainId, "manage");
  if (zone.registrarConfigId !== configId) throw outdated(request);
  const changesHash = registrationHash(configId, changes, risks);
  refuseUnread(starter.read, changesHash, request);
  const reviews = await reviewsOf(em, id);
  const approvers: string[] = [];
  for (const one of reviews)
    if (one.userId !== null && (await counts(em, one, request, { changesHash, places, at: now })))
      approvers.push(one.userId);
  if (approvers.length > 0) return approvers;
  if (!changesAlike(request.changesHash, changesHash)) throw outdated(request);
  if (request.state === "approved")
    throw reviews.some((one) => one.changesHash !== null && approvalCovers(one.changesHash, changesHash))
      ? approvalGone()
      : new NewRisk(request, draft);
  if (request.proposed || (starter.caller !== null && starter.caller.userId !== request.author.userId))
    throw needsApproval();
  permitted(author, "registrations:write");
  if (starter.caller) {
    permitted(starter.caller, "registrations:write");
    await zoneFor(em, starter.caller, domainId, "manage");
  }
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
