import { recordKey } from "../../dns/record.ts";
import type { Result } from "../../platform/result.ts";
import { ProviderError, type BeforeCall, type RecordChange } from "../provider.ts";
import { notDone } from "../applying/change-outcomes.ts";
import { takeBack } from "../applying/take-back.ts";
import { recordsOf } from "../applying/touched-records.ts";
import type { DigitalOceanApi } from "./api.ts";
import type { Step, StepGroup } from "./steps.ts";
import { writeRecord } from "./wire-records.ts";

/** A step that was carried out, and the id that its record has now. */
interface Done {
  step: Step;
  id: number;
}

/**
 * Carries groups out, one call for each step: the API has no batch. Where a call is refused, what its group did before is taken back, so that
 * a group is done whole or not at all.
 * @returns why changes were refused. @throws ProviderError with effect `unknown` where that cannot be said
 */
export async function applySteps(
  api: DigitalOceanApi,
  domain: string,
  groups: readonly StepGroup[],
  beforeCall: BeforeCall,
): Promise<Map<RecordChange, string>> {
  const refusals = new Map<RecordChange, string>();
  let anything = false;
  for (const [index, group] of groups.entries()) {
    try {
      const refused = await applyGroup(api, domain, group, beforeCall);
      if (refused === null) anything ||= group.steps.length > 0;
      else refuseGroup(refusals, group, refused);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.effect !== "none" || !anything) throw error;
      for (const change of groups.slice(index).flatMap(({ changes }) => changes)) refusals.set(change, error.message);
      break;
    }
  }
  return refusals;
}

/** Tells the change that the call was about why, and the others of the group that they were not done for it. */
function refuseGroup(refusals: Map<RecordChange, string>, { changes }: StepGroup, { step, message }: Refused): void {
  const key = recordKey(step.after ?? step.before.data);
  const concerned = changes.filter((change) => recordsOf(change).some((record) => recordKey(record) === key));
  for (const change of changes) {
    const own = concerned.length === 0 || concerned.includes(change);
    refusals.set(change, own ? message : notDone(message));
  }
}

interface Refused {
  step: Step;
  message: string;
}

async function applyGroup(
  api: DigitalOceanApi,
  domain: string,
  { steps }: StepGroup,
  beforeCall: BeforeCall,
): Promise<Refused | null> {
  const done: Done[] = [];
  const goBack = async (reason: string) => {
    for (const last of done.toReversed()) await takeBack(() => undo(api, domain, last, beforeCall), reason);
  };
  for (const step of steps) {
    let answer: Result<{ id: number }>;
    try {
      await beforeCall([changeOf(step)]);
      answer = await carryOut(api, domain, step);
    } catch (error) {
      if (error instanceof ProviderError && error.effect === "none") await goBack(error.message);
      throw error;
    }
    if (!answer.ok) {
      const message = `${api.name} refuses it: ${answer.message}`;
      await goBack(message);
      return { step, message };
    }
    done.push({ step, id: answer.value.id });
  }
  return null;
}

function changeOf({ kind, before, after }: Step): RecordChange {
  if (kind === "create") return { action: kind, before, after };
  return kind === "update"
    ? { action: kind, before: before.data, after }
    : { action: kind, before: before.data, after };
}

async function carryOut(api: DigitalOceanApi, domain: string, step: Step): Promise<Result<{ id: number }>> {
  if (step.kind === "create") return await api.create(domain, writeRecord(step.after));
  const { id } = step.before;
  const answer =
    step.kind === "delete" ? await api.delete(domain, id) : await api.update(domain, id, writeRecord(step.after));
  return answer.ok ? { ok: true, value: { id } } : answer;
}

async function undo(
  api: DigitalOceanApi,
  domain: string,
  { step, id }: Done,
  beforeCall: BeforeCall,
): Promise<Result<unknown>> {
  await beforeCall([]);
  if (step.kind === "create") return await api.delete(domain, id);
  const before = writeRecord(step.before.data);
  return step.kind === "update" ? await api.update(domain, id, before) : await api.create(domain, before);
}
