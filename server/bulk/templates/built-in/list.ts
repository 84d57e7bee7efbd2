import type { Template } from "../form/template.ts";
import { mailTemplates } from "./mail.ts";
import { otherTemplates } from "./other.ts";

/** The provider id of every built-in template. Stored templates cannot have it. */
export const builtInProvider = "zonewright";

export interface BuiltIn {
  /** Never changes: applied templates refer to it. */
  id: string;
  /** Raised with every change of the records. */
  revision: number;
  template: Template;
}

/** The templates that come with the service, in the order in which lists show them. */
export const builtInTemplates: readonly BuiltIn[] = [...mailTemplates, ...otherTemplates].map(
  ({ id, revision, ...template }) => ({
    id,
    revision,
    template: { providerId: builtInProvider, providerName: "Zonewright", version: revision, ...template },
  }),
);

const byId = new Map(builtInTemplates.map((one) => [one.id, one]));

export function builtInTemplate(id: string): BuiltIn | undefined {
  return byId.get(id);
}
