import { defineEntity, p } from "@mikro-orm/core";

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
