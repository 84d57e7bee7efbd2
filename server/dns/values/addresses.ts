import { isIPv4 } from "node:net";

/** Returns the octets of a valid IPv4 or IPv6 address, four or sixteen. */
export function addressOctets(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const before = groupOctets(head);
  const after = groupOctets(tail ?? "");
  return Buffer.concat([before, Buffer.alloc(16 - before.length - after.length), after]);
}

function groupOctets(groups: string): Buffer {
  if (groups === "") return Buffer.alloc(0);
  return Buffer.concat(
    groups
      .split(":")
      .map((group) =>
        group.includes(".") ? Buffer.from(group.split(".").map(Number)) : Buffer.from(group.padStart(4, "0"), "hex"),
      ),
  );
}

/** Formats sixteen octets as an uncompressed IPv6 address. */
export function ipv6Address(octets: Buffer): string {
  return (octets.toString("hex").match(/.{4}/g) ?? []).join(":");
}
