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
  const primary = /\sSOA\s+(\S{1,255})/i.exec(head)?.[1] ?? "";
  const exported = /^;+[ \t]*Domain:.*\n;+[ \t]*Exported(.*)$/im.exec(head);
  const isGoDaddy = exported?.[1]?.startsWith(" (y-m-d") === true;
  return {
    cloudflare:
      (exported !== null && !isGoDaddy) || text.includes("cf_tags=") || /\.ns\.cloudflare\.com\.?$/i.test(primary),
    goDaddy: isGoDaddy || /\.domaincontrol\.com\.?$/i.test(primary),
    microsoft: /^;[ \t]*Database file \S+ for .*zone/im.test(head) || /\[AG(?:E|ING):\d+\]/i.test(text),
    route53: /\.awsdns-\d+\./i.test(primary) || text.includes("AWS routing=") || /\sAWS\s+ALIAS\s/.test(text),
    cPanel: /^;[ \t]*cPanel /im.test(head) || /^;[ \t]*Zone file for /im.test(head),
  };
}
