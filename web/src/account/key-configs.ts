import { zoneNameOf } from "../../../server/dns/names/names.ts";

/** A key as clients are given it. */
export interface ClientKey {
  keyName: string;
  algorithm: string;
  secret: string;
  /** With its view. */
  domainName: string;
}

export const clients = ["nsupdate", "certbot", "lego"] as const;
export type DnsClient = (typeof clients)[number];

/** Returns what to give a client, where DNS is answered by a host on port 53. */
export function configFor(dnsClient: DnsClient, key: ClientKey, host: string): string {
  return { nsupdate, certbot, lego }[dnsClient](key, host);
}

function nsupdate({ keyName, algorithm, secret, domainName }: ClientKey, host: string): string {
  return lines(
    "# zonewright.key, for nsupdate -k zonewright.key",
    `key "${keyName}" {`,
    `  algorithm ${algorithm};`,
    `  secret "${secret}";`,
    "};",
    "# Then, for example:",
    `#   server ${host} 53`,
    `#   zone ${zoneNameOf(domainName)}`,
  );
}

function certbot({ keyName, algorithm, secret }: ClientKey, host: string): string {
  const isAddress = /^[\d.]+$|:/.test(host);
  return lines(
    "# rfc2136.ini, for certbot --dns-rfc2136-credentials",
    ...(isAddress ? [] : [`# An address, not a name: that of ${host}.`]),
    `dns_rfc2136_server = ${isAddress ? host : "192.0.2.53"}`,
    "dns_rfc2136_port = 53",
    `dns_rfc2136_name = ${keyName}.`,
    `dns_rfc2136_secret = ${secret}`,
    `dns_rfc2136_algorithm = ${algorithm.toUpperCase()}`,
  );
}

function lego({ keyName, algorithm, secret }: ClientKey, host: string): string {
  const server = host.includes(":") ? `[${host}]` : host;
  return lines(
    `RFC2136_NAMESERVER=${server}:53`,
    `RFC2136_TSIG_KEY=${keyName}.`,
    `RFC2136_TSIG_ALGORITHM=${algorithm}.`,
    `RFC2136_TSIG_SECRET=${secret}`,
  );
}

function lines(...each: string[]): string {
  return each.join("\n");
}
