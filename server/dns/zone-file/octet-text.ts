import type { Field } from "./tokens.ts";

/**
 * A master file as one character for each octet, which is how it is read: in a comment any octet may stand, and in a name or a text it is
 * that octet and nothing else (RFC 1035 §5.1 knows no encoding).
 */
export interface OctetText {
  text: string;
  /** Whether there is nothing but printable ASCII, tabs and line ends. */
  isPlain: boolean;
  /** Whether the octets were text before, in which U+FFFD stands for what somebody could not decode. */
  wasDecoded: boolean;
}

export function octetText(source: string | Buffer): OctetText {
  const wasDecoded = typeof source === "string";
  const isAscii = wasDecoded && /^\p{ASCII}*$/u.test(source);
  const text = isAscii ? source : (wasDecoded ? Buffer.from(source, "utf8") : source).toString("latin1");
  return {
    text: text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text,
    isPlain: !/[^\t\n\r -~]/.test(text),
    wasDecoded,
  };
}

/** What is wrong with the octets of a field that are not printable, else null. */
export function octetFault({ raw }: Field, { wasDecoded }: OctetText): string | null {
  const [control] = /[^ -~\t\u0080-\u00ff]/.exec(raw) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return `The control character ${name} does not belong here; write it as \\${String(code).padStart(3, "0")} or remove it.`;
  }
  if (wasDecoded && raw.includes("\u00ef\u00bf\u00bd")) {
    return "A byte here was not UTF-8 and got lost on the way (U+FFFD); write it as \\ and its three decimal digits.";
  }
  return null;
}

/** The same field with each octet above ASCII as `\DDD`. */
export function inAscii(field: Field): Field {
  const raw = field.raw.replaceAll(/\\[^\u0080-\u00ff]|\\?[\u0080-\u00ff]/g, (part) => {
    const octet = part.charCodeAt(part.length - 1);
    return octet < 0x80 ? part : `\\${octet}`;
  });
  return raw === field.raw ? field : { ...field, raw };
}
