import type { DialectFile } from "./dialect-file.ts";

const cPanelHead =
  "; cPanel first:118.0.5 (update_time):1767225600 Cpanel::ZoneFile::VERSION:1.3 hostname:web1.example.net latest:118.0.5\n; Zone file for example.com\n$TTL 14400\n";
const cPanelSoa =
  "example.com.\t86400\tIN\tSOA\tns1.example.net.\tadmin.example.net.(\n\t\t\t2026010100 ;Serial Number\n\t\t\t3600 ;refresh\n\t\t\t1800 ;retry\n\t\t\t1209600 ;expire\n\t\t\t86400 )\n";
const dumped = "example.com. 3600 IN SOA ns1.example.com. host.example.com. 7 3600 600 86400 300\n";

/** Files of cPanel, BIND and people. */
export const otherFiles: DialectFile[] = [
  {
    title: "a whole zone of cPanel",
    text: `${cPanelHead}${cPanelSoa}example.com.	86400	IN	NS	ns1.example.net.
example.com.	IN	A	192.0.2.1
localhost.example.com.	14400	IN	A	127.0.0.1
mail	14400	IN	CNAME	example.com.
default._domainkey	14400	IN	TXT	v=DKIM1\\;\\ k=rsa\\;\\ p=AAAA
_autodiscover._tcp	14400	IN	SRV	0 0 443 cpanel.example.net.
`,
    records: [
      "@ 86400 NS ns1.example.net",
      "@ 14400 A 192.0.2.1",
      "localhost 14400 A 127.0.0.1",
      "mail 14400 CNAME example.com",
      "default._domainkey 14400 TXT v=DKIM1; k=rsa; p=AAAA",
      "_autodiscover._tcp 14400 SRV 0 0 443 cpanel.example.net",
    ],
    warnings: [],
  },
  {
    title: "names of cPanel without final dots",
    text: `${cPanelHead}example.com	86400	IN	SOA	ns1.example.net. admin.example.net. 1 3600 1800 1209600 86400
ftp.example.com	14400	IN	CNAME	example.com
`,
    records: ["ftp 14400 CNAME example.com"],
    warnings: [
      'Line 4: The owner of the SOA, "example.com", has no final dot and is read as the zone itself.',
      'Line 5: "ftp.example.com" has no final dot and is read as the full name.',
      'Line 5: "example.com" has no final dot and is read as the full name.',
    ],
  },
  {
    title: "a target without final dot in a plain file is literal, and warned of",
    text: "$TTL 300\nwww IN CNAME example.com\n@ IN MX 10 mail.example.com\nmail IN A 192.0.2.1\n",
    records: [
      "www 300 CNAME example.com.example.com",
      "@ 300 MX 10 mail.example.com.example.com",
      "mail 300 A 192.0.2.1",
    ],
    warnings: [
      'Line 2: "example.com" has no final dot, so it means "example.com.example.com.". Write "example.com." if you mean that name.',
      'Line 3: "mail.example.com" has no final dot, so it means "mail.example.com.example.com.". Write "mail.example.com." if you mean that name.',
    ],
  },
  {
    title: "a target elsewhere without final dot is literal, and warned of unless the zone has that name",
    text: "$TTL 300\nwww CNAME shops.vendor.com\n@ MX 10 mail.google.com\n@ MX 20 192.0.2.1\nb MX 10 mail.google.com\neast CNAME web.eu\nweb.eu A 192.0.2.1\nown CNAME shops.vendor.com.example.com.\nfar CNAME a.vendor.com.\n",
    records: [
      "www 300 CNAME shops.vendor.com.example.com",
      "@ 300 MX 10 mail.google.com.example.com",
      "@ 300 MX 20 192.0.2.1.example.com",
      "b 300 MX 10 mail.google.com.example.com",
      "east 300 CNAME web.eu.example.com",
      "web.eu 300 A 192.0.2.1",
      "own 300 CNAME shops.vendor.com.example.com",
      "far 300 CNAME a.vendor.com",
    ],
    warnings: [
      'Lines 2 and 8: "shops.vendor.com.example.com." has no records in this file. Write "shops.vendor.com." with its final dot if you mean that name.',
      'Lines 3 and 5: "mail.google.com.example.com." has no records in this file. Write "mail.google.com." with its final dot if you mean that name.',
      'Line 4: "192.0.2.1.example.com." has no records in this file. Put the address into an A record, and its name into the MX record.',
    ],
  },
  {
    title: "an owner without final dot in a plain file is literal, and warned of",
    text: "$TTL 300\nwww.example.com IN A 192.0.2.1\n",
    records: ["www.example.com 300 A 192.0.2.1"],
    warnings: [
      'Line 2: "www.example.com" has no final dot, so it means "www.example.com.example.com.". Write "www.example.com." if you mean that name.',
    ],
  },
  {
    title: "targets of other types without final dots in a plain file are warned of as those of CNAME and MX are",
    text: '$TTL 300\n@ IN HTTPS 1 a.example.com alpn=h2\n@ IN NAPTR 1 1 "s" "x" "" b.example.com\n@ IN RP c.example.com d.example.com\n',
    records: [
      "@ 300 HTTPS 1 a.example.com.example.com. alpn=h2",
      '@ 300 NAPTR 1 1 "s" "x" "" b.example.com.example.com.',
      "@ 300 RP c.example.com.example.com. d.example.com.example.com.",
    ],
    warnings: [
      [2, "a"],
      [3, "b"],
      [4, "c"],
      [4, "d"],
    ].map(
      ([line, host]) =>
        `Line ${line}: "${host}.example.com" has no final dot, so it means "${host}.example.com.example.com.". Write "${host}.example.com." if you mean that name.`,
    ),
  },
  {
    title: "a text without quotes is literal, and warned of when it has several words",
    text: '$TTL 300\n@ IN TXT v=spf1 mx -all\n@ IN TXT \'google site\'\none IN TXT word\ntwo IN TXT "a b" "c"\nraw IN TXT \\# 3 02 6869\n',
    records: [
      "@ 300 TXT v=spf1mx-all",
      "@ 300 TXT 'googlesite'",
      "one 300 TXT word",
      "two 300 TXT a bc",
      "raw 300 TXT hi",
    ],
    warnings: [
      "Lines 2 and 3: Without quotes, each word of the text is a string of its own, and the blanks between them are lost. Put the whole text in double quotes to keep them.",
    ],
  },
  {
    title: "a carriage return alone ends a line, as in BIND",
    text: "$TTL 300\r; a comment\r@ IN TXT a\rwww IN A 192.0.2.1\r\n\tIN TXT b\r",
    records: ["@ 300 TXT a", "www 300 A 192.0.2.1", "www 300 TXT b"],
    warnings: [],
  },
  {
    title: "names without final dots after an SOA without one",
    text: "$TTL 300\nexample.com IN SOA ns1.example.net. a.example.net. 1 2 3 4 5\nwww.example.com IN A 192.0.2.1\n",
    records: ["www 300 A 192.0.2.1"],
    warnings: [
      'Line 2: The owner of the SOA, "example.com", has no final dot and is read as the zone itself.',
      'Line 3: "www.example.com" has no final dot and is read as the full name.',
    ],
  },
  {
    title: "names relative to the root are literal",
    text: "$ORIGIN .\n$TTL 300\nexample.com IN SOA ns1.example.net. a.example.net. 1 2 3 4 5\n\t\tNS ns1.example.net.\n$ORIGIN example.com.\nwww A 192.0.2.1\n",
    records: ["@ 300 NS ns1.example.net", "www 300 A 192.0.2.1"],
    warnings: [],
  },
  {
    title: "one zone out of a dump of all zones",
    text: `;\n; Start view _default\n;\n;\n; Zone dump of 'example.net/IN'\n;\nexample.net. 3600 IN SOA ns1.example.net. host.example.net. 1 3600 600 86400 300
example.net. 3600 IN A 192.0.2.9
;\n; Zone dump of 'example.com/IN'\n;\n${dumped}www.example.com. 300 IN A 192.0.2.1
;\n; Zone dump of 'sub.example.com/IN'\n;\nsub.example.com. 3600 IN SOA ns1.example.com. host.example.com. 1 3600 600 86400 300
a.sub.example.com. 300 IN A 192.0.2.2
; Dump complete
`,
    records: ["www 300 A 192.0.2.1"],
    warnings: ["Line 10: Only the zone dump of example.com that begins here is read."],
  },
  {
    title: "a dump of one zone in one view",
    text: `; Start view internal\n; Zone dump of 'example.com/IN/internal'\n;\n${dumped}www.example.com. 300 IN A 192.0.2.1\n`,
    records: ["www 300 A 192.0.2.1"],
    warnings: [],
  },
  {
    title: "a dump of a cache",
    text: `;\n; Cache dump of view '_default' (cache _default)\n;\n$DATE 20260301120000\n; authanswer\nwww.example.com. 251 IN A 192.0.2.1
; answer\nold.example.com. 31 IN \\-AAAA ;-$NXRRSET\n; example.com. SOA ns1.example.com. host.example.com. 1 3600 600 86400 300
gone.example.com. 31 IN \\-ANY ;-$NXDOMAIN\n`,
    records: ["www 251 A 192.0.2.1"],
    warnings: [
      "Line 4: $DATE, the time of a dump, is left out.",
      "Lines 8 and 10: A negative answer from a cache is left out.",
    ],
  },
  {
    title: "what named-compilezone writes",
    text: `$ORIGIN .\n$TTL 86400	; 1 day\nexample.com		IN SOA	ns1.example.com. host.example.com. (\n				7          ; serial\n				3600       ; refresh (1 hour)\n				600        ; retry (10 minutes)\n				86400      ; expire (1 day)\n				300        ; minimum (5 minutes)\n				)\n			NS	ns1.example.com.\n$ORIGIN example.com.\nns1			A	192.0.2.53\n`,
    records: ["@ 86400 NS ns1.example.com", "ns1 86400 A 192.0.2.53"],
    warnings: [],
  },
  {
    title: "a comment that speaks of Cloudflare is no sign of it",
    text: "$TTL 300\n; moved from ada.ns.cloudflare.com in 2024\na 1 IN A 192.0.2.1 ; was proxied\nsub IN NS ada.ns.cloudflare.com.\n",
    records: ["a 1 A 192.0.2.1", "sub 300 NS ada.ns.cloudflare.com"],
    warnings: [],
  },
  {
    title: "a zone below a public suffix whose name ends like the zone's",
    zone: "co.example",
    text: "$TTL 300\nnot-co.example IN A 192.0.2.1\nwww IN CNAME notco.example\n",
    records: ["not-co.example 300 A 192.0.2.1", "www 300 CNAME notco.example.co.example"],
    warnings: [],
  },
];
