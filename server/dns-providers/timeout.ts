import { z } from "zod";
import type { ConfigField } from "./provider.ts";

const usualSeconds = 30;

/** How long a server of the operator's own may take for an answer: more for one far away or with huge zones, less where people wait. */
export const timeoutSeconds = z
  .int("Give whole seconds, from 1 to 600.")
  .min(1, "Give whole seconds, from 1 to 600.")
  .max(600, "Give whole seconds, from 1 to 600.")
  .optional();

/** The field of a configuration that holds it. */
export const timeoutField: ConfigField = {
  name: "timeoutSeconds",
  label: `Seconds to wait for an answer (${usualSeconds})`,
  secret: false,
  required: false,
};

export function inMilliseconds(seconds = usualSeconds): number {
  return seconds * 1_000;
}
