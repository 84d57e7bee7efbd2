/** A legal master file that some program has read wrongly before. */
export interface AwkwardZone {
  title: string;
  zone: string;
  /** As stored on disk, one character per octet. */
  text: string;
  /** The same zone in a form for BIND, if BIND does not accept the text itself. */
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
