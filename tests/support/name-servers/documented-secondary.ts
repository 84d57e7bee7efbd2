import { configurationOn } from "../pages/page-configuration.ts";
import type { ServerKey } from "./update-server.ts";

/** What docs/guide/secondaries.md calls its key. */
export const documentedKey = "xfr-ns1";

/** Where the page's hosting company is notified, and where it transfers from. */
export const hostNotifiedAt = "203.0.113.10";
export const hostTransfersFrom = "203.0.113.20";

/** Returns the block of docs/guide/secondaries.md that has the marker. */
export async function secondaryOn(marker: string): Promise<string> {
  return await configurationOn("docs/guide/secondaries.md", marker);
}

/** A test's key in place of the page's, where the page names it. */
export function inPlaceOfName(key: ServerKey | null): Record<string, string> {
  return key ? { [documentedKey]: key.name } : {};
}

/** A test's key in place of the page's, where the page defines it. */
export function inPlaceOfKey({ name, algorithm, secret }: ServerKey): Record<string, string> {
  return { [documentedKey]: name, "hmac-sha256": algorithm, "c2VjcmV0IG9mIHRoZSBrZXk=": secret };
}
