/** A master file that is legal and that somebody has got wrong before. */
export interface AwkwardZone {
  title: string;
  zone: string;
  /** As it lies on disk; one character for each octet. */
  text: string;
  /** The same zone as BIND is to read it, where BIND does not take the text itself. */
  plain?: string;
}

const head = (zone: string) =>
  `$ORIGIN ${zone}.\n$TTL 3600\n@ IN SOA ns1 hostmaster 2024010101 7200 900 1209600 300\n@ IN NS ns1\nns1 IN A 192.0.2.1\n`;

/** A zone whose records follow an ordinary beginning. */
export function withHead(title: string, records: string, zone = "example.com"): AwkwardZone {
  return { title, zone, text: `${head(zone)}${records}\n` };
}

/** A zone written out whole. */
export function whole(title: string, text: string, zone = "example.com"): AwkwardZone {
  return { title, zone, text };
}
