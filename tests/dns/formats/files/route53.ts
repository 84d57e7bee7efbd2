import type { DialectFile } from "./dialect-file.ts";

const head =
  "$ORIGIN example.com.\n@\t900\tIN\tSOA\tns-1.awsdns-11.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400\n";
const policy = "Route 53's routing policy is left out: the record answers every query.";

export const route53Files: DialectFile[] = [
  {
    title: "an export of cli53",
    text: `${head}@	172800	IN	NS	ns-1.awsdns-11.com.
@	3600	AWS	ALIAS	A d1.cloudfront.example. Z2FDTNDATAQYW2 false
www	3600	AWS	ALIAS	A @ $self false
api	60	IN	A	192.0.2.1 ; AWS routing="WEIGHTED" weight=3 identifier="blue"
api	60	IN	A	192.0.2.2 ; AWS routing="WEIGHTED" weight=1 identifier="green"
mail	300	IN	A	192.0.2.3
`,
    records: ["@ 172800 NS ns-1.awsdns-11.com", "api 60 A 192.0.2.1", "api 60 A 192.0.2.2", "mail 300 A 192.0.2.3"],
    warnings: [
      'Line 4: Route 53\'s alias to "d1.cloudfront.example." is left out: zone files have no such record. Create it at the provider.',
      'Line 5: Route 53\'s alias to "@" is left out: zone files have no such record. Create it at the provider.',
      `Lines 6 and 7: ${policy}`,
    ],
  },
  {
    title: "one address for every country",
    text: `${head}geo	60	IN	A	192.0.2.1 ; AWS routing="GEOLOCATION" countryCode="GB" identifier="uk"
geo	60	IN	A	192.0.2.1 ; AWS routing="GEOLOCATION" countryCode="*" identifier="others"
`,
    records: ["geo 60 A 192.0.2.1"],
    warnings: [`Lines 3 and 4: ${policy}`, "Line 4: geo A 192.0.2.1 is a duplicate and is ignored."],
  },
  {
    title: "a wildcard in octal, as the API has it",
    text: `${head}\\052.example.com.	300	IN	CNAME	www.example.com.\n`,
    records: ["* 300 CNAME www.example.com"],
    warnings: [String.raw`Line 3: The name "\052" is read as "*": Route 53 writes escapes in octal.`],
  },
  {
    title: "a wildcard in octal in a file without another sign of Route 53",
    text: "$TTL 300\n\\052.dev IN A 192.0.2.1\n",
    records: ["*.dev 300 A 192.0.2.1"],
    warnings: [String.raw`Line 2: The name "\052" is read as "*": Route 53 writes escapes in octal.`],
  },
  {
    title: "other escapes in octal",
    text: `${head}user\\100host	300	IN	TXT	"caf\\303\\251"\n`,
    records: [String.raw`user\@host 300 TXT café`],
    warnings: [
      String.raw`Line 3: \100 is read as octal, which is "@": Route 53 and Microsoft DNS write escapes so.`,
      String.raw`Line 3: \303 is read as octal: Route 53 and Microsoft DNS write escapes so.`,
      String.raw`Line 3: \251 is read as octal: Route 53 and Microsoft DNS write escapes so.`,
    ],
  },
  {
    title: "escapes in a file of another server are decimal",
    text: 'a\\100b	300	IN	TXT	"\\065\\066"\n',
    records: ["adb 300 TXT AB"],
    warnings: [],
  },
];
