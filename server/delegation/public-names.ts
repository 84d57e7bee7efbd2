import { specialUseAbove } from "../dns/names/special-use.ts";
import { isWithin } from "./resolver.ts";

/** Top-level domains of private networks. */
const customary = ["corp", "home", "lan", "localdomain", "mail", "private", "intranet"];

/** Reverse zones of addresses that are not public (RFC 6303, RFC 7793). */
const privateReverse = [
  ...["0", "10", "127", "254.169", "168.192"].map((prefix) => `${prefix}.in-addr.arpa`),
  ...range(16, 31).map((octet) => `${octet}.172.in-addr.arpa`),
  ...range(64, 127).map((octet) => `${octet}.100.in-addr.arpa`),
  ...["c.f", "d.f", "8.e.f", "9.e.f", "a.e.f", "b.e.f", "8.b.d.0.1.0.0.2"].map((prefix) => `${prefix}.ip6.arpa`),
];

/** Returns why the public DNS cannot have a domain, so that it is not checked; null if it can. */
export function whyNotPublic({ name, view }: { name: string; view: string }): string | null {
  if (view !== "") return `It is in the view ${view}. Only domains in the default view are public.`;
  const reserved = specialUseAbove(name) ?? customary.find((above) => isWithin(name, above));
  if (reserved !== undefined) return `${reserved} and the names below it are not in the public DNS.`;
  const reverse = privateReverse.find((above) => isWithin(name, above));
  return reverse === undefined ? null : `It is a reverse zone of addresses that are not public (${reverse}).`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
