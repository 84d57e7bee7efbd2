import { z } from "zod";
import type { ConfigField } from "./provider.ts";

/** The address of an API in a configuration; with a path where it has one. @param example for the message */
export function apiAddress(example: string) {
  return z.string().max(500).refine(isAddress, `Give the address of the API, such as ${example}.`);
}

/** The same for an API that has no path, in the words for what may be left out: the vendor's `own` then. */
export function vendorOrigin(own: string) {
  return z
    .string()
    .max(500)
    .refine(
      (text) => isAddress(text) && URL.parse(text)?.pathname === "/",
      `Give the address of the API without a path, such as ${own}, or leave it out.`,
    )
    .default(own);
}

/** Neither credentials nor a query: those have fields of their own. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}

const usualSeconds = 30;
const wholeSeconds = "Give whole seconds, from 1 to 600.";

/** How long a server of the operator's own may take for an answer: more for one far away or with huge zones, less where people wait. */
export const timeoutSeconds = z.int(wholeSeconds).min(1, wholeSeconds).max(600, wholeSeconds).optional();

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
