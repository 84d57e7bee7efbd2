import { ok, refuse, type Result } from "../../platform/result.ts";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import {
  genericValue,
  parseGeneric,
  readGeneric,
  decodeText,
  joinOctets,
  parseInteger,
  unwantedPriority,
} from "./character-strings.ts";
import { splitFields } from "./uneditable.ts";
import type { CanonicalValue, ValueRule } from "./value-rule.ts";

const form = '"<flag> <tag> <value>", such as "0 issue letsencrypt.org"';

/** Properties in IANA's Certification Authority Restriction Properties registry. */
const knownTags = new Set(["issue", "issuewild", "iodef", "contactemail", "contactphone", "issuevmc", "issuemail"]);

/**
 * CAA: `<flag> <tag> <value>` (RFC 8659 §4.1). The canonical value has no quotes around its last part, which is everything
 * after the second space, unless it needs escapes; `print` adds them.
 */
export const caaRule: ValueRule = {
  recordType: "CAA",
  write(value, priority) {
    const unwanted = unwantedPriority("CAA", priority);
    if (unwanted) return unwanted;
    const [, flagText, tagText = "", rest = ""] = /^(\S+)\s+(\S+)(?:\s+(.*))?$/s.exec(value.trim()) ?? [];
    const generic = readGeneric(splitFields("CAA", value.trim()) ?? []);
    if (generic) return generic.ok ? fromRdata(generic.value) : generic;
    if (flagText === undefined) return refuse(`The CAA value must have the form ${form}.`);
    const flag = parseInteger(flagText, 255);
    if (flag === null) return refuse(`The flag must be a whole number from 0 to 255. Use the form ${form}.`);
    const tag = tagText.toLowerCase().replace(/^"(.*)"$/, "$1");
    if (!/^[a-z0-9]{1,255}$/.test(tag))
      return refuse(`The tag must contain only letters and digits. Use the form ${form}.`);
    // Nothing at all after the tag is more likely forgotten than meant.
    if (rest === "") {
      return refuse(`The part after the tag must not be missing. To forbid all issuers, write "${flag} ${tag} ;".`);
    }
    const inner = /^"((?:[^"\\]|\\.)*)"$/s.exec(rest.trim())?.[1];
    if (inner === undefined && rest.startsWith('"'))
      return refuse(
        `Close the quotes around the part after the tag, and write a quote within them as \\". Use the form ${form}.`,
      );
    if (!rest.isWellFormed() || /[^\P{Cc}\t]/u.test(rest))
      return refuse(`The part after the tag must not contain control characters; in quotes, write them as \\ddd.`);
    const octets = inner === undefined ? Buffer.from(rest.trim(), "utf8") : unescapeOctets(inner);
    if (octets === null)
      return refuse("The part after the tag has an invalid escape; decimal escapes go from \\000 to \\255.");
    const canonical = canonicalOf(flag, tag, octets);
    const unescaped = inner === undefined && rest.includes("\\") ? [literalBackslash] : [];
    return canonical.ok
      ? ok({ ...canonical.value, warnings: [...unescaped, ...warningsFor(flag, tag, octets)] })
      : canonical;
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (generic) return generic.ok ? fromRdata(generic.value) : generic;
    const [flagField, tagField, ...rest] = fields;
    const flag = parseInteger(flagField?.raw, 255);
    const tag = tagField?.raw.toLowerCase() ?? "";
    if (flag === null || !/^[a-z0-9]{1,255}$/.test(tag)) return refuse(`CAA data must be ${form}.`);
    // An unquoted value with spaces spans several fields.
    const octets = joinOctets([rest.map((field) => field.raw).join(" ")]);
    if (octets === null) return refuse("The CAA data has an invalid escape; decimal escapes go from \\000 to \\255.");
    return canonicalOf(flag, tag, octets);
  },
  print(value) {
    if (parseGeneric(value)) return value;
    const [, head = "", shown = ""] = /^(\S+ \S+) (.*)$/s.exec(value) ?? [];
    const inner = /^"(.*)"$/s.exec(shown)?.[1];
    const octets = (inner === undefined ? null : unescapeOctets(inner)) ?? Buffer.from(shown, "utf8");
    return `${head} "${escapeOctets(octets, '"\\')}"`;
  },
};

/**
 * Returns the canonical value: with the text as it is, or in quotes and escaped if it would not be seen, or be mistaken for one in quotes. What is no
 * text has generic form.
 */
function canonicalOf(flag: number, tag: string, octets: Buffer): Result<CanonicalValue> {
  const text = decodeText(octets);
  if (text === null) return genericValue(Buffer.concat([Buffer.of(flag, tag.length), Buffer.from(tag), octets]));
  const isPlain = text !== "" && text === text.trim() && !text.startsWith('"') && !/\p{Cc}/u.test(text);
  const shown = isPlain ? text : `"${text.replaceAll(/["\\]|\p{Cc}/gu, escaped)}"`;
  return ok({ value: `${flag} ${tag} ${shown}`, priority: null, warnings: [] });
}

function escaped(character: string): string {
  return escapeOctets(Buffer.from(character, "utf8"), '"\\');
}

/** Reads RDATA in generic form (RFC 3597 §5); what is malformed stays in it. */
function fromRdata(rdata: Buffer): Result<CanonicalValue> {
  const [flag = 0, length = 0] = rdata;
  const tag = rdata.toString("latin1", 2, 2 + length).toLowerCase();
  const isWhole = rdata.length >= 2 + length && /^[a-z0-9]{1,255}$/.test(tag);
  return isWhole ? canonicalOf(flag, tag, rdata.subarray(2 + length)) : genericValue(rdata);
}

const literalBackslash =
  "The backslashes become part of the CAA value; they escape only within quotes around the part after the tag.";

function warningsFor(flag: number, tag: string, octets: Buffer): string[] {
  const warnings: string[] = [];
  if (flag !== 0 && flag !== 128)
    warnings.push(`The CAA flag ${flag} has no meaning; RFC 8659 defines 0 and 128 (critical).`);
  if (!knownTags.has(tag))
    warnings.push(`The CAA tag "${tag}" is unknown; certificate authorities will probably ignore it.`);
  if (octets.some((octet) => octet > 0x7e))
    warnings.push("The CAA value is not plain ASCII; certificate authorities will probably not match it.");
  return warnings;
}
