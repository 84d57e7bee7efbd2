import type { TemplateRecord } from "../form/template.ts";
import { cname, hour, mx, policy, proof, spf, type BuiltInEntry } from "./entry.ts";

/** A DKIM record of Microsoft 365, which exists only once DKIM is turned on there. */
function dkim(selector: string): TemplateRecord {
  const target = `${selector}-%dkimDomain%._domainkey.%tenant%.onmicrosoft.com`;
  return { ...cname(`${selector}._domainkey`, target), groupId: "dkim" };
}

/** Mail at large providers, from their own setup pages. */
export const mailTemplates: readonly BuiltInEntry[] = [
  {
    id: "019ab000-0000-7000-8000-000000000001",
    revision: 1,
    serviceId: "google-workspace",
    serviceName: "Mail with Google Workspace",
    description:
      "Receives and sends mail with Google Workspace. Turn DKIM on in the Admin console and add its record there.",
    records: [mx("smtp.google.com", 1), spf("include:_spf.google.com")],
  },
  {
    id: "019ab000-0000-7000-8000-000000000002",
    revision: 1,
    serviceId: "microsoft-365",
    serviceName: "Mail with Microsoft 365",
    description: "Receives and sends mail with Exchange Online.",
    variableDescription:
      "mxHost: the MX target in the Microsoft 365 admin center, without .mail.protection.outlook.com; tenant: the part before .onmicrosoft.com; dkimDomain: the domain with dots as hyphens.",
    records: [
      mx("%mxHost%.mail.protection.outlook.com", 0),
      cname("autodiscover", "autodiscover.outlook.com"),
      spf("include:spf.protection.outlook.com"),
      dkim("selector1"),
      dkim("selector2"),
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000003",
    revision: 1,
    serviceId: "fastmail",
    serviceName: "Mail with Fastmail",
    description: "Receives and sends mail with Fastmail, signed with DKIM.",
    records: [
      mx("in1-smtp.messagingengine.com", 10),
      mx("in2-smtp.messagingengine.com", 20),
      spf("include:spf.messagingengine.com"),
      ...["fm1", "fm2", "fm3"].map((selector) =>
        cname(`${selector}._domainkey`, `${selector}.%fqdn%.dkim.fmhosted.com`),
      ),
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000004",
    revision: 1,
    serviceId: "proton-mail",
    serviceName: "Mail with Proton",
    description: "Receives and sends mail with Proton Mail, signed with DKIM.",
    variableDescription:
      "verification: the text that begins with protonmail-verification=; dkim1 to dkim3: the targets of the three DKIM records.",
    records: [
      proof("protonmail-verification=%verification%", "protonmail-verification="),
      mx("mail.protonmail.ch", 10),
      mx("mailsec.protonmail.ch", 20),
      spf("include:_spf.protonmail.ch"),
      cname("protonmail._domainkey", "%dkim1%"),
      cname("protonmail2._domainkey", "%dkim2%"),
      cname("protonmail3._domainkey", "%dkim3%"),
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000005",
    revision: 1,
    serviceId: "no-mail",
    serviceName: "Sends and receives no mail",
    description:
      "Null MX (RFC 7505), SPF that allows no sender, an empty DKIM key and DMARC that rejects: for a domain without mail.",
    records: [
      mx(".", 0),
      policy("@", "v=spf1 -all", "v=spf1"),
      {
        type: "TXT",
        host: "*._domainkey",
        data: "v=DKIM1; p=",
        ttl: hour,
        txtConflictMatchingMode: "All",
      },
      policy("_dmarc", "v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s", "v=DMARC1"),
    ],
  },
];
