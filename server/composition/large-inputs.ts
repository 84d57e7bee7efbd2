import type { z } from "zod";
import { applyInput, planInput, zonefileInput } from "../records/change-schemas.ts";

/**
 * What the calls with a large body take, by procedure. The worker validates by these, so this loads nothing but schemas. A test holds the
 * list against the router.
 */
export const largeInputs: Readonly<Record<string, z.ZodType>> = {
  "records.plan": planInput,
  "records.applyPlan": applyInput,
  "records.importZonefile": zonefileInput,
};
