import type { Caller } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { batchJobName, type ExplainedRequest } from "../batches/batch.ts";
import { storeBatch } from "../batches/store.ts";
import { storedMessage } from "../../zones/changes/pipeline.ts";
import { checkOverride } from "../../zones/changes/locks-and-reviews.ts";
import type { EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { Enqueue } from "../../ops/jobs/jobs.ts";
import { AppError } from "../../platform/errors.ts";
import { refuseLosses, planView } from "../../zones/records/editing/reviewed-plan.ts";
import { refuseLockedIn } from "../../zones/records/planned-zone.ts";
import type { DomainTemplates } from "./applied.ts";
import { planLinked } from "./linked-plan.ts";
import { linkedRequest } from "./linked-purpose.ts";
import type { Templates } from "./store.ts";

interface Parts {
  templates: Templates;
  domainTemplates: DomainTemplates;
  connections: ProviderConnections;
  audit: Audit;
  enqueue: Enqueue;
  now: () => Date;
}

/** Brings the domains that are linked to a template up to date with it. */
export class LinkedTemplates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what the template changes in every linked domain. @throws AppError NOT_FOUND, CONFLICT above 10,000 domains */
  async plan(em: EntityManager, caller: Caller, id: string) {
    const { connections, templates } = this.#parts;
    const plan = await planLinked(em, connections, caller, await templates.load(em, id));
    const domains = [];
    let unchanged = 0;
    for (const { domainId, domainName, changes, warnings, hash, error } of plan.domains) {
      if (hash === null && error === null) unchanged += 1;
      else domains.push({ domainId, domainName, ...(await planView(changes)), warnings, error });
    }
    return { domains, unchanged, warnings: [], planHash: plan.planHash };
  }

  /**
   * Starts a batch that carries out a reviewed plan. Domains that the template cannot be applied to are items that have failed; of domains
   * that match it already, only what is remembered changes.
   * @throws AppError NOT_FOUND, CONFLICT when the plan is outdated or empty, CONFIRMATION_REQUIRED above the safety threshold of any domain
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: ExplainedRequest & { id: string; planHash: string; force: boolean },
  ) {
    const { id, planHash, force } = input;
    const { audit, connections, domainTemplates, enqueue, now, templates } = this.#parts;
    checkOverride({ ...input, role: caller.role });
    const message = storedMessage(input.message) ?? undefined;
    const override = input.override || undefined;
    const unlock = input.unlock || undefined;
    const stored = await templates.load(em, id);
    const plan = await planLinked(em, connections, caller, stored);
    if (plan.planHash !== planHash)
      throw new AppError(
        "CONFLICT",
        "The plan is outdated: the template or its linked domains have changed. Plan again.",
      );
    const items = plan.domains.filter(({ hash, error }) => hash !== null || error !== null);
    const behind = plan.domains.flatMap(({ following }) => following);
    if (items.length === 0 && behind.length === 0)
      throw new AppError("CONFLICT", "No linked domain differs from the template, so there is nothing to apply.");
    if (!force) refuseLosses(items);
    if (!unlock) refuseLockedIn(items);
    return await em.transactional(async (tx) => {
      const batch = {
        kind: "template",
        request: { ...linkedRequest(stored), message, override, unlock },
        force,
        revertsId: null,
        now: now(),
      } as const;
      const jobId = await storeBatch(
        tx,
        caller,
        batch,
        items.map(({ domainId, hash, error }) => ({ domainId, planHash: hash, detail: null, error })),
      );
      await domainTemplates.put(tx, behind, null);
      await audit.record(tx, caller, {
        action: "template.apply_linked",
        targetType: "template",
        targetId: id,
        after: { jobId, revision: stored.revision, force, domains: items.length, message, override, unlock },
      });
      await enqueue(tx, batchJobName, {});
      return { jobId };
    });
  }
}
