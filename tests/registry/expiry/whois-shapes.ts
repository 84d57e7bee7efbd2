import type { Registration } from "../../../server/registry/expiry/registration.ts";

/** An answer as a server of port 43 writes it, shortened, and what it means. */
export interface WhoisShape {
  what: string;
  name: string;
  text: string;
  means:
    | "unregistered"
    | "limited"
    | "broken"
    | "no registry"
    | (Partial<Omit<Registration, "registryExpiresAt">> & { until?: string });
  referral?: string;
}

const notice = "% This is the registry's database. By querying it you agree not to exceed the limits of the terms.\n";

/** Registered names: `until` is the registry's date. */
const registered: WhoisShape[] = [
  {
    what: "Verisign, which refers to the registrar",
    name: "example.com",
    text: `   Domain Name: EXAMPLE.COM
   Registry Domain ID: 2336799_DOMAIN_COM-VRSN
   Registrar WHOIS Server: whois.registrar.example
   Registrar URL: http://www.registrar.example
   Updated Date: 2026-08-14T07:01:31Z
   Creation Date: 1995-08-14T04:00:00Z
   Registry Expiry Date: 2027-08-13T04:00:00Z
   Registrar: Example Registrar, Inc.
   Registrar IANA ID: 376
   Domain Status: clientDeleteProhibited https://icann.org/epp#clientDeleteProhibited
   Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
   Name Server: B.IANA-SERVERS.NET
   Name Server: A.IANA-SERVERS.NET
   DNSSEC: unsigned
>>> Last update of whois database: 2026-11-20T10:10:10Z <<<
NOTICE: The expiration date displayed in this record is the date the
registrar's sponsorship of the domain name registration is currently set to expire.
`,
    means: {
      until: "2027-08-13T04:00:00Z",
      registrar: "Example Registrar, Inc.",
      statuses: ["clientDeleteProhibited", "clientTransferProhibited"],
      nameServers: ["a.iana-servers.net", "b.iana-servers.net"],
      ds: [],
    },
    referral: "whois.registrar.example",
  },
  {
    what: "a registrar, with its own date and everything redacted",
    name: "example.com",
    text: `Domain Name: example.com
Registrar WHOIS Server: whois.registrar.example
Creation Date: 1995-08-14T04:00:00+0000
Registrar Registration Expiration Date: 2027-08-13T00:00:00+0000
Registrar: Example Registrar, Inc.
Registrant Name: REDACTED FOR PRIVACY
Registrant Organization: REDACTED FOR PRIVACY
Name Server: a.iana-servers.net
`,
    means: { registrarExpiresAt: new Date("2027-08-13T00:00:00Z"), registrar: "Example Registrar, Inc." },
    referral: "whois.registrar.example",
  },
  {
    what: "DENIC, which publishes no date",
    name: "example.de",
    text: "Domain: example.de\nNserver: ns1.example.net\nStatus: connect\nChanged: 2020-03-09T12:00:00+01:00\n",
    means: { statuses: ["connect"] },
  },
  {
    what: "DNS Belgium, which publishes no date",
    name: "example.be",
    text: `${notice}
Domain:\texample.be
Status:\tNOT AVAILABLE
Registered:\tTue Dec 12 2000

Registrar:
\tName:\t Example Registrar bv
\tWebsite: https://registrar.example
`,
    means: { registrar: "Example Registrar bv", statuses: ["NOT AVAILABLE"] },
  },
  {
    what: "SIDN, with blocks",
    name: "example.nl",
    text: "Domain name: example.nl\nStatus:      active\n\nRegistrar:\n   Voorbeeld B.V.\n   Straat 1\n\nCreation Date: 1999-05-27\n",
    means: { registrar: "Voorbeeld B.V.", statuses: ["active"] },
  },
  {
    what: "Nominet",
    name: "example.co.uk",
    text: `
    Domain name:
        example.co.uk

    Registrar:
        Example Ltd t/a Example [Tag = EXAMPLE]
        URL: https://www.example.org

    Relevant dates:
        Registered on: 26-Nov-1996
        Expiry date:  26-Nov-2027
        Last updated:  24-Nov-2025

    Registration status:
        Registered until expiry date.
`,
    means: { until: "2027-11-26T00:00:00Z", registrar: "Example Ltd t/a Example [Tag = EXAMPLE]" },
  },
  {
    what: "AFNIC",
    name: "example.fr",
    text: `%%\n%% This is the AFNIC Whois server.\n%%
domain:                        example.fr
status:                        ACTIVE
eppstatus:                     clientTransferProhibited
hold:                          NO
registrar:                     GANDI
Expiry Date:                   2027-12-30T10:15:20Z
created:                       1995-01-01T00:00:00Z
source:                        FRNIC

registrar:                     GANDI
address:                       63-65 boulevard Massena
`,
    means: { until: "2027-12-30T10:15:20Z", registrar: "GANDI", statuses: ["ACTIVE", "clientTransferProhibited"] },
  },
  {
    what: "NIC.it",
    name: "example.it",
    text: `
Domain:             example.it
Status:             ok
Signed:             no
Created:            1998-06-02 00:00:00
Last Update:        2026-06-18 00:56:18
Expire Date:        2027-06-02

Registrar
  Organization:     Esempio S.p.A.
  Name:             ESEMPIO-REG
`,
    means: { until: "2027-06-02T00:00:00Z", statuses: ["ok"] },
  },
  {
    what: "TCI for .ru",
    name: "example.ru",
    text: `% TCI Whois Service.
domain:        EXAMPLE.RU
nserver:       ns1.example.net.
state:         REGISTERED, DELEGATED, VERIFIED
person:        Private Person
registrar:     RU-CENTER-RU
created:       1999-01-01T00:00:00Z
paid-till:     2027-01-31T21:00:00Z
free-date:     2027-03-04
source:        TCI
`,
    means: {
      until: "2027-01-31T21:00:00Z",
      registrar: "RU-CENTER-RU",
      statuses: ["REGISTERED", "DELEGATED", "VERIFIED"],
    },
  },
  {
    what: "JPRS in English",
    name: "example.jp",
    text: `[ JPRS database provides information on network administration. Its use is    ]
Domain Information:
[Domain Name]                   EXAMPLE.JP

[Registrant]                    Example K.K.

[Created on]                    2001/05/07
[Expires on]                    2027/05/31
[Status]                        Active
[Last Updated]                  2026/06/01 01:05:04 (JST)
`,
    means: { until: "2027-05-31T00:00:00Z", statuses: ["Active"] },
  },
  {
    what: "JPRS for co.jp",
    name: "example.co.jp",
    text: `Domain Information:
a. [Domain Name]                EXAMPLE.CO.JP
g. [Organization]               Example Corporation
p. [Name Server]                ns1.example.co.jp
[State]                         Connected (2027/03/31)
[Registered Date]               1996/03/01
`,
    means: { until: "2027-03-31T00:00:00Z", statuses: ["Connected (2027/03/31)"] },
  },
  {
    what: "KISA",
    name: "example.kr",
    text: `# ENGLISH

Domain Name                 : example.kr
Registrant                  : Example Inc.
Registered Date             : 2007. 03. 02.
Last Updated Date           : 2018. 05. 28.
Expiration Date             : 2027. 03. 02.
Authorized Agency           : Gabia, Inc.(http://www.gabia.co.kr)
`,
    means: { until: "2027-03-02T00:00:00Z", registrar: "Gabia, Inc.(http://www.gabia.co.kr)" },
  },
  {
    what: "CNNIC",
    name: "example.cn",
    text: `Domain Name: example.cn
ROID: 20030311s10001s00012345-cn
Domain Status: clientTransferProhibited
Registrant: 示例有限公司
Sponsoring Registrar: 阿里云计算有限公司（万网）
Name Server: ns1.example.net
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36
DNSSEC: unsigned
`,
    means: {
      until: "2027-03-17T12:48:36Z",
      registrar: "阿里云计算有限公司（万网）",
      statuses: ["clientTransferProhibited"],
    },
  },
  {
    what: "HKIRC",
    name: "example.hk",
    text: "Domain Name:  EXAMPLE.HK \n\nDomain Status: Active \n\nRegistrar Name: Example Ltd\n\nExpiry Date: 31-03-2027\n",
    means: { until: "2027-03-31T00:00:00Z", registrar: "Example Ltd", statuses: ["Active"] },
  },
  {
    what: "MYNIC",
    name: "example.com.my",
    text: `Welcome to .my DOMAIN WHOIS Server

a [Domain Name]                     example.com.my
b [Registration No.]                D1A000001
c [Record Created]                  01-JAN-2000
d [Record Expired]                  31-DEC-2027
e [Record Last Modified]            05-FEB-2024

g [Registrant Code]                 ABC12
k [Primary Name Server]             ns1.example.net
l [Secondary Name Server]           ns2.example.net
`,
    means: { until: "2027-12-31T00:00:00Z", nameServers: ["ns1.example.net", "ns2.example.net"] },
  },
  {
    what: "MYNIC, with the older punctuation",
    name: "example.my",
    text: "a. [Domain Name]  example.my\nd. [Record Expired]  2027-12-31\n",
    means: { until: "2027-12-31T00:00:00Z" },
  },
  {
    what: "TWNIC",
    name: "example.com.tw",
    text: `Domain Name: example.com.tw
   Domain Status: clientTransferProhibited
   Record expires on 2027-05-31 23:59:59 (UTC+8)
   Record created on 2000-03-01 00:00:00 (UTC+8)
   Domain servers in listed order:
      ns1.example.net
Registration Service Provider: HINET
`,
    means: { until: "2027-05-31T15:59:59Z", statuses: ["clientTransferProhibited"] },
  },
  {
    what: "TRABIS",
    name: "example.com.tr",
    text: `** Domain Name: example.com.tr
Domain Status: Active

** Registrar:
NIC Handle\t\t: abc12
Organization Name\t: Example Ltd

** Additional Info:
Created on..............: 2001-Aug-23.
Expires on..............: 2027-Aug-22.
`,
    means: { until: "2027-08-22T00:00:00Z", statuses: ["Active"] },
  },
  {
    what: "Traficom",
    name: "example.fi",
    text: `
domain.............: example.fi
status.............: Registered
created............: 1.1.1991 00:00:00
expires............: 31.8.2027 00:00:00
available..........: 30.9.2027 00:00:00
registrar..........: Esimerkki Oy
`,
    means: { until: "2027-08-31T00:00:00Z", registrar: "Esimerkki Oy", statuses: ["Registered"] },
  },
  {
    what: "the Swedish Internet Foundation",
    name: "example.se",
    text: "# Copyright\nstate:            active\ndomain:           example.se\ncreated:          1990-01-01\nexpires:          2027-12-31\nregistrar:        Exempel AB\n",
    means: { until: "2027-12-31T00:00:00Z", registrar: "Exempel AB", statuses: ["active"] },
  },
  {
    what: "the Estonian Internet Foundation, which writes expire",
    name: "example.ee",
    text: "Domain:\nname:       example.ee\nstatus:     ok (paid and in zone)\nregistered: 2010-07-04 02:00:00 +03:00\nexpire:     2027-03-25\n\nRegistrar:\nname:       Zone Media OÜ\n",
    means: { until: "2027-03-25T00:00:00Z", statuses: ["ok (paid and in zone)"] },
  },
  {
    what: "NASK",
    name: "example.pl",
    text: `
DOMAIN NAME:           example.pl
registrant type:       organization
nameservers:           ns2.example.net.
                       ns1.example.pl. [192.0.2.1]
dnssec:                Signed
DS:                    370 13 2 BE74359954660069D5C63D200C39F5603827D7DD02B56F120EE9F3A86764247C
created:               1998.04.16 13:00:00
last modified:         2026.03.27 09:06:16
renewal date:          2027.04.15 14:00:00
`,
    means: {
      until: "2027-04-15T14:00:00Z",
      nameServers: ["ns1.example.pl", "ns2.example.net"],
      ds: ["370 13 2 be74359954660069d5c63d200c39f5603827d7dd02b56f120ee9f3a86764247c"],
    },
  },
  {
    what: "CZ.NIC",
    name: "example.cz",
    text: "%  (c) 2006-2026 CZ.NIC\n\ndomain:       example.cz\nregistrant:   EXAMPLE\nregistrar:    REG-EXAMPLE\nregistered:   07.10.1996 00:00:00\nexpire:       29.10.2027\n",
    means: { until: "2027-10-29T00:00:00Z", registrar: "REG-EXAMPLE" },
  },
  {
    what: "registro.br",
    name: "example.com.br",
    text: `
% Copyright (c) Nic.br
domain:      example.com.br
owner:       Exemplo Ltda
nserver:     a.example.net
created:     19960101 #19960101
changed:     20260511
expires:     20270115
status:      published
`,
    means: { until: "2027-01-15T00:00:00Z", statuses: ["published"] },
  },
  {
    what: "Hostmaster.ua, with an offset",
    name: "example.com.ua",
    text: "domain:           example.com.ua\nstatus:           ok\ncreated:          2002-12-04 00:00:00+02\nexpires:          2027-12-04 00:00:00+02\nregistrar:        ua.example\n",
    means: { until: "2027-12-03T22:00:00Z", registrar: "ua.example", statuses: ["ok"] },
  },
  {
    what: "RNIDS",
    name: "example.rs",
    text: "Domain name: example.rs\nDomain status: Active\nRegistration date: 10.03.2008 12:31:19\nExpiration date: 10.03.2027 12:31:21\nRegistrar: Primer d.o.o.\n",
    means: { until: "2027-03-10T12:31:21Z", registrar: "Primer d.o.o.", statuses: ["Active"] },
  },
  {
    what: "DNS.PT",
    name: "example.pt",
    text: "Domain: example.pt\nDomain Status: Registered\nCreation Date: 04/11/1996 00:00:00\nExpiration Date: 28/05/2027 23:59:00\n",
    means: { until: "2027-05-28T23:59:00Z", statuses: ["Registered"] },
  },
  {
    what: "ISOC-IL",
    name: "example.co.il",
    text: "query:        example.co.il\n\ndomain:       example.co.il\nvalidity:     08-05-2027\nstatus:       Transfer Locked\n",
    means: { until: "2027-05-08T00:00:00Z", statuses: ["Transfer Locked"] },
  },
  {
    what: "ISNIC",
    name: "example.is",
    text: "domain:       example.is\nregistrant:   EX1-IS\ncreated:      May 10 1999\nexpires:      May 10 2027\ndnssec:       unsigned\n",
    means: { until: "2027-05-10T00:00:00Z" },
  },
  {
    what: "THNIC",
    name: "example.co.th",
    text: "Domain Name:\tEXAMPLE.CO.TH\nRegistrar:\tT.H.NIC\nStatus:\tACTIVE\nCreated date:\t20 Oct 2001\nExp date:\t19 Oct 2027\n",
    means: { until: "2027-10-19T00:00:00Z", registrar: "T.H.NIC", statuses: ["ACTIVE"] },
  },
  {
    what: "IRNIC",
    name: "example.ir",
    text: "% This is the IRNIC Whois server\ndomain:\t\texample.ir\nholder-c:\tex1-irnic\nlast-updated:\t2026-01-06\nexpire-date:\t2027-12-22\n",
    means: { until: "2027-12-22T00:00:00Z" },
  },
  {
    what: "SK-NIC",
    name: "example.sk",
    text: "Domain:                       example.sk\nCreated:                      2003-07-24\nUpdated:                      2026-07-02\nValid Until:                  2027-07-24\n",
    means: { until: "2027-07-24T00:00:00Z" },
  },
  {
    what: "a year that means never",
    name: "example.gov",
    text: "Domain Name: EXAMPLE.GOV\nRegistrar: Agency\nRegistry Expiry Date: 9999-12-31T23:59:59Z\n",
    means: { registrar: "Agency" },
  },
  {
    what: "a name whose registrant is called Not Found",
    name: "example.at",
    text: "domain:         example.at\nregistrant:     Not Found GmbH\nregistrar:      Beispiel\nnserver:        ns.example.net\n",
    means: { registrar: "Beispiel" },
  },
];

