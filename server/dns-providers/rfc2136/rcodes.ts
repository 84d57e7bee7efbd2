/** Response codes (RFC 1035 §4.1.1, RFC 2136 §2.2): name and meaning, by number. */
const codes: Readonly<Record<number, readonly [name: string, meaning: (zone: string) => string]>> = {
  1: ["FORMERR", () => "it cannot read the request"],
  2: ["SERVFAIL", () => "it failed to do this, perhaps for a limit of its own; its log says why"],
  3: ["NXDOMAIN", (zone) => `a name that must exist in ${zone} does not`],
  4: ["NOTIMP", () => "it does not support this"],
  5: [
    "REFUSED",
    (zone) =>
      `it does not let this key do that in ${zone}, or a rule of its own forbids it, such as that a name server within the zone has an address`,
  ],
  6: ["YXDOMAIN", () => "a name that must not exist does"],
  7: ["YXRRSET", () => "records that must not exist do"],
  8: ["NXRRSET", () => "records that must exist are not there or differ"],
  9: ["NOTAUTH", (zone) => `it is not the primary server of ${zone}, or does not accept this key with this secret`],
  10: ["NOTZONE", (zone) => `a name lies outside ${zone}`],
};

const prerequisiteFailures: ReadonlySet<number> = new Set([3, 6, 7, 8]);

/** Whether a code says that a prerequisite of an update did not hold (RFC 2136 §3.2), so that nothing was done. */
export function isPrerequisiteFailure(rcode: number): boolean {
  return prerequisiteFailures.has(rcode);
}

/** Whether the server does not have the zone, or not as its own. */
export function saysZoneMissing(rcode: number): boolean {
  return rcode === 3 || rcode === 9;
}

/** What a code other than NOERROR means, as a sentence. */
export function rcodeSentence(rcode: number, zone: string): string {
  const [name, meaning] = codes[rcode] ?? [];
  if (name === undefined || meaning === undefined) return `The name server answers with the error ${rcode}.`;
  return `The name server refuses: ${meaning(zone)} (${name}).`;
}
