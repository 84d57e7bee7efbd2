import { logicalLines, type Field } from "../../dns/zone-file/tokens.ts";

// Owner, TTL and class may stand before the type.
const mostBeforeType = 3;
// Two names and five numbers follow it.
const soaRdataFields = 7;

/** Whether the head of a file holds an SOA, which tells a zone file from anything else that lies in its folder. Reads no further than to it. */
export function startsAuthority(head: string): boolean {
  for (const line of logicalLines(head)) {
    if (line.kind === "line" && isSoa(line.fields)) return true;
  }
  return false;
}

function isSoa(fields: readonly Field[]): boolean {
  const type = fields.findIndex((field) => !field.quoted && field.raw.toUpperCase() === "SOA");
  return type !== -1 && type <= mostBeforeType && fields.length - type - 1 === soaRdataFields;
}
