/** More names than these, and reading the whole zone is cheaper. */
const mostAsked = 4;

/**
 * The names to be asked for one by one; null where the whole zone is to be read. Which form of an international name a vendor's filter
 * goes by is not said anywhere.
 */
export function namesToAsk(names: ReadonlySet<string>): string[] | null {
  const international = [...names].some((name) => name.includes("xn--"));
  return names.size > mostAsked || international ? null : [...names];
}
