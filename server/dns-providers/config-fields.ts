import { z } from "zod";
import type { ConfigField } from "./provider.ts";

/** Returns the schema for an API address, which may have a path. @param example for the message */
export function apiAddress(example: string) {
  return z.string().max(500).refine(isAddress, `Enter the API's address, such as ${example}.`);
}

/** Returns the schema for an API address without a path; defaults to the vendor's `own`. */
export function vendorOrigin(own: string) {
  return z
    .string()
    .max(500)
    .refine(
      (text) => isAddress(text) && URL.parse(text)?.pathname === "/",
      `Enter the API's address without a path, such as ${own}, or leave it out.`,
    )
    .default(own);
}

/** Returns the schema for the one secret of an API. @param what it is called: `API token` */
export function credential(what: string, least = 16, most = 200) {
  return z
    .string(`Enter ${/^[aeiou]/i.test(what) ? "an" : "a"} ${what}.`)
    .trim()
    .regex(
      new RegExp(`^[!-~]{${least},${most}}$`),
      `The ${what} must be ${least} to ${most} characters of plain ASCII without spaces.`,
    );
}

/** Returns the form of an API that takes secrets, and may be at another address. @param secrets what each is called: `{ token: "API token" }` */
export function credentialFields(secrets: Readonly<Record<string, string>>): ConfigField[] {
  return [
    ...Object.entries(secrets).map(([name, what]) => ({
      name,
      label: `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
      secret: true,
      required: true,
    })),
    { name: "endpoint", label: "API address", secret: false, required: false },
  ];
}

/** Returns whether a text is an HTTP address without credentials, query or fragment. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}

const usualSeconds = 30;
const wholeSeconds = "Enter whole seconds from 1 to 600.";

/**
 * The seconds to wait for an answer from the operator's own server: more for a distant one or huge zones, less where people wait.
 */
export const timeoutSeconds = z.int(wholeSeconds).min(1, wholeSeconds).max(600, wholeSeconds).optional();

/** The configuration field for it. */
export const timeoutField: ConfigField = {
  name: "timeoutSeconds",
  label: `Seconds to wait for an answer (${usualSeconds})`,
  secret: false,
  required: false,
};

export function inMilliseconds(seconds = usualSeconds): number {
  return seconds * 1_000;
}
