/** Names and meanings of response codes (RFC 1035 §4.1.1, RFC 2136 §2.2), by number. */
const codes: Readonly<Record<number, readonly [name: string, meaning: (zone: string) => string]>> = {
  1: ["FORMERR", () => "it cannot read the request"],
  2: ["SERVFAIL", () => "it failed, perhaps because of a limit; its log says why"],
  3: ["NXDOMAIN", (zone) => `a name that must exist in ${zone} does not`],
  4: ["NOTIMP", () => "it does not support this"],
  5: [
    "REFUSED",
    (zone) =>
      `it does not allow this key to do that in ${zone}, or one of its own rules forbids it, such as requiring an address for name servers within the zone`,
  ],
  6: ["YXDOMAIN", () => "a name that must not exist does"],
  7: ["YXRRSET", () => "records that must not exist do"],
  8: ["NXRRSET", () => "required records are missing or differ"],
  9: ["NOTAUTH", (zone) => `it is not the primary server of ${zone}, or does not accept this key with this secret`],
  10: ["NOTZONE", (zone) => `a name lies outside ${zone}`],
};

const prerequisiteFailures: ReadonlySet<number> = new Set([3, 6, 7, 8]);

/** Returns whether a code means that a prerequisite of an update failed (RFC 2136 §3.2), so that nothing was done. */
export function isPrerequisiteFailure(rcode: number): boolean {
  return prerequisiteFailures.has(rcode);
}

/** Returns whether a code means that the server does not have the zone, or is not its primary. */
export function saysZoneMissing(rcode: number): boolean {
  return rcode === 3 || rcode === 9;
}

/** Returns the meaning of a code other than NOERROR as a sentence. */
export function rcodeSentence(rcode: number, zone: string): string {
  const [name, meaning] = codes[rcode] ?? [];
  if (name === undefined || meaning === undefined) return `The name server answered with error ${rcode}.`;
  return `The name server refused: ${meaning(zone)} (${name}).`;
}
