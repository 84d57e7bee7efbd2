import type { Field } from "./tokens.ts";

/**
 * A master file decoded as one character per octet. RFC 1035 §5.1 defines no encoding: a comment may contain any octet, and in a name or
 * text an octet is just that octet.
 */
export interface OctetText {
  text: string;
  /** Whether the text consists of printable ASCII, tabs and line ends only. */
  isPlain: boolean;
  /** Whether the source was already decoded, so that U+FFFD stands for octets that could not be decoded. */
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

/** Returns what is wrong with a field's non-printable octets, or null. */
export function octetFault({ raw }: Field, { wasDecoded }: OctetText): string | null {
  const [control] = /[^ -~\t\u0080-\u00ff]/.exec(raw) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return `The control character ${name} is not allowed here; write it as \\${String(code).padStart(3, "0")} or remove it.`;
  }
  if (wasDecoded && raw.includes("\u00ef\u00bf\u00bd")) {
    return "A byte here was not valid UTF-8 and was lost in decoding (U+FFFD). Write it as \\ and its three decimal digits.";
  }
  return null;
}

/** Returns the field with each non-ASCII octet as `\DDD`. */
export function inAscii(field: Field): Field {
  const raw = field.raw.replaceAll(/\\[^\u0080-\u00ff]|\\?[\u0080-\u00ff]/g, (part) => {
    const octet = part.charCodeAt(part.length - 1);
    return octet < 0x80 ? part : `\\${octet}`;
  });
  return raw === field.raw ? field : { ...field, raw };
}
