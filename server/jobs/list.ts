import type { Services } from "../services.ts";
import type { Job } from "./jobs.ts";

/** Every job of the service. */
export function jobs({ expiryCheck, expiryReminders }: Services): Job[] {
  return [expiryCheck, expiryReminders];
}