const others: WhoisShape[] = [
  {
    what: "IANA, for an unknown top-level domain",
    name: "a.internal",
    text: "% IANA\n% This query returned 0 objects.\n",
    means: "no registry",
  },
  {
    what: "Verisign",
    name: "free.com",
    text: 'No match for domain "FREE.COM".\r\n>>> Last update <<<\r\n',
    means: "unregistered",
  },
  {
    what: "PIR",
    name: "free.org",
    text: "Domain not found.\n>>> Last update of WHOIS database <<<\n",
    means: "unregistered",
  },
  { what: "DENIC", name: "free.de", text: "Domain: free.de\nStatus: free\n", means: "unregistered" },
  {
    what: "DNS Belgium",
    name: "free.be",
    text: `${notice}Domain:\tfree.be\nStatus:\tAVAILABLE\n`,
    means: "unregistered",
  },
  {
    what: "TCI",
    name: "free.ru",
    text: "% TCI Whois Service.\nNo entries found for the selected source(s).\n",
    means: "unregistered",
  },
  { what: "AFNIC", name: "free.fr", text: "%% NOT FOUND\n", means: "unregistered" },
  { what: "nic.at", name: "free.at", text: "% Copyright\n% nothing found\n", means: "unregistered" },
  {
    what: "SWITCH",
    name: "free.ch",
    text: "We do not have an entry in our database matching your query.\n",
    means: "unregistered",
  },
  { what: "SIDN", name: "free.nl", text: "free.nl is free\n", means: "unregistered" },
  { what: "CNNIC", name: "free.cn", text: "No matching record.\n", means: "unregistered" },
  {
    what: "KISA",
    name: "free.kr",
    text: "The requested domain was not found in the Registry or Registrar’s WHOIS Server.\n",
    means: "unregistered",
  },
  { what: "JPRS", name: "free.jp", text: "[ JPRS database ]\nNo match!!\n", means: "unregistered" },
  {
    what: "Nominet, for too many queries",
    name: "example.uk",
    text: "Error for example.uk.\n\nthe WHOIS query quota for 192.0.2.1 has been exceeded\nand will be replenished in 50 seconds\n",
    means: "limited",
  },
  {
    what: "DENIC, for too many queries",
    name: "example.de",
    text: "% Error: 55000000002 Connection refused; access control limit exceeded.\n",
    means: "limited",
  },
  {
    what: "a registrar, for too many queries",
    name: "example.com",
    text: "Number of allowed queries exceeded.\n",
    means: "limited",
  },
  { what: "silence", name: "example.com", text: "", means: "broken" },
  { what: "blank lines", name: "example.com", text: "\r\n\r\n", means: "broken" },
  {
    what: "a page of HTML",
    name: "example.com",
    text: "<html><body><h1>It works!</h1></body></html>\n",
    means: "broken",
  },
  {
    what: "another name",
    name: "www.example.com",
    text: "Domain Name: OTHER.COM\nRegistrar: X\nRegistry Expiry Date: 2027-01-01T00:00:00Z\n",
    means: "broken",
  },
  {
    what: "IANA, of a top-level domain",
    name: "example.test",
    text: "% IANA WHOIS server\n\nrefer:        whois.nic.test\n\ndomain:       TEST\n\norganisation: Test Registry\ncreated:      2001-01-01\n",
    means: "broken",
    referral: "whois.nic.test",
  },
];

export const whoisShapes: WhoisShape[] = [...registered, ...others];
