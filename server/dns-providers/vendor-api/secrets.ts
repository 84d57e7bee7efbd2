const mask = "********";
/** Above this length, parts of a secret are masked as well, and no pattern is made of it. */
const longestPattern = 40;
/** Octets of a part that is masked. */
const partLength = 12;

/** Where in a secret a part is found: at its start or end, nothing beside it belongs to the secret. */
interface Ends {
  first: boolean;
  last: boolean;
}

/** Masks secrets in texts, in any encoding. Use one for the texts of a connection: what matches a secret is made once. */
export class SecretMask {
  readonly #patterns = new Map<string, readonly RegExp[]>();
  readonly #parts = new Map<string, Ends>();
  readonly #long = new Set<string>();

  /** Masks secrets. Never throws, because it makes the messages of failures. */
  apply(text: string, secrets: readonly string[]): string {
    try {
      for (const secret of secrets) if (secret.length > longestPattern) this.#addParts(secret);
      const patterns = secrets.flatMap((secret) => this.#patternsOf(secret, text.length));
      return patterns.reduce((so, pattern) => so.replaceAll(pattern, mask), this.#withoutParts(text));
    } catch {
      return "(hidden)";
    }
  }

  #patternsOf(secret: string, length: number): readonly RegExp[] {
    // No encoding is shorter than its secret.
    if (secret === "" || secret.length > Math.min(longestPattern, 2 * length)) return [];
    const patterns = this.#patterns.get(secret) ?? [asWritten(secret), ...asBase64(secret)];
    this.#patterns.set(secret, patterns);
    return patterns;
  }

  /** Adds each part of a long secret: as it is, decoded, and in base64 wherever it may start within a longer value. */
  #addParts(secret: string): void {
    if (this.#long.has(secret)) return;
    this.#long.add(secret);
    const octets = Buffer.from(secret);
    this.#add(alike(octets.toString("latin1")), true);
    this.#add(decoded(secret).octets, true);
    // Forms write a space as a plus sign.
    if (secret.includes(" ")) this.#add(decoded(secret.replaceAll(" ", "+")).octets, true);
    for (const before of [0, 1, 2]) this.#add(alike(ownBase64(octets, before)), false);
  }

  #add(octets: string, isWhole: boolean): void {
    const end = octets.length - partLength;
    for (let at = 0; at <= end; at++) {
      const part = octets.slice(at, at + partLength);
      const { first, last } = this.#parts.get(part) ?? { first: false, last: false };
      this.#parts.set(part, { first: first || (isWhole && at === 0), last: last || (isWhole && at === end) });
    }
  }

  /** Masks the parts of long secrets, in time linear in the text. */
  #withoutParts(text: string): string {
    if (this.#parts.size === 0) return text;
    const { octets, starts } = decoded(text);
    const isMasked = new Uint8Array(octets.length);
    for (let at = 0; at + partLength <= octets.length; at++) {
      const ends = this.#parts.get(octets.slice(at, at + partLength));
      if (!ends) continue;
      isMasked.fill(1, at, at + partLength);
      // Text beside a secret may look like the beginning of an encoding, and so hide an end of it.
      if (!ends.first && isWord(text, starts, at - 1)) isMasked[at - 1] = 1;
      if (!ends.last && isWord(text, starts, at + partLength)) isMasked[at + partLength] = 1;
    }
    let shown = text.slice(0, starts[0]);
    for (let at = 0; at < octets.length; at++) {
      if (!isMasked[at]) shown += text.slice(starts[at], starts[at + 1]);
      else if (!isMasked[at - 1]) shown += mask;
    }
    return shown;
  }
}

/** Whether an octet may belong to a secret beside it: a letter, a digit, or one that is encoded. */
function isWord(text: string, starts: readonly number[], at: number): boolean {
  const own = text.slice(starts[at], starts[at + 1]);
  return starts[at] !== undefined && (own.length > 1 || /[\w+/=-]/.test(own));
}

