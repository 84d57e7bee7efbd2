import type { z } from "zod";
import { applyInput, planInput, zonefileInput } from "../records/change-schemas.ts";

/**
 * Input schemas of calls with large bodies, by procedure. The worker uses them, so this module loads only schemas. A test compares the list
 * with the router.
 */
export const largeInputs: Readonly<Record<string, z.ZodType>> = {
  "records.plan": planInput,
  "records.applyPlan": applyInput,
  "records.importZonefile": zonefileInput,
};
