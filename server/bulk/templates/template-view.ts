import { groupsOf, type Template } from "./form/template.ts";
import { unsupportedRecords } from "./form/unsupported.ts";
import { variablesOf } from "./form/variables.ts";

/** A template, stored or built in. */
export interface StoredTemplate {
  id: string;
  builtIn: boolean;
  /** Raised with every change here. */
  revision: number;
  template: Template;
  createdBy: string | null;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** Returns a template as lists show it. */
export function summaryView({ template, ...stored }: StoredTemplate) {
  const { providerId, providerName, serviceId, serviceName, description, variableDescription, records } = template;
  const version = template.version ?? null;
  return {
    ...stored,
    providerId,
    providerName,
    serviceId,
    serviceName,
    version: version === null || !Number.isFinite(Number(version)) ? null : Number(version),
    description: description ?? null,
    variableDescription: variableDescription ?? null,
    variables: variablesOf(template),
    groups: groupsOf(template),
    hostRequired: template.hostRequired === true,
    multiInstance: template.multiInstance === true,
    recordCount: records.length,
    unsupported: unsupportedRecords(template),
  };
}

/** Returns a template with its JSON as it was given. */
export function detailView(stored: StoredTemplate) {
  return { ...summaryView(stored), template: stored.template as unknown as Record<string, unknown> };
}
