import type { DialectFile } from "./dialect-file.ts";

const head = ";;\n;; Domain:     example.com.\n;; Exported:   2026-03-01 09:30:00\n;;\n";
const soa =
  "example.com\t3600\tIN\tSOA\tada.ns.cloudflare.com. dns.cloudflare.com. 2050000001 10000 2400 604800 3600\n";
const soaNote = 'Line 5: The owner of the SOA, "example.com", has no final dot and is read as the zone itself.';

export const cloudflareFiles: DialectFile[] = [
  {
    title: "a whole export, unedited",
    text: `${head};; SOA Record
${soa}
;; NS Records
example.com.	86400	IN	NS	ada.ns.cloudflare.com.
example.com.	86400	IN	NS	bob.ns.cloudflare.com.

;; A Records
example.com.	1	IN	A	192.0.2.1 ; cf_tags=cf-proxied:true
mail.example.com.	1	IN	A	192.0.2.2 ; cf_tags=cf-proxied:false
old.example.com.	300	IN	A	192.0.2.3

;; CNAME Records
www.example.com.	1	IN	CNAME	example.com. ; cf_tags=cf-proxied:true

;; MX Records
example.com.	1	IN	MX	10 mail.example.com.

;; TXT Records
example.com.	1	IN	TXT	"v=spf1 mx -all"
`,
    records: [
      "@ 86400 NS ada.ns.cloudflare.com",
      "@ 86400 NS bob.ns.cloudflare.com",
      "@ 3600 A 192.0.2.1 proxied",
      "mail 3600 A 192.0.2.2 unproxied",
      "old 300 A 192.0.2.3",
      "www 3600 CNAME example.com proxied",
      "@ 3600 MX 10 mail.example.com",
      "@ 3600 TXT v=spf1 mx -all",
    ],
    warnings: [
      'Line 6: The owner of the SOA, "example.com", has no final dot and is read as the zone itself.',
      "Lines 13, 14, 18, 21 and 24: TTL 1 means automatic at Cloudflare and is read as 3600.",
      "Lines 13 and 18: Cloudflare's proxy answered for this record. It is imported without a proxy, so its value becomes public.",
    ],
  },
  {
    title: "an earlier export, which begins with $ORIGIN . and has no name servers",
    text: `;; \n;; Domain:     example.com\n;; Exported:   2017-05-06 07:08:09\n$ORIGIN .
@	3600	IN	SOA	example.com.	root.example.com.	(
		2025000001	; serial
		7200		; refresh
		3600		; retry
		86400		; expire
		3600)		; minimum

;; NS Records (YOU MUST CHANGE THIS)
example.com.	1	IN	NS	REPLACE&ME$WITH^YOUR@NAMESERVER.

;; A Records (IPv4 addresses)
*.example.com.	300	IN	A	192.0.2.1
example.com.	1	IN	A	192.0.2.1
`,
    records: ["* 300 A 192.0.2.1", "@ 3600 A 192.0.2.1"],
    warnings: [
      'Line 5: The SOA of the root is read as that of the zone: the file begins with "$ORIGIN .".',
      "Line 13: The text in place of a name server is left out, as Cloudflare asks.",
      "Line 17: TTL 1 means automatic at Cloudflare and is read as 3600.",
    ],
  },
  {
    title: "the placeholder of a still earlier export, misspelled as it was",
    text: `;; Domain:     example.com\n;; Exported:   2016-05-06 07:08:09\n$ORIGIN .
@	3600	IN	SOA	example.com. root.example.com. 1 7200 3600 86400 3600
example.com.	300	IN	NS	REPACE&ME$WITH^YOUR@NAMESERVER.
example.com.	300	IN	A	192.0.2.1
`,
    records: ["@ 300 A 192.0.2.1"],
    warnings: [
      'Line 4: The SOA of the root is read as that of the zone: the file begins with "$ORIGIN .".',
      "Line 5: The text in place of a name server is left out, as Cloudflare asks.",
    ],
  },
  {
    title: "comments and tags of records",
    text: `${head}${soa}a.example.com.	300	IN	A	192.0.2.1 ; Build server cf_tags=team:web,cost:12,cf-proxied:false
b.example.com.	300	IN	A	192.0.2.2 ; cf_tags=team:web,cost:12
c.example.com.	300	IN	A	192.0.2.3 ; Only a comment
`,
    records: ["a 300 A 192.0.2.1 unproxied ; Build server", "b 300 A 192.0.2.2", "c 300 A 192.0.2.3 ; Only a comment"],
    warnings: [
      soaNote,
      "Lines 6 and 8: Cloudflare's comment is kept as the record's comment.",
      "Lines 6 and 7: Cloudflare's tags are left out: team:web, cost:12.",
    ],
  },
  {
    title: "a comment in other letters, with semicolons",
    text: `${soa}a.example.com.	300	IN	A	192.0.2.1 ; Büro; 二階 ; cf_tags=cf-proxied:true\n`,
    records: ["a 300 A 192.0.2.1 proxied ; Büro; 二階 ;"],
    warnings: [
      soaNote.replace("5", "1"),
      "Line 2: Cloudflare's comment is kept as the record's comment.",
      "Line 2: Cloudflare's proxy answered for this record. It is imported without a proxy, so its value becomes public.",
    ],
  },
  {
    title: "a flattened CNAME below the apex",
    text: `${soa}shop.example.com.	1	IN	CNAME	shops.example.net. ; cf_tags=cf-flatten-cname,cf-proxied:false\n`,
    records: ["shop 3600 CNAME shops.example.net unproxied"],
    warnings: [
      soaNote.replace("5", "1"),
      "Line 2: TTL 1 means automatic at Cloudflare and is read as 3600.",
      "Line 2: Cloudflare's setting to flatten this CNAME is left out.",
    ],
  },
  {
    title: "a CNAME through another provider's partial setup keeps its target",
    text: `${soa}www.example.com.	1	IN	CNAME	www.example.com.cdn.cloudflare.net.\n`,
    records: ["www 3600 CNAME www.example.com.cdn.cloudflare.net"],
    warnings: [soaNote.replace("5", "1"), "Line 2: TTL 1 means automatic at Cloudflare and is read as 3600."],
  },
  {
    title: "an export from which somebody removed all final dots",
    text: `${head}example.com	3600	IN	SOA	ada.ns.cloudflare.com dns.cloudflare.com 1 10000 2400 604800 3600
www.example.com	300	IN	CNAME	example.com
example.com	300	IN	MX	10 mail.example.com
_sip._tcp.example.com	300	IN	SRV	1 2 5060 sip.example.com
`,
    records: [
      "www 300 CNAME example.com",
      "@ 300 MX 10 mail.example.com",
      "_sip._tcp 300 SRV 1 2 5060 sip.example.com",
    ],
    warnings: [
      soaNote,
      'Line 6: "www.example.com" has no final dot and is read as the full name.',
      'Lines 6 and 7: "example.com" has no final dot and is read as the full name.',
      'Line 7: "mail.example.com" has no final dot and is read as the full name.',
      'Line 8: "_sip._tcp.example.com" has no final dot and is read as the full name.',
      'Line 8: "sip.example.com" has no final dot and is read as the full name.',
    ],
  },
  {
    title: "TTL 1 is literal in a file that is not Cloudflare's",
    text: "$ORIGIN example.com.\n@ 1 IN A 192.0.2.1 ; proxied by hand\n",
    records: ["@ 1 A 192.0.2.1"],
    warnings: [],
  },
  {
    title: "TTL 1 becomes the file's $TTL",
    text: `$TTL 7200\n${soa}a.example.com.	1	IN	A	192.0.2.1\n`,
    records: ["a 7200 A 192.0.2.1"],
    warnings: [soaNote.replace("5", "2"), "Line 3: TTL 1 means automatic at Cloudflare and is read as 7200."],
  },
  {
    title: "an address that is proxied beside one that is not has one TTL",
    text: `${soa}a.example.com.	1	IN	A	192.0.2.1 ; cf_tags=cf-proxied:true\na.example.com.	300	IN	A	192.0.2.2 ; cf_tags=cf-proxied:false\n`,
    records: ["a 3600 A 192.0.2.1 proxied", "a 3600 A 192.0.2.2 unproxied"],
    warnings: [
      soaNote.replace("5", "1"),
      "Line 2: TTL 1 means automatic at Cloudflare and is read as 3600.",
      "Line 2: Cloudflare's proxy answered for this record. It is imported without a proxy, so its value becomes public.",
      "Line 3: a A has records with different TTLs; 3600 is used for all of them, as in BIND (RFC 2181 §5.2).",
    ],
  },
  {
    title: "a tag on a type that is never proxied says nothing",
    text: `${soa}example.com.	300	IN	MX	1 a.example.net. ; cf_tags=cf-proxied:true\n`,
    records: ["@ 300 MX 1 a.example.net"],
    warnings: [soaNote.replace("5", "1")],
  },
  {
    title: "line ends of Windows and a byte order mark",
    text: `\ufeff${soa}a.example.com.	1	IN	A	192.0.2.1 ; cf_tags=cf-proxied:false\n`.replaceAll("\n", "\r\n"),
    records: ["a 3600 A 192.0.2.1 unproxied"],
    warnings: [soaNote.replace("5", "1"), "Line 2: TTL 1 means automatic at Cloudflare and is read as 3600."],
  },
];
