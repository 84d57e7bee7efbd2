/** Which software wrote a zone file. More than one can be true of a file that went through several hands. */
export interface Dialects {
  cloudflare: boolean;
  goDaddy: boolean;
  microsoft: boolean;
  route53: boolean;
  cPanel: boolean;
}

/** Headers and the SOA are near the beginning. */
const headLength = 16_384;

/** Recognizes who wrote a zone file, by its header, its SOA and what no other software writes. */
export function dialectsOf(text: string): Dialects {
  const head = text.slice(0, headLength);
  // No expressions over the whole text, which may have 16 MiB: they would take too long for one turn.
  const has = (sign: string) => text.includes(sign);
  const primary = /\sSOA\s+(\S{1,255})/i.exec(head)?.[1] ?? "";
  const exported = /^;+[ \t]*Domain:.*\n;+[ \t]*Exported(.*)$/im.exec(head);
  const isGoDaddy = exported?.[1]?.startsWith(" (y-m-d") === true;
  return {
    cloudflare: (exported !== null && !isGoDaddy) || has("cf_tags=") || /\.ns\.cloudflare\.com\.?$/i.test(primary),
    goDaddy: isGoDaddy || /\.domaincontrol\.com\.?$/i.test(primary),
    microsoft: /^;[ \t]*Database file \S+ for .*zone/im.test(head) || has("[AGE:") || has("[Aging:"),
    route53: /\.awsdns-\d+\./i.test(primary) || has("; AWS routing=") || has("\tAWS\tALIAS\t") || has(" AWS ALIAS "),
    cPanel: /^;[ \t]*cPanel /im.test(head) || /^;[ \t]*Zone file for /im.test(head),
  };
}
