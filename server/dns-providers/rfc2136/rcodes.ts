import { rcodeName, rcodes } from "../../dns/wire/messages.ts";

/** What response codes mean for a request about a zone. */
const meanings: Readonly<Record<number, (zone: string) => string>> = {
  [rcodes.formErr]: () => "it cannot read the request",
  [rcodes.servFail]: () => "it failed, perhaps because of a limit; its log says why",
  [rcodes.nxDomain]: (zone) => `a name that must exist in ${zone} does not`,
  [rcodes.notImp]: () => "it does not support this",
  [rcodes.refused]: (zone) =>
    `it does not allow this key to do that in ${zone}, or one of its own rules forbids it, such as requiring an address for name servers within the zone`,
  [rcodes.yxDomain]: () => "a name that must not exist does",
  [rcodes.yxRrset]: () => "records that must not exist do",
  [rcodes.nxRrset]: () => "required records are missing or differ",
  [rcodes.notAuth]: (zone) => `it is not the primary server of ${zone}, or does not accept this key with this secret`,
  [rcodes.notZone]: (zone) => `a name lies outside ${zone}`,
};

const prerequisiteFailures: ReadonlySet<number> = new Set([
  rcodes.nxDomain,
  rcodes.yxDomain,
  rcodes.yxRrset,
  rcodes.nxRrset,
]);

/** Returns whether a code means that a prerequisite of an update failed (RFC 2136 §3.2), so that nothing was done. */
export function isPrerequisiteFailure(rcode: number): boolean {
  return prerequisiteFailures.has(rcode);
}

/** Returns whether a code means that the server does not have the zone, or is not its primary. */
export function saysZoneMissing(rcode: number): boolean {
  return rcode === rcodes.nxDomain || rcode === rcodes.notAuth;
}

/** Returns the meaning of a code other than NOERROR as a sentence. */
export function rcodeSentence(rcode: number, zone: string): string {
  const meaning = meanings[rcode];
  if (!meaning) return `The name server answered with error ${rcode}.`;
  return `The name server refused: ${meaning(zone)} (${rcodeName(rcode)}).`;
}
