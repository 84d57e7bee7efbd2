import type { ChangeOutcome } from "../../../dns-providers/provider.ts";
import { AppError, type Issue } from "../../../platform/errors.ts";
import type { Judged, Refusal } from "./edits.ts";
import type { LiveRecord, PlannedChange } from "../../../dns/record.ts";

/**
 * Refuses an atomic set if any edit was refused. @throws AppError with every issue, under the path of its input
 * @param given whether the caller sent the edits, and so knows them by their index
 */
export function refuseAtomic(
  outcomes: readonly (Judged["outcomes"][number] | undefined)[],
  field: "records" | "changes",
  given = true,
): void {
  const refusals = outcomes.flatMap((outcome, index) => (outcome && !outcome.ok ? [{ index, outcome }] : []));
  const [first] = refusals;
  if (!first) return;
  const issues = refusals.flatMap(({ index, outcome }) =>
    outcome.issues.map(({ path, message }) => ({
      path: [field, index, ...(field === "changes" && path[0] !== "recordId" ? ["record"] : []), ...path],
      message,
    })),
  );
  const code = field === "records" ? "CONFLICT" : first.outcome.code;
  throw new AppError(
    code,
    `Nothing was changed: ${given ? `${field}.${first.index}: ` : ""}${first.outcome.issues[0]?.message ?? "refused"}`,
    { issues },
  );
}

/** Refuses an edit if `If-Match` names another version. Runs before all other checks (RFC 9110 §13.2.1). @throws AppError PRECONDITION_FAILED */
export function refuseOutdated(present: ReadonlyMap<string, LiveRecord>, ifMatch: number): void {
  for (const { version } of present.values()) {
    if (version === ifMatch) continue;
    throw new AppError("PRECONDITION_FAILED", `The record is at version ${version}, not ${ifMatch}. Read it again.`);
  }
}

/**
 * Refuses an atomic set that its provider refused.
 * @throws AppError CONFLICT when the provider refused them, PROVIDER_ERROR when it carried out only some
 */
export function refuseAll(
  asked: readonly (Judged["outcomes"][number] | undefined)[],
  changes: readonly PlannedChange[],
  outcomes: readonly ChangeOutcome[],
  field: "records" | "changes",
): void {
  const refused = providerRefusals(changes, outcomes);
  const [first] = refused.values();
  if (first === undefined) return;
  refuseHalfDone(outcomes, first);
  const issues = asked.flatMap((outcome, index) => {
    const message = outcome?.ok ? refused.get(outcome.id) : undefined;
    return message === undefined ? [] : [{ path: [field, index], message }];
  });
  throw new AppError("CONFLICT", `Nothing was changed: ${first}`, { issues });
}

/** Refuses an atomic set that was made only in part because a connection broke. @throws AppError PROVIDER_ERROR */
export function refuseHalfDone(outcomes: readonly ChangeOutcome[], message: string): void {
  const done = outcomes.filter(({ ok }) => ok).length;
  if (done === 0) return;
  throw new AppError(
    "PROVIDER_ERROR",
    `Only ${done} of ${outcomes.length} changes were made; see the history. ${message}`,
  );
}

/** Returns the error for a refused zone file, with each reason as an issue. */
export function fileRefused(code: "CONFLICT" | "FORBIDDEN", messages: readonly string[]): AppError {
  return new AppError(code, `Nothing was changed: ${messages[0] ?? ""}`, {
    issues: messages.slice(0, 100).map((message) => ({ path: ["zonefile"], message })),
  });
}

/** Returns the error for one refused edit. */
export function refusalError(refusal: Refusal): AppError {
  if (refusal.code === "NOT_FOUND") return new AppError("NOT_FOUND", sentence(refusal.issues));
  return new AppError(refusal.code, sentence(refusal.issues), { issues: refusal.issues });
}

/** Returns issues as one text. */
export function sentence(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join(" ");
}

/** Returns the provider's reasons, by the id of the change that it refused. */
export function providerRefusals(
  changes: readonly PlannedChange[],
  outcomes: readonly { ok: boolean; message?: string }[],
): Map<string, string> {
  return new Map(
    changes.flatMap(({ id }, index) => (outcomes[index]?.ok ? [] : [[id, outcomes[index]?.message ?? "refused"]])),
  );
}
