/** The types that Cloudflare proxies. */
const proxiable = new Set(["A", "AAAA", "CNAME"]);

/** TTL that stands for "automatic". */
export const cloudflareAutomatic = 1;

/** Cloudflare's comment behind a record: free text, then its tags. */
export interface CloudflareComment {
  /** Null if the comment does not say. */
  proxied: boolean | null;
  flattened: boolean;
  /** Tags that people gave. */
  tags: string[];
  text: string | null;
}

/** Reads the comment of an exported record, such as `; Main site cf_tags=team:web,cf-proxied:true`. */
export function readComment(comment: string, recordType: string): CloudflareComment {
  // Zone files are read as octets.
  const decoded = /[^\p{ASCII}]/u.test(comment) ? Buffer.from(comment, "latin1").toString("utf8") : comment;
  const [, text = "", list = ""] = /^([^]*?)(?:(?:^|\s)cf_tags=([^]*))?$/.exec(decoded.trim()) ?? [];
  const tags = list
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  const proxied = tags
    .map((tag) => /^cf-proxied:(true|false)$/.exec(tag)?.[1])
    .findLast((state) => state !== undefined);
  return {
    proxied: proxied === undefined || !proxiable.has(recordType) ? null : proxied === "true",
    flattened: tags.some((tag) => tag.startsWith("cf-flatten-cname") && !tag.endsWith(":false")),
    tags: tags.filter((tag) => !tag.startsWith("cf-")),
    text: text.trim() === "" ? null : text.trim().replaceAll(/\p{Cc}+/gu, " "),
  };
}

/** Returns whether a name server is what earlier exports have in place of the real ones. */
export function isPlaceholderServer(raw: string): boolean {
  return /^REPL?ACE&ME\$WITH\^YOUR@NAMESERVER\.?$/i.test(raw);
}
