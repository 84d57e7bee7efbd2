import type { Endpoint } from "../dns-providers/primary/lists.ts";

/** Returns what identifies a secondary that is notified. */
export function identityOf({ address, port }: Endpoint): string {
  return `notify:${address}:${port}`;
}

/** Returns an address with its port if that is not 53. */
export function shownEndpoint({ address, port }: Endpoint): string {
  if (port === 53) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
