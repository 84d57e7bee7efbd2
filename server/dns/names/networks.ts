import { isIPv4, isIPv6 } from "node:net";
import { addressOctets } from "../values/addresses.ts";

/** The reverse zones of a network. */
export interface NetworkZones {
  /** How many zones of the next length it takes; 1 if the network has a zone of its own. */
  count: number;
  first: string;
  last: string;
}

/**
 * Returns the reverse zones of a network in CIDR notation: `192.0.2.0/24` is `2.0.192.in-addr.arpa`, `192.0.2.0/25` a classless zone (RFC
 * 2317), `2001:db8::/32` is `8.b.d.0.1.0.0.2.ip6.arpa`. A network between two lengths takes several. Host bits do not count. Null for other
 * text.
 */
export function zonesOfNetwork(text: string): NetworkZones | null {
  const [, address = "", digits = ""] = /^([\da-f.:]{1,45})\/(\d{1,3})$/i.exec(text) ?? [];
  const length = Number(digits);
  if (digits !== "" && /^\d{1,3}(?:\.\d{1,3}){0,3}$/.test(address)) {
    const whole = [...address.split("."), "0", "0", "0"].slice(0, 4).join(".");
    return isIPv4(whole) && length <= 32 ? ipv4Zones([...addressOctets(whole)], length) : null;
  }
  if (!isIPv6(address) || address.includes("%") || length > 128) return null;
  return zonesAt(nibblesOf(address), length, {
    bits: 4,
    tree: "ip6.arpa",
  });
}

function ipv4Zones(octets: number[], length: number): NetworkZones {
  if (length <= 24 || length === 32) return zonesAt(octets, length, { bits: 8, tree: "in-addr.arpa" });
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  const first = d - (d % 2 ** (32 - length));
  const zone = `${first}/${length}.${c}.${b}.${a}.in-addr.arpa`;
  return { count: 1, first: zone, last: zone };
}

function nibblesOf(address: string): number[] {
  return [...addressOctets(address)].flatMap((octet) => [octet >> 4, octet & 15]);
}

/** @param parts the labels of the address, of `bits` bits each */
function zonesAt(parts: number[], length: number, { bits, tree }: { bits: number; tree: string }): NetworkZones {
  const labels = Math.ceil(length / bits);
  const count = 2 ** (labels * bits - length);
  const last = (parts[labels - 1] ?? 0) - ((parts[labels - 1] ?? 0) % count);
  const zoneAt = (step: number) =>
    parts
      .slice(0, labels)
      .with(labels - 1, last + step)
      .map((part) => part.toString(bits === 4 ? 16 : 10))
      .toReversed()
      .concat(tree)
      .join(".");
  return labels === 0 ? { count: 1, first: tree, last: tree } : { count, first: zoneAt(0), last: zoneAt(count - 1) };
}
