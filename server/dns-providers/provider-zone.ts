import { qualifiedName } from "../dns/names/views.ts";
import type { ProviderKind } from "./provider.ts";

/** Returns the name of a domain's zone at a provider. Views of a name that would share a zone get the same one. */
export function providerZoneOf({ separatesViews }: ProviderKind, domain: { name: string; view: string }): string {
  return separatesViews ? qualifiedName(domain) : domain.name;
}
