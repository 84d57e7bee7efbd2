/**
 * Bundled RDAP servers by suffix. They apply until IANA's list has been fetched once; other suffixes then use WHOIS.
 */
export const bundledServers: ReadonlyMap<string, readonly string[]> = table([
  ["com", "https://rdap.verisign.com/com/v1/"],
  ["net", "https://rdap.verisign.com/net/v1/"],
  ["name", "https://tld-rdap.verisign.com/name/v1/"],
  ["cc", "https://tld-rdap.verisign.com/cc/v1/"],
  ["org", "https://rdap.publicinterestregistry.org/rdap/"],
  ["info mobi pro asia", "https://rdap.identitydigital.services/rdap/"],
  ["biz", "https://rdap.nic.biz/"],
  ["app dev page", "https://pubapi.registry.google/rdap/"],
  ["xyz", "https://rdap.centralnic.com/xyz/"],
  ["online site store tech", "https://rdap.radix.host/rdap/"],
  ["ar", "https://rdap.nic.ar/"],
  ["au", "https://rdap.cctld.au/rdap/"],
  ["br", "https://rdap.registro.br/"],
  ["ca", "https://rdap.ca.fury.ca/rdap/"],
  ["cz", "https://rdap.nic.cz/"],
  ["fi", "https://rdap.fi/rdap/rdap/"],
  ["fr", "https://rdap.nic.fr/"],
  ["is", "https://rdap.isnic.is/rdap/"],
  ["nl", "https://rdap.sidn.nl/"],
  ["no", "https://rdap.norid.no/"],
  ["pl", "https://rdap.dns.pl/"],
  ["sg", "https://rdap.sgnic.sg/rdap/"],
  ["si", "https://rdap.register.si/"],
  ["tw", "https://ccrdap.twnic.tw/tw/"],
  ["uk", "https://rdap.nominet.uk/uk/"],
]);

/** Registries' servers that are missing from IANA's list. */
export const unlistedServers: ReadonlyMap<string, readonly string[]> = table([
  ["ch", "https://rdap.nic.ch/"],
  ["co", "https://rdap.nic.co/"],
  ["de", "https://rdap.denic.de/"],
  ["ac io me sh", "https://rdap.identitydigital.services/rdap/"],
  ["li", "https://rdap.nic.li/"],
  ["us", "https://rdap.nic.us/"],
]);

function table(rows: readonly (readonly [suffixes: string, url: string])[]): Map<string, string[]> {
  return new Map(rows.flatMap(([suffixes, url]) => suffixes.split(" ").map((suffix) => [suffix, [url]])));
}
