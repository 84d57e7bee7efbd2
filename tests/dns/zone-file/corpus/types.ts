import { withHead, type AwkwardZone } from "./awkward-zone.ts";

const zeros = (octets: number) => "00".repeat(octets);

/** Data of each known type with its odd values, as BIND accepts it. */
export const data: readonly (readonly [recordType: string, ...rdata: string[]])[] = [
  ["SSHFP", `1 1 ${zeros(20)}`, `04 2 ${zeros(16)} ${zeros(16)}`, "1 9 ab", "1 0 AB"],
  ["TLSA", `3 1 1 ${zeros(16)} ${zeros(16)}`, "3 1 0 AB CD", "255 255 255 00"],
  ["SMIMEA", "3 0 0 abcd"],
  [
    "DS",
    `12345 ECDSAP256SHA256 SHA-256 ${zeros(32)}`,
    `1 8 1 ${zeros(20)}`,
    `1 8 4 ${zeros(24)} ( ${zeros(24)} )`,
    "12345 13 9 ABCD",
  ],
  ["CDS", "0 0 0 00", `12345 13 2 ${zeros(32)}`],
  ["DLV", `12345 13 2 ${zeros(32)}`],
  ["TA", `12345 13 2 ${zeros(32)}`],
  ["DNSKEY", "257 3 13 AAAA", "256 3 RSASHA256 AwEA AQ==", "257 255 ECDSAP256SHA256 AAAA"],
  ["CDNSKEY", "0 3 0 AA==", "257 3 13 AAAA"],
  ["KEY", "256 3 8 AQPS", "49152 3 0"],
  ["RKEY", "0 3 8 AAAA"],
  [
    "LOC",
    "52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m",
    "52 N 4 E 0",
    "52 22 N 4 53 E 10",
    "90 0 0 N 180 0 0 W 42849672.95m 90000000m 0.01 1",
    "0 0 0.001 S 0 0 59.999 W -100000m",
    "52 22 23.000 S 4 53 32.000 W 1.5m 2.55m 33333m",
  ],
  ["PTR", "Host", ".", "www.example.net."],
  ["DNAME", "elsewhere"],
  [
    "NAPTR",
    '100 50 s SIP+D2U "" _sip._udp',
    '100 50 "s" "SIP+D2U" "!^.*$!sip:info@example.com!" .',
    String.raw`65535 0 "" "" "/^(.)(.)\$/a\\2b\\1/i" x`,
  ],
  ["CERT", "PGP 0 0 AAAA", "PKIX 1 RSASHA256 AAAA", "9 65535 8 AAAA", "URI 0 0 AAAA"],
  ["URI", '10 1 "https://example.com/?a=b;c#d"', '0 65535 ""', String.raw`1 1 "ftp://\"\\\200"`],
  ["OPENPGPKEY", "AAAA", "( AA\n AA )"],
  ["HINFO", "PC Linux", '"" ""', String.raw`"PC-\"Intel\"" \032\255`],
  ["RP", ". .", "admin text.example.net."],
  ["AFSDB", "1 Host"],
  ["KX", "10 ."],
  ["RT", "10 relay"],
  ["LP", "10 L64"],
  ["PX", "10 map822 mapx400"],
  ["MB", "host"],
  ["MG", "host"],
  ["MR", "host"],
  ["MINFO", "a b"],
  ["TALINK", "a ."],
  ["DHCID", "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA="],
  ["EUI48", "00-00-5E-00-53-2a"],
  ["EUI64", "00-00-5e-ef-10-00-00-2a"],
  ["CSYNC", "66 3 A NS AAAA", "66 3", "4294967295 65535 TYPE65280 A"],
  ["ZONEMD", `2018031500 1 1 ${zeros(48)}`, `1 1 2 ${zeros(64)}`, `1 240 240 ${zeros(12)}`],
  ["APL", "1:192.168.32.0/21 !1:192.168.38.0/28", "", "1:192.168.38.1/28 2:2001:DB8::1/128", "1:0.0.0.0/0 2:::/0"],
  [
    "IPSECKEY",
    "10 1 2 192.0.2.38 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==",
    "10 0 2 . AQNR",
    "10 3 2 gateway AQNR",
    "10 2 2 2001:db8:0::1 AQNR",
  ],
  [
    "HIP",
    "2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOFH8cIvM4p rvs1 rvs2.example.org.",
    "2 2001 AwEA",
  ],
  ["AMTRELAY", "10 0 3 relay", "10 1 1 192.0.2.1", "0 0 2 2001:db8::1", "10 0 0 .", String.raw`\# 3 0a0401`],
  ["A6", "64 ::1 prefix", "0 2001:db8::1", "128 prefix", "12 2001:db8::1 prefix"],
  ["NSAP-PTR", "host"],
  ["NSAP", "0x47.0005.80.005a00.0000.0001.e133.ffffff000161.00"],
  ["NXT", "next A NS"],
  ["SIG", "NXT 1 3 60 20240101000000 20240101000000 2143 signer AAAA"],
  [
    "RRSIG",
    "A 5 3 86400 20301122173103 1700000000 2642 example.com. AAAA",
    "TYPE65280 ED25519 3 60 20301122173103 20030220173103 2642 signer AA AA",
  ],
  ["NSEC", "next A MX RRSIG NSEC TYPE1234", "next TYPE65280 MX A A"],
  [
    "NSEC3",
    "1 1 12 AABBCCDD 2t7b4g4vsa5smi47k61mv5bv1a22bojr MX DNSKEY A RRSIG",
    "1 0 0 - 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR",
  ],
  ["NSEC3PARAM", "1 0 12 AABBCCDD", "1 0 0 -"],
  ["WKS", "192.0.2.1 tcp 25 80", "192.0.2.1 17 53"],
  ["X25", "311061700956"],
  ["ISDN", "150862028003217 004", '"150862028003217"'],
  ["GPOS", "-32.6882 116.8652 10.0"],
  ["EID", "AB CD"],
  ["NIMLOC", "abcd"],
  ["ATMA", "+61200000000", "39.246f.00", "+61.2.00", String.raw`\# 3 020102`],
  ["SINK", "8 0 1 AAAA"],
  ["NINFO", '"a" b'],
  ["SPF", '"v=spf1 " "-all"'],
  ["AVC", '"app-name:x|app-class:y"'],
  ["NID", "10 0014:4fff:ff20:ee64", "0 0:0:0:1"],
  ["L32", "10 10.1.2.0"],
  ["L64", "10 2001:0DB8:1140:1000"],
  ["DOA", '1 2 3 "text/plain" AA AA', '0 4294967295 255 "" -'],
  ["RESINFO", "qnamemin exterr=15-17"],
  ["WALLET", "BTC abc"],
  ["DSYNC", "CDS NOTIFY 5359 target", "CSYNC 128 65535 ."],
  ["HHIT", "AAAA"],
  ["BRID", "AAAA"],
  ["NULL", String.raw`\# 3 000102`],
  [
    "HTTPS",
    '1 . alpn="h2,h3" ipv4hint=192.0.2.1',
    "0 other",
    "1 . port=443 key1=\\002h2",
    "1 . key65000 key9=abc",
    '1 . key7="/q{?dns}"',
    "1 . ech=AAAA ipv6hint=::1,2001:db8:0:0::1",
    String.raw`1 b alpn="f\\\\oo\\,bar,h2"`,
  ],
  ["SVCB", "16 foo port=53 mandatory=port", "1 . no-default-alpn alpn=h2", '1 . key667="hello\\210qoo"'],
  ["CAA", "0 issue letsencrypt.org", '128 ISSUE ";"', String.raw`0 iodef "\"\\\200"`],
  ["MX", "0 .", "65535 Mail"],
  ["SRV", "0 0 0 .", "65535 65535 65535 Target"],
  ["AAAA", "2001:DB8:0:0:0:0:0:1", "::ffff:192.0.2.1", "::"],
];

/** Types that stand at the apex alone, or that a zone must not have at the same name. */
const atApex = new Set(["DNSKEY", "CSYNC", "ZONEMD", "NSEC3PARAM"]);

/** RFC 5155 §3: the owner of an NSEC3 is a hash. */
function ownerOf(recordType: string, index: number): string {
  return recordType === "NSEC3" ? `${"0".repeat(31)}${index}` : `x${index}`;
}

/** RFC 4035 §2.4: a DS stands beside the NS of a delegation. */
function besideOf(recordType: string, index: number): string {
  return recordType === "DS" ? `${ownerOf(recordType, index)} NS ns.elsewhere.test.\n` : "";
}

/** One zone for each type, its records at names of their own. */
export const typeZones: AwkwardZone[] = data.map(([recordType, ...rdatas]) =>
  withHead(
    `${recordType} data`,
    atApex.has(recordType)
      ? rdatas.map((rdata) => `@ ${recordType} ${rdata}`).join("\n")
      : rdatas
          .map((rdata, index) => `${besideOf(recordType, index)}${ownerOf(recordType, index)} ${recordType} ${rdata}`)
          .join("\n"),
  ),
);
