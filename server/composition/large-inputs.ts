import type { z } from "zod";
import { createRequestInput } from "../zones/change-requests/schemas.ts";
import { applyReplacementInput, planReplacementInput } from "../bulk/replacements/schemas.ts";
import { applyInput, planInput } from "../zones/records/change-schemas.ts";
import { importPortfolioInput } from "../zones/domains/portfolio-schemas.ts";
import { zonefileInput } from "../zones/records/whole-zone-schemas.ts";

/**
 * Input schemas of calls with large bodies, by procedure. The worker uses them, so this module loads only schemas. A test compares the list
 * with the router.
 */
export const largeInputs: Readonly<Record<string, z.ZodType>> = {
  "records.plan": planInput,
  "records.applyPlan": applyInput,
  "records.importZonefile": zonefileInput,
  "portfolio.import": importPortfolioInput,
  "changeRequests.plan": planInput,
  "changeRequests.create": createRequestInput,
  "replacements.plan": planReplacementInput,
  "replacements.applyPlan": applyReplacementInput,
};
