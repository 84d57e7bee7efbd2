/** A WHOIS server. */
export interface WhoisServer {
  host: string;
  port: number;
}

/** The default port (RFC 3912 §2). */
export const whoisPort = 43;

/** IANA's server, which answers with a referral to the registry's server. */
export const ianaServer: WhoisServer = { host: "whois.iana.org", port: whoisPort };

/** Parses a server's address. @param text `host`, `host:port` or `[address]:port` */
export function whoisServer(text: string): WhoisServer {
  const [, bracketed, host = text, port] = /^(?:\[([\da-f:.]+)\]|([^:]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return { host: bracketed ?? host, port: port === undefined ? whoisPort : Number(port) };
}

/**
 * Query formats of servers that need more than the bare name: to search only domains, not name servers or registrars of that name, to
 * answer in English, or to query a name in A-labels.
 */
const forms: Readonly<Record<string, (name: string) => string>> = {
  "whois.verisign-grs.com": (name) => `domain ${name}`,
  "ccwhois.verisign-grs.com": (name) => `domain ${name}`,
  "tvwhois.verisign-grs.com": (name) => `domain ${name}`,
  "whois.denic.de": (name) => `-T dn,ace ${name}`,
  "whois.jprs.jp": (name) => `${name}/e`,
  "whois.punktum.dk": (name) => `--charset=utf-8 ${name}`,
  "whois.nic.name": (name) => `domain=${name}`,
};

/** Returns the query line for a name at this server. */
export function whoisQuery({ host }: WhoisServer, name: string): string {
  return forms[host]?.(name) ?? name;
}
