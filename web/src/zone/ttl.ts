import type { RouterOutputs } from "@zonewright/client";
import { formatTtl, parseTtl } from "../ui/ttl.ts";
import { zoneWords } from "../words/zone.ts";

/** A kind of providers, with what it can store. */
export type ProviderKind = RouterOutputs["providers"]["list"]["providers"][number];

type TtlKind = Pick<ProviderKind, "automaticTtl">;

/** Only such a short TTL can stand for an automatic one. */
export const shortestTtl = 1;

/** The TTL of a record in words. A proxied record says that it is: the provider chooses its TTL. */
export function ttlText(
  { ttl, proxied = false }: { ttl: number; proxied?: boolean | undefined },
  kind?: TtlKind | null,
): string {
  if (proxied) return zoneWords.proxied;
  return ttl === kind?.automaticTtl ? zoneWords.ttlAutomatic : formatTtl(ttl);
}

/** Whether a person types the word for an automatic TTL. */
export function isAutomaticTtl(typed: string): boolean {
  return typed.trim().toLowerCase() === zoneWords.ttlAutomatic;
}

/** Reads what a person types for a TTL, in seconds. The word for an automatic one counts where the provider has it. Null for anything else. */
export function readTtl(typed: string, kind?: TtlKind | null): number | null {
  return (isAutomaticTtl(typed) ? kind?.automaticTtl : null) ?? parseTtl(typed);
}
