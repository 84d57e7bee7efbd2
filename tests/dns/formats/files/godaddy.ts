import type { DialectFile } from "./dialect-file.ts";

const head = "; Domain: example.com\n; Exported (y-m-d hh:mm:ss): 2026-02-03 04:05:06\n;\n$ORIGIN example.com.\n";
const soa =
  "@\t3600\t IN \tSOA\tns01.domaincontrol.com.\tdns.jomax.net. (\n\t2026020300\n\t28800\n\t7200\n\t604800\n\t3600\n\t)\n";
const shortSoa = "@ 3600 IN SOA ns01.domaincontrol.com. dns.jomax.net. 1 28800 7200 604800 3600\n";

export const goDaddyFiles: DialectFile[] = [
  {
    title: "a whole export, unedited",
    text: `${head}
; SOA Record
${soa}
; A Record
@	600	 IN 	A	192.0.2.1

; CNAME Record
www	3600	 IN 	CNAME	@
lyncdiscover	3600	 IN 	CNAME	webdir.online.lync.com.

; SRV Record
_sip._tls.@	3600	 IN 	SRV	100	1	443	sipdir.online.lync.com.
_sipfederationtls._tcp.@	3600	 IN 	SRV	100	1	5061	sipfed.online.lync.com.

; NS Record
@	3600	 IN 	NS	ns01.domaincontrol.com.

; MX Record
@	3600	 IN 	MX	0	mx.example.net.
`,
    records: [
      "@ 600 A 192.0.2.1",
      "www 3600 CNAME example.com",
      "lyncdiscover 3600 CNAME webdir.online.lync.com",
      "_sip._tls 3600 SRV 100 1 443 sipdir.online.lync.com",
      "_sipfederationtls._tcp 3600 SRV 100 1 5061 sipfed.online.lync.com",
      "@ 3600 NS ns01.domaincontrol.com",
      "@ 3600 MX 0 mx.example.net",
    ],
    warnings: [
      'Line 23: "_sip._tls.@" is read as "_sip._tls": its "@" stands for the zone.',
      'Line 24: "_sipfederationtls._tcp.@" is read as "_sipfederationtls._tcp": its "@" stands for the zone.',
    ],
  },
  {
    title: "an address that is a service of GoDaddy's",
    text: `${head}${shortSoa}@	600	 IN 	A	Parked\n@	600	 IN 	A	WebsiteBuilder Site\nshop	600	 IN 	A	192.0.2.1\n`,
    records: ["shop 600 A 192.0.2.1"],
    warnings: [
      'Line 6: "Parked" is a service of GoDaddy\'s, not an address, and is left out.',
      'Line 7: "WebsiteBuilder Site" is a service of GoDaddy\'s, not an address, and is left out.',
    ],
  },
  {
    title: "a line left out still passes on its owner",
    text: `${head}shop	600	 IN 	A	Parked\n	600	 IN 	TXT	"open"\n`,
    records: ["shop 600 TXT open"],
    warnings: ['Line 5: "Parked" is a service of GoDaddy\'s, not an address, and is left out.'],
  },
  {
    title: "an earlier export in capitals",
    text: "; SOA Record\nEXAMPLE.COM.\t3600\tIN\tSOA\tpdns01.domaincontrol.com.\tdns.jomax.net (\n\t1 28800 7200 604800 86400 )\n; A Records\ntest\t1800\tIN\tA\t192.0.2.1\n",
    records: ["test 1800 A 192.0.2.1"],
    warnings: [],
  },
  {
    title: "names for which somebody typed the whole domain",
    text: `${head}${shortSoa}mail.example.com	600	 IN 	A	192.0.2.1\nwww	600	 IN 	CNAME	example.com\n`,
    records: ["mail 600 A 192.0.2.1", "www 600 CNAME example.com"],
    warnings: [
      'Line 6: "mail.example.com" has no final dot and is read as the full name.',
      'Line 7: "example.com" has no final dot and is read as the full name.',
    ],
  },
  {
    title: "a text in several strings",
    text: `${head}k._domainkey	1800	 IN 	TXT	"v=DKIM1; k=rsa; p=AAAA"	"BBBB"\n`,
    records: ["k._domainkey 1800 TXT v=DKIM1; k=rsa; p=AAAABBBB"],
    warnings: [],
  },
  {
    title: "an escaped at sign is no sign of the zone",
    text: `${head}user\\.@	600	 IN 	TXT	"x"\n`,
    records: [String.raw`user\.\@ 600 TXT x`],
    warnings: [],
  },
];
