import type { Services } from "../services.ts";
import type { Job } from "./jobs.ts";

/** Every job of the service. */
export function jobs(_services: Services): Job[] {
  return [];
}
