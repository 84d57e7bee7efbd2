import { ok, refuse } from "../../platform/result.ts";
import { escapeOctets } from "../names/escapes.ts";
import { genericValue, parseGeneric, readGeneric } from "./generic-form.ts";
import { parseInteger, unwantedPriority } from "./priority.ts";
import { decodeText, joinOctets } from "./text.ts";
import type { ValueRule } from "./value-rule.ts";

const form = '"<flag> <tag> <value>", such as "0 issue letsencrypt.org"';

/** Far beyond any real value; the standard only limits a record to 65,535 octets. */
const longestText = 2048;

/** Properties in IANA's Certification Authority Restriction Properties registry. */
const knownTags = new Set(["issue", "issuewild", "iodef", "contactemail", "contactphone", "issuevmc", "issuemail"]);

/**
 * CAA: `<flag> <tag> <value>` (RFC 8659 §4.1). The canonical value has no quotes around its last part, which is everything
 * after the second space; `print` adds them.
 */
export const caaRule: ValueRule = {
  recordType: "CAA",
  write(value, priority) {
    const unwanted = unwantedPriority("CAA", priority);
    if (unwanted) return unwanted;
    const [, flagText, tagText = "", rest = ""] = /^(\S+)\s+(\S+)(?:\s+(.*))?$/s.exec(value.trim()) ?? [];
    if (flagText === undefined) return refuse(`The CAA value must have the form ${form}.`);
    const flag = parseInteger(flagText, 255);
    if (flag === null) return refuse(`The flag must be a whole number from 0 to 255. Use the form ${form}.`);
    const tag = tagText.toLowerCase().replace(/^"(.*)"$/, "$1");
    if (!/^[a-z0-9]{1,255}$/.test(tag))
      return refuse(`The tag must contain only letters and digits. Use the form ${form}.`);
    const text = rest.replace(/^"(.*)"$/s, "$1").trim();
    if (text.length > longestText) return refuse(`The CAA value must be at most ${longestText} characters long.`);
    // Nothing at all after the tag is more likely forgotten than meant.
    if (rest === "") {
      return refuse(`The part after the tag must not be missing. To forbid all issuers, write "${flag} ${tag} ;".`);
    }
    if (!/^[ !#-[\]-~]*$/.test(text)) {
      return refuse(
        `The part after the tag must be plain ASCII without inner quotes or backslashes. Use the form ${form}.`,
      );
    }
    return ok({ value: canonical(flag, tag, text), priority: null, warnings: warningsFor(flag, tag) });
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (generic) return generic.ok ? genericValue(generic.value) : generic;
    const [flagField, tagField, ...rest] = fields;
    const flag = parseInteger(flagField?.raw, 255);
    const tag = tagField?.raw.toLowerCase() ?? "";
    if (flag === null || !/^[a-z0-9]{1,255}$/.test(tag)) return refuse(`CAA data must be ${form}.`);
    // An unquoted value with spaces spans several fields.
    const octets = joinOctets([rest.map((field) => field.raw).join(" ")]);
    if (octets === null) return refuse("The CAA data has an invalid escape; decimal escapes go from \\000 to \\255.");
    const text = decodeText(octets);
    if (text === null || text === empty)
      return genericValue(Buffer.concat([Buffer.of(flag, tag.length), Buffer.from(tag), octets]));
    return ok({ value: canonical(flag, tag, text), priority: null, warnings: [] });
  },
  print(value) {
    if (parseGeneric(value)) return value;
    const [, head = "", shown = ""] = /^(\S+ \S+) (.*)$/s.exec(value) ?? [];
    const text = shown === empty ? "" : shown;
    return `${head} "${escapeOctets(Buffer.from(text, "utf8"), '"\\')}"`;
  },
};

/** An empty value (RFC 8659 §4.1.1) is shown in quotes, because a blank at the end of a value is not seen. */
const empty = '""';

function canonical(flag: number, tag: string, text: string): string {
  return `${flag} ${tag} ${text === "" ? empty : text}`;
}

function warningsFor(flag: number, tag: string): string[] {
  const warnings: string[] = [];
  if (flag !== 0 && flag !== 128)
    warnings.push(`The CAA flag ${flag} has no meaning; RFC 8659 defines 0 and 128 (critical).`);
  if (!knownTags.has(tag))
    warnings.push(`The CAA tag "${tag}" is unknown; certificate authorities will probably ignore it.`);
  return warnings;
}