/** Returns octets with base64url as base64. */
function alike(octets: string): string {
  return octets.replaceAll("-", "+").replaceAll("_", "/");
}

const written =
  /%(?:25)*(?<octet>[\da-f]{2})|\\+u(?<high>d[89ab][\da-f]{2})\\+u(?<low>d[c-f][\da-f]{2})|\\+u(?<unit>[\da-f]{4})|&#0*(?<decimal>\d{1,7});|&#x0*(?<hex>[\da-f]{1,6});|&(?<name>amp|lt|gt|quot|apos);|\\+|[^]/giu;

/**
 * Undoes percent-encoding and the escapes of JSON and HTML.
 * @returns the octets of a text, and for each of them its place in the text, followed by the length of the text
 */
function decoded(text: string): { octets: string; starts: number[] } {
  const starts: number[] = [];
  let octets = "";
  for (const { 0: whole, index, groups = {} } of text.matchAll(written)) {
    const own = octetsOf(whole, groups);
    octets += own;
    for (let count = 0; count < own.length; count++) starts.push(index);
  }
  return { octets: alike(octets), starts: [...starts, text.length] };
}

function octetsOf(whole: string, { octet, ...others }: Readonly<Record<string, string | undefined>>): string {
  if (octet !== undefined) return String.fromCharCode(Number.parseInt(octet, 16));
  return Buffer.from(characterOf(whole, others)).toString("latin1");
}

function characterOf(whole: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { high, low, unit, decimal, hex, name } = groups;
  if (high !== undefined && low !== undefined)
    return String.fromCharCode(...[high, low].map((one) => Number(`0x${one}`)));
  const code = Number(decimal ?? `0x${unit ?? hex}`);
  if (code <= 0x10_ff_ff) return String.fromCodePoint(code);
  const named = Object.keys(names).find((one) => names[one] === name?.toLowerCase());
  return named ?? (whole.startsWith("\\") ? "" : whole);
}

/**
 * Matches a secret as it is, percent-encoded (RFC 3986 §2.1), escaped as JSON or as HTML, each character in any of these forms.
 * Repetitions are bounded, so that no input makes the search slow.
 */
function asWritten(secret: string): RegExp {
  const characters = Array.from(secret, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    const octets = Array.from(
      Buffer.from(character),
      (octet) => `%(?:25){0,8}${octet.toString(16).padStart(2, "0")}`,
    ).join("");
    const encoded = [
      octets,
      `\\\\{1,8}u${hex.padStart(4, "0")}`,
      `&#0{0,8}${code};`,
      `&#x0{0,8}${hex};`,
      ...(names[character] ? [`&${names[character]};`] : []),
      ...(character === " " ? ["\\+"] : []),
    ];
    // Letters are case-sensitive, hexadecimal digits are not. The character itself comes last, because it may begin one of the
    // other forms.
    return `(?:${[...encoded.map(anyCase), `\\\\{0,8}\\u{${hex}}`].join("|")})`;
  });
  return new RegExp(characters.join(""), "gu");
}

const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

function anyCase(form: string): string {
  return form.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** The shortest base64 fragment worth masking. */
const leastBase64 = 8;

/** Matches a secret in base64 or base64url, also inside a longer value: the part that does not depend on its neighbors. */
function asBase64(secret: string): RegExp[] {
  const octets = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const own = ownBase64(octets, before);
    if (own.length < leastBase64) return [];
    const source = own.replaceAll("+", "(?:[+-]|%2[Bb])").replaceAll("/", "(?:\\\\?[/_]|%2[Ff])");
    return [new RegExp(`[A-Za-z0-9+/_-]{0,1}${source}[A-Za-z0-9+/_-]{0,1}(?:=|%3[Dd]){0,2}`, "g")];
  });
}

/** Returns the base64 of octets after some others, without the characters that depend on those. */
function ownBase64(octets: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), octets])
    .toString("base64")
    .replace(/=+$/, "");
  return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + octets.length) * 8) / 6));
}
