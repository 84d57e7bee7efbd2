import type { ChangeOutcome } from "../../dns-providers/provider.ts";
import { AppError, type Issue } from "../../platform/errors.ts";
import type { Judged, Refusal } from "./edits.ts";
import type { LiveRecord, PlannedChange } from "../../dns/live-record.ts";

/** @throws AppError with every refusal's issues, under the place of its input */
export function refuseTogether(
  outcomes: readonly (Judged["outcomes"][number] | undefined)[],
  field: "records" | "changes",
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
    `Nothing was changed: ${field}.${first.index}: ${first.outcome.issues[0]?.message ?? "refused"}`,
    { issues },
  );
}

/** Before anything else is judged (RFC 9110 §13.2.1). A record that is not there is told as that. */
export function refuseOutdated(present: ReadonlyMap<string, LiveRecord>, ifMatch: number): void {
  for (const { version } of present.values()) {
    if (version === ifMatch) continue;
    throw new AppError(
      "PRECONDITION_FAILED",
      `The record is at version ${version} and not at ${ifMatch}; read it again.`,
    );
  }
}

/**
 * For changes that were to take place all or not at all.
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

/** A connection that broke may leave some of it done even where all or nothing was asked for. */
export function refuseHalfDone(outcomes: readonly ChangeOutcome[], message: string): void {
  const done = outcomes.filter(({ ok }) => ok).length;
  if (done === 0) return;
  throw new AppError("PROVIDER_ERROR", `${done} of ${outcomes.length} changes took place, see the history: ${message}`);
}

/** A master file of which nothing was done: every reason, each as an issue of the file. */
export function fileRefused(code: "CONFLICT" | "FORBIDDEN", messages: readonly string[]): AppError {
  return new AppError(code, `Nothing was changed: ${messages[0] ?? ""}`, {
    issues: messages.slice(0, 100).map((message) => ({ path: ["zonefile"], message })),
  });
}

/** One refused edit as an error. */
export function refusalError(refusal: Refusal): AppError {
  if (refusal.code === "NOT_FOUND") return new AppError("NOT_FOUND", sentence(refusal.issues));
  return new AppError(refusal.code, sentence(refusal.issues), { issues: refusal.issues });
}

/** Issues as one text. */
export function sentence(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join(" ");
}

/** What the provider said, by the id of the change that it refused. */
export function providerRefusals(
  changes: readonly PlannedChange[],
  outcomes: readonly { ok: boolean; message?: string }[],
): Map<string, string> {
  return new Map(
    changes.flatMap(({ id }, index) => (outcomes[index]?.ok ? [] : [[id, outcomes[index]?.message ?? "refused"]])),
  );
}
