/** A server of port 43. */
export interface WhoisServer {
  host: string;
  port: number;
}

/** The port of the protocol (RFC 3912 §2). */
export const whoisPort = 43;

/** Knows which server each registry has, and answers with a reference to it. */
export const ianaServer: WhoisServer = { host: "whois.iana.org", port: whoisPort };

/** @param text `host`, `host:port` or `[address]:port` */
export function whoisServer(text: string): WhoisServer {
  const [, bracketed, host = text, port] = /^(?:\[([\da-f:.]+)\]|([^:]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return { host: bracketed ?? host, port: port === undefined ? whoisPort : Number(port) };
}

/**
 * How servers want to be asked where the bare name is not enough: for domains and not for name servers and registrars of that name, in English,
 * or for a name in A-labels.
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

/** The line that asks this server for a name. */
export function whoisQuery({ host }: WhoisServer, name: string): string {
  return forms[host]?.(name) ?? name;
}
