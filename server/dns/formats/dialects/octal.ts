/** An escape that is octal. */
export interface OctalEscape {
  escape: string;
  /** What it stands for, if that can be printed. */
  character: string | null;
}

/**
 * Returns text whose escapes are octal, as Route 53 and Microsoft DNS write them, with decimal ones (RFC 1035 §5.1). An escape that would
 * be a control character in octal only is left alone: people edit such files.
 */
export function fromOctalEscapes(text: string, found: (escape: OctalEscape) => void): string {
  return text.replaceAll(/\\([0-3][0-7]{2})|\\[^]/g, (escape, digits?: string) => {
    if (digits === undefined) return escape;
    const octet = Number.parseInt(digits, 8);
    if (octet < 0x20 && Number(digits) >= 0x20) return escape;
    if (octet === Number(digits)) return escape;
    found({ escape, character: octet > 0x20 && octet < 0x7f ? String.fromCharCode(octet) : null });
    return `\\${String(octet).padStart(3, "0")}`;
  });
}
