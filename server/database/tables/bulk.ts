import { defineEntity, p } from "@mikro-orm/core";

/** What a batch does in each of its domains. Batches of other kinds are of a later version, whose instances carry them out. */
export const batchKinds = ["replace", "revert", "template", "portfolio"] as const;
export type BatchKind = (typeof batchKinds)[number];
/** `stopping`: no further domain is begun, and one in flight is still going on. */
export type BatchState = "running" | "stopping" | "stopped" | "done";
export type BatchItemState = "waiting" | "running" | "done" | "failed" | "skipped";

/** A change of many domains, carried out domain by domain in the background. */
export const BatchSchema = defineEntity({
  name: "Batch",
  tableName: "batches",
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<BatchKind>(),
    /** Whose change it is; null once the user was deleted. */
    userId: p.uuid().nullable(),
    /** The personal token, address and call that started it, for the audit trail. */
    tokenId: p.uuid().nullable(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    /** What was asked for, by kind. */
    request: p.json().$type<unknown>(),
    /** Whether it may pass the safety threshold. */
    force: p.boolean(),
    /** The batch whose changes it reverts. */
    revertsId: p.uuid().nullable(),
    state: p.text().$type<BatchState>(),
    /** Why it was stopped; null if a user stopped it. */
    reason: p.text().nullable(),
    /** The percentage of progress that was last announced. */
    announced: p.integer().default(0),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** One domain of a batch. */
export const BatchItemSchema = defineEntity({
  name: "BatchItem",
  tableName: "batch_items",
  properties: {
    id: p.uuid().primary(),
    batchId: p.uuid(),
    position: p.integer(),
    domainId: p.uuid(),
    state: p.text().$type<BatchItemState>(),
    /** Hash of the planned changes; null if they were not planned beforehand. */
    planHash: p.text().nullable(),
    /** What the plan of this domain depends on, by kind. */
    detail: p.json().$type<unknown>().nullable(),
    changeSetId: p.uuid().nullable(),
    /** Why it failed. */
    error: p.text().nullable(),
  },
});

/** A template that an administrator added. */
export const TemplateSchema = defineEntity({
  name: "Template",
  tableName: "templates",
  properties: {
    id: p.uuid().primary(),
    providerId: p.text(),
    providerName: p.text(),
    serviceId: p.text(),
    serviceName: p.text(),
    /** Counts the versions stored here. The template's own version is informational. */
    revision: p.integer(),
    /** The JSON as given: text, because it may hold what `jsonb` refuses. */
    template: p.text(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Where a template was applied, and with what. */
export const DomainTemplateSchema = defineEntity({
  name: "DomainTemplate",
  tableName: "domain_templates",
  properties: {
    id: p.uuid().primary(),
    domainId: p.uuid(),
    /** A row of `templates`, possibly deleted since, or a built-in template. */
    templateId: p.uuid(),
    templateRevision: p.integer(),
    providerId: p.text(),
    serviceId: p.text(),
    serviceName: p.text(),
    /** Relative to the zone; `@` for the apex. */
    host: p.text(),
    /** Tells applications of a template with `multiInstance` apart; empty for others. */
    instance: p.text(),
    /** Values by variable. */
    variables: p.json().$type<unknown>(),
    /** Null: all groups. */
    groups: p.json().$type<unknown>().nullable(),
    /** The records and SPF rules that it wrote. */
    written: p.json().$type<unknown>(),
    linked: p.boolean(),
    /** The zone's revision afterwards. */
    revision: p.integer(),
    appliedBy: p.uuid().nullable(),
    appliedAt: p.datetime(),
  },
});
