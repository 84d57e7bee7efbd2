import { parentPort } from "node:worker_threads";
import { setSchemaMessages } from "../api/input-error.ts";
import { checkLarge, type LargeBody } from "../api/http/bodies/large-bodies.ts";
import type { z } from "zod";
import { createRequestInput } from "../zones/change-requests/schemas.ts";
import { applyReplacementInput, planReplacementInput } from "../bulk/replacements/schemas.ts";
import { applyInput, planInput } from "../zones/records/change-schemas.ts";
import { importPortfolioInput, startPortfolioImportInput } from "../zones/domains/portfolio-schemas.ts";
import { planDomainInput } from "../zones/domains/schemas.ts";
import { planRequestedZonefileInput, planZonefileInput, zonefileInput } from "../zones/records/whole-zone-schemas.ts";

/**
 * Input schemas of calls with large bodies, by procedure. The worker uses them, so this module loads only schemas. A test compares the list
 * with the router.
 */
export const largeInputs: Readonly<Record<string, z.ZodType>> = {
  "records.plan": planInput,
  "records.applyPlan": applyInput,
  "records.planZonefile": planZonefileInput,
  "records.importZonefile": zonefileInput,
  "domains.plan": planDomainInput,
  "portfolio.import": importPortfolioInput,
  "portfolio.startImport": startPortfolioImportInput,
  "changeRequests.plan": planInput,
  "changeRequests.planZonefile": planRequestedZonefileInput,
  "changeRequests.create": createRequestInput,
  "replacements.plan": planReplacementInput,
  "replacements.applyPlan": applyReplacementInput,
};

/** The worker thread that parses and validates large bodies, one at a time. */
setSchemaMessages();
parentPort?.on("message", ({ id, large }: { id: number; large: LargeBody }) => {
  try {
    parentPort?.postMessage({ id, checked: checkLarge(large, largeInputs) }, []);
  } catch (error) {
    parentPort?.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
  }
});
