import type { DialectFile } from "./dialect-file.ts";

const head =
  ";\n;  Database file example.com.dns for Default zone scope in zone example.com.\n;      Zone version:  12\n;\n";
const soa =
  "@                       IN  SOA dc1.example.com. hostmaster.example.com. (\n\t\t\t12 ; serial number\n\t\t\t900 ; refresh\n\t\t\t600 ; retry\n\t\t\t86400 ; expire\n\t\t\t3600 ) ; default TTL\n";
const age = "The time stamp of Microsoft DNS, [AGE:…], is left out.";

export const microsoftFiles: DialectFile[] = [
  {
    title: "a whole file of a zone in Active Directory",
    text: `${head}${soa}
;
;  Zone NS records
;

@                       NS	dc1.example.com.

;
;  Zone records
;

@                       [AGE:3624713]	600	A	192.0.2.10
_gc._tcp                [AGE:3624713]	600	SRV	0 100 3268	dc1.example.com.
_ldap._tcp.default-first-site-name._sites [AGE:3624713]	600	SRV	0 100 389	dc1.example.com.
dc1                     A	192.0.2.10
pc7                     [AGE:3624690]	1200	A	192.0.2.77
`,
    records: [
      "@ 3600 NS dc1.example.com",
      "@ 600 A 192.0.2.10",
      "_gc._tcp 600 SRV 0 100 3268 dc1.example.com",
      "_ldap._tcp.default-first-site-name._sites 600 SRV 0 100 389 dc1.example.com",
      "dc1 3600 A 192.0.2.10",
      "pc7 1200 A 192.0.2.77",
    ],
    warnings: [`Lines 22, 23, 24 and 26: ${age}`],
  },
  {
    title: "time stamps where the owner is inherited",
    text: `${head}${soa}pc1                     [AGE:3624690]	1200	A	192.0.2.71\n                        [AGE:3624691]	1200	A	192.0.2.72\n`,
    records: ["pc1 1200 A 192.0.2.71", "pc1 1200 A 192.0.2.72"],
    warnings: [`Lines 11 and 12: ${age}`],
  },
  {
    title: "a list by dnscmd, with its own word for the time stamp",
    text: "@  3600 SOA dc1.example.com. hostmaster.example.com. 1 900 600 86400 3600\npc1 [Aging:3705469] 1200 A 192.0.2.71\n",
    records: ["pc1 1200 A 192.0.2.71"],
    warnings: [`Line 2: ${age}`],
  },
  {
    title: "lookups in WINS over several lines",
    text: `${head}${soa};
;  WINS lookup record
;

@                       WINS	L2 C3600 (
				192.0.2.1
				192.0.2.2	)

@                       A	192.0.2.10
`,
    records: ["@ 3600 A 192.0.2.10"],
    warnings: ["Line 15: A lookup in WINS works only in Microsoft DNS and is left out."],
  },
  {
    title: "a reverse lookup in WINS",
    zone: "2.0.192.in-addr.arpa",
    text: "@ IN SOA dc1.example.com. hostmaster.example.com. 1 900 600 86400 3600\n@                       0	WINSR	LOCAL L2 C900 ( example.com. )\n10                      PTR	dc1.example.com.\n",
    records: ["10 3600 PTR dc1.example.com"],
    warnings: ["Line 2: A lookup in WINS works only in Microsoft DNS and is left out."],
  },
  {
    title: "the addresses of name servers in another zone",
    text: `${head}${soa}@                       NS	ns1.example.net.\nns1.example.net.        A	192.0.2.53\n@                       NS	dc1.example.com.\n`,
    records: ["@ 3600 NS ns1.example.net", "@ 3600 NS dc1.example.com"],
    warnings: ["Line 12: The address of the name server ns1.example.net is left out: it belongs to another zone."],
  },
  {
    title: "a delegated zone with its servers",
    text: `${head}${soa};
;  Delegated sub-zone:  branch.example.com.
;
branch                  NS	dc9.branch.example.com.
dc9.branch              A	192.0.2.90
;  End delegation
`,
    records: ["branch 3600 NS dc9.branch.example.com", "dc9.branch 3600 A 192.0.2.90"],
    warnings: [],
  },
  {
    title: "a name with a blank, written in octal",
    text: `${head}${soa}big\\040printer             A	192.0.2.40\n`,
    records: [String.raw`big\032printer 3600 A 192.0.2.40`],
    warnings: [String.raw`Line 11: \040 is read as octal: Route 53 and Microsoft DNS write escapes so.`],
  },
  {
    title: "a name with a blank, written as the RFC has it by whoever edited the file",
    text: `${head}${soa}big\\032printer             A	192.0.2.40\n`,
    records: [String.raw`big\032printer 3600 A 192.0.2.40`],
    warnings: [],
  },
  {
    title: "a text in parentheses",
    text: `${head}${soa}@                       TXT	( "v=spf1 ip4:192.0.2.0/24" " -all" )\n`,
    records: ["@ 3600 TXT v=spf1 ip4:192.0.2.0/24 -all"],
    warnings: [],
  },
];
