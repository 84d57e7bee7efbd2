/** Addresses of a /24, by their last numbers. */
export interface Range {
  first: number;
  last: number;
}

const shortestPrefix = 25;
const longestPrefix = 32;

/**
 * Returns the addresses that a classless zone is named for (RFC 2317), by its first label: `0/25` and `0-127` both mean 0 to 127. A label
 * such as `0-25` may be a range or a first address with a prefix length: it is a range if it makes a block of its own, else a prefix if one
 * can begin there, else a range. Null for other labels.
 */
export function rangeOf(label: string): Range | null {
  const [, start = "", separator, end = ""] = /^(0|[1-9]\d{0,2})([/-])(0|[1-9]\d{0,2})$/.exec(label) ?? [];
  const [first, other] = [Number(start), Number(end)];
  if (separator === undefined || first > 255 || other > 255) return null;
  const block = blockOf(first, other);
  if (separator === "/") return block;
  const range = other >= first ? { first, last: other } : null;
  return range && (isBlock(range) || block === null) ? range : block;
}

export function isInRange({ first, last }: Range, number: number): boolean {
  return number >= first && number <= last;
}

function blockOf(first: number, prefix: number): Range | null {
  if (prefix < shortestPrefix || prefix > longestPrefix) return null;
  const size = 2 ** (longestPrefix - prefix);
  return first % size === 0 ? { first, last: first + size - 1 } : null;
}

function isBlock({ first, last }: Range): boolean {
  const size = last - first + 1;
  return (size & (size - 1)) === 0 && first % size === 0;
}
