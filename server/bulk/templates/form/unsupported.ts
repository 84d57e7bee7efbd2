import { isWritableType, madeByServers } from "../../../dns/zone-file/type-names.ts";
import { typeOf, type Template, type TemplateRecord } from "./template.ts";

/** Types of Domain Connect that stand for something other than a record of their own. */
const instructions = new Set(["SPFM", "APEXCNAME"]);

/** Returns why a template's record cannot be applied; null if its type is supported. */
export function unsupportedReason(record: TemplateRecord): string | null {
  const type = typeOf(record);
  if (instructions.has(type) || isWritableType(type)) return null;
  if (type === "REDIR301" || type === "REDIR302")
    return `${type} needs a web server that redirects, which a DNS record cannot do. Leave its group out, or redirect at the web server.`;
  if (/^NS\d$/.test(type)) return `${type} changes name servers at the registry, which Zonewright does not do.`;
  if (madeByServers.has(type))
    return `${type} records are made by the name server itself. Leave its group out, or remove the record from the template.`;
  const shown = JSON.stringify(type.slice(0, 20));
  return `${shown} is not a record type that can be written here. Leave its group out, or remove the record from the template.`;
}

/** Returns a template's records that cannot be applied, with the reasons. */
export function unsupportedRecords({ records }: Template): { index: number; type: string; reason: string }[] {
  return records.flatMap((record, index) => {
    const reason = unsupportedReason(record);
    return reason === null ? [] : [{ index, type: record.type, reason }];
  });
}
