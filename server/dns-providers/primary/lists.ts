import { BlockList, isIP, isIPv6, SocketAddress } from "node:net";
import { parseHost, parseHostAsWritten } from "../../dns/names/names.ts";
import { tsigAlgorithms, type TsigKey } from "../../dns/wire/tsig.ts";

/** A secondary to notify. */
export interface Endpoint {
  address: string;
  port: number;
}

/** Returns the items of a comma-separated list. */
export function itemsOf(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Returns the host names of a validated list, as written, without trailing dots. */
export function hostsIn(list: string): string[] {
  return itemsOf(list).flatMap((item) => {
    const host = parseHostAsWritten(item);
    return host.ok ? [host.value.replace(/\.$/, "")] : [];
  });
}

/**
 * Reads `address`, `address:port` or `[address]:port`; the port defaults to 53. The address gets the form in which sockets show it.
 * @returns null if it is none of these
 */
export function readEndpoint(text: string): Endpoint | null {
  if (isIP(text) !== 0) return { address: canonicalAddress(text), port: 53 };
  const [, bracketed, plain, digits = "53"] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  const port = Number(digits);
  if (address === undefined || isIP(address) !== (bracketed === undefined ? 4 : 6)) return null;
  return port >= 1 && port <= 65_535 ? { address: canonicalAddress(address), port } : null;
}

function canonicalAddress(address: string): string {
  return isIPv6(address) && !address.includes("%") ? new SocketAddress({ address, family: "ipv6" }).address : address;
}

/** Returns whether a text is an address or a network in CIDR notation. */
export function isAllowedPeer(text: string): boolean {
  try {
    addPeer(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

/** Adds an address or a network. @throws Error if it is neither */
export function addPeer(peers: BlockList, text: string): void {
  const [address = "", bits, ...rest] = text.split("/");
  if (isIP(address) === 0 || rest.length > 0) throw new Error(`${text} is not an address.`);
  if (bits === undefined) peers.addAddress(address, familyOf(address));
  else if (/^\d{1,3}$/.test(bits)) peers.addSubnet(address, Number(bits), familyOf(address));
  else throw new Error(`${text} is not a network.`);
}

/** Returns the family as BlockList names it. */
export function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Base64 of at least one octet. */
const secretForm = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** Reads `name:algorithm:secret`. @returns null if it has another form */
export function readKey(text: string): TsigKey | null {
  const [name = "", algorithm, secret = "", ...rest] = text.split(":").map((part) => part.trim());
  const known = tsigAlgorithms.find((one) => one === algorithm?.toLowerCase());
  const host = parseHost(name.toLowerCase());
  if (!host.ok || known === undefined || rest.length > 0 || !secretForm.test(secret)) return null;
  return { name: host.value.replace(/\.$/, ""), algorithm: known, secret: Buffer.from(secret, "base64") };
}
