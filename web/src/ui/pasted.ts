/** Characters without a width, which come along from web pages and office programs. */
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069]/g;
const quotePairs = ['""', "''", "``", "“”", "„“", "‘’", "«»"];

/** Returns a text without the invisible characters and the spaces around it. */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, "").trim();
}

/** Returns what is within quotes of any kind, or null if there is no such pair around the text. */
export function unquoted(text: string): string | null {
  const pair = quotePairs.find(
    (each) => text.length > 2 && text.startsWith(each[0] ?? "") && text.endsWith(each[1] ?? ""),
  );
  const inner = pair === undefined ? null : text.slice(1, -1);
  return inner === null || inner.includes(pair?.[0] ?? "") || inner.includes(pair?.[1] ?? "") ? null : inner.trim();
}

/** Returns the host of a URL, or of a host with a path or a port, without the brackets of an IPv6 address; null for anything else. */
export function hostOf(text: string): { host: string; from: "url" | "port" } | null {
  if (/^(?:[a-z][a-z+.-]*:)?\/\//i.test(text)) {
    const host = URL.parse(text.startsWith("//") ? `http:${text}` : text)?.hostname ?? "";
    return host === "" ? null : { host: host.replace(/^\[(.*)\]$/, "$1"), from: "url" };
  }
  const [, bracketed, plain = "", port, path] =
    /^(?:\[([\da-f:.]+)\]|([^\s/:?#@]+))(:\d{1,5})?([/?#].*)?$/i.exec(text) ?? [];
  // Neither a network (192.0.2.0/24) nor a name with a slash (RFC 2317 §4).
  if (bracketed === undefined && (/^\/\d+$/.test(path ?? "") || !mayBeHost(plain))) return null;
  if (port === undefined && path === undefined) return null;
  return { host: bracketed ?? plain, from: port === undefined ? "url" : "port" };
}

/** Whether a text is an IPv4 address, or has a dot within and a letter in its last label. */
function mayBeHost(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  return /^\d+(?:\.\d+){3}$/.test(text) || (text.slice(1, -1).includes(".") && /[a-z]/i.test(labels.at(-1) ?? ""));
}

/** Understands a name as people paste it: spaces and quotes around it, a URL. */
export function pastedHost(typed: string): { name: string; correction: "url" | "port" | "quotes" | null } {
  const plain = withoutInvisible(typed);
  const bare = unquoted(plain);
  const found = hostOf(bare ?? plain);
  return { name: found?.host ?? bare ?? plain, correction: found?.from ?? (bare === null ? null : "quotes") };
}

/** What a pasted text is searched by: the name in a URL, without quotes, invisible characters and the dot at its end, which nothing is stored with. */
export function searched(typed: string): string {
  return pastedHost(typed).name.replace(/(?<=.)\.$/, "");
}
