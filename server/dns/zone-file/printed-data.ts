import { rdataFromFields } from "../rdata/rdata.ts";
import { OctetSource } from "../rdata/field.ts";
import { readParameters } from "../rdata/service-parameters.ts";
import { printGeneric } from "../values/generic-form.ts";
import { typesWithParameters } from "../values/uneditable.ts";
import { joinParameters } from "./service-parameters.ts";
import { logicalLines } from "./tokens.ts";
import { typeNumber } from "./type-names.ts";

/** Types whose mnemonic BIND 9.18, Knot 3.2, NSD 4.6 or CoreDNS does not recognize, or no longer does. */
const poorlySupported: ReadonlySet<string> = new Set(
  (
    "NULL WKS X25 ISDN RT NSAP NSAP-PTR SIG PX GPOS NXT EID NIMLOC ATMA A6 SINK IPSECKEY HIP NINFO RKEY TALINK DSYNC HHIT BRID AVC DOA " +
    "AMTRELAY RESINFO WALLET TA DLV MB MG MR"
  ).split(" "),
);

/** Number of service parameters printed by name: those of RFC 9460 §14.3.2, without later ones. */
const namedParameters = 7;

/**
 * Returns type and data in a form that any name server loads: types that not every server recognizes in generic form (RFC 3597), and
 * later service parameters by number.
 */
export function inFile(recordType: string, printed: string): [recordType: string, data: string] {
  if (poorlySupported.has(recordType)) {
    const rdata = octetsOf(recordType, printed);
    return rdata === null ? [recordType, printed] : [`TYPE${typeNumber(recordType)}`, printGeneric(rdata)];
  }
  if (typesWithParameters.has(recordType) && /dohpath|ohttp/.test(printed)) {
    const rdata = octetsOf(recordType, printed);
    if (rdata !== null) return [recordType, printService(rdata)];
  }
  return [recordType, printed];
}

function octetsOf(recordType: string, printed: string): Buffer | null {
  const [line] = logicalLines(printed);
  if (line?.kind !== "line") return null;
  const rdata = rdataFromFields(recordType, joinParameters(recordType, line.fields), "");
  return rdata.ok ? rdata.value : null;
}

function printService(rdata: Buffer): string {
  const octets = new OctetSource(rdata);
  return [octets.number(2), octets.name(), ...readParameters(octets.rest(), namedParameters)].join(" ");
}
