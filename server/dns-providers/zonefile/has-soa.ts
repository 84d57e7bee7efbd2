import { logicalLines, type Field } from "../../dns/zone-file/tokens.ts";

// Owner, TTL and class may precede the type.
const mostBeforeType = 3;
// MNAME, RNAME and five numbers.
const soaRdataFields = 7;

/**
 * Returns whether the head of a file contains an SOA, which distinguishes zone files from other files in the folder. Reads no
 * further.
 */
export function hasSoa(head: string): boolean {
  for (const line of logicalLines(head)) {
    if (line.kind === "line" && isSoa(line.fields)) return true;
  }
  return false;
}

function isSoa(fields: readonly Field[]): boolean {
  const type = fields.findIndex((field) => !field.quoted && field.raw.toUpperCase() === "SOA");
  return type !== -1 && type <= mostBeforeType && fields.length - type - 1 === soaRdataFields;
}
