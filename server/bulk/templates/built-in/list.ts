import type { Template, TemplateRecord } from "../form/template.ts";

/** A built-in template, without what all of them share. */
type BuiltInEntry = Omit<Template, "providerId" | "providerName" | "version"> & { id: string; revision: number };

const hour = 3_600;

function mx(pointsTo: string, priority: number): TemplateRecord {
  return { type: "MX", host: "@", pointsTo, priority, ttl: hour };
}

function cname(host: string, pointsTo: string): TemplateRecord {
  return { type: "CNAME", host, pointsTo, ttl: hour };
}

function spf(spfRules: string): TemplateRecord {
  return { type: "SPFM", host: "@", spfRules };
}

/** A verification text, which may go after the check. @param prefix replaces texts that begin with it; left out: none */
function proof(data: string, prefix?: string): TemplateRecord {
  return {
    type: "TXT",
    host: "@",
    data,
    ttl: hour,
    essential: "OnApply",
    ...(prefix === undefined ? {} : { txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: prefix }),
  };
}

/** A text that replaces those which begin alike, such as an SPF record. */
function policy(host: string, data: string, prefix: string): TemplateRecord {
  return { type: "TXT", host, data, ttl: hour, txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: prefix };
}

/** A DKIM record of Microsoft 365, which exists only once DKIM is turned on there. */
function dkim(selector: string): TemplateRecord {
  const target = `${selector}-%dkimDomain%._domainkey.%tenant%.onmicrosoft.com`;
  return { ...cname(`${selector}._domainkey`, target), groupId: "dkim" };
}

/** Mail at large providers, from their own setup pages. */
const mailTemplates: readonly BuiltInEntry[] = [
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
      "verification: the text that begins with protonmail-verification=; dkim1: the target of the first DKIM record; dkim2: that of the second; dkim3: that of the third.",
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

/** Templates for domains without a service, certificates and verification. */
const otherTemplates: readonly BuiltInEntry[] = [
  {
    id: "019ab000-0000-7000-8000-000000000006",
    revision: 1,
    serviceId: "parked",
    serviceName: "Parked",
    description: "Shows a parking page, and neither sends nor receives mail.",
    variableDescription: "ip: the IPv4 address of the parking page.",
    records: [
      { type: "A", host: "@", pointsTo: "%ip%", ttl: hour },
      { type: "CNAME", host: "www", pointsTo: "@", ttl: hour },
      mx(".", 0),
      policy("@", "v=spf1 -all", "v=spf1"),
      policy("_dmarc", "v=DMARC1; p=reject", "v=DMARC1"),
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000007",
    revision: 1,
    serviceId: "dmarc",
    serviceName: "DMARC reports",
    description: "Asks receivers for reports about mail in the domain's name (RFC 7489), before you enforce a policy.",
    variableDescription: "policy: none, quarantine or reject; mailbox: the address for reports.",
    records: [policy("_dmarc", "v=DMARC1; p=%policy%; rua=mailto:%mailbox%", "v=DMARC1")],
  },
  {
    id: "019ab000-0000-7000-8000-000000000008",
    revision: 1,
    serviceId: "letsencrypt-caa",
    serviceName: "Certificates from Let's Encrypt only",
    description:
      "CAA records (RFC 8659) that let only Let's Encrypt issue certificates. Add records for other authorities that you use.",
    variableDescription: "mailbox: the address for reports of refused requests.",
    records: [
      { type: "CAA", host: "@", data: "0 issue letsencrypt.org", ttl: hour },
      { type: "CAA", host: "@", data: "0 issuewild letsencrypt.org", ttl: hour },
      { type: "CAA", host: "@", data: "0 iodef mailto:%mailbox%", ttl: hour, groupId: "reports" },
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000009",
    revision: 1,
    serviceId: "acme-delegation",
    serviceName: "ACME challenges elsewhere",
    description:
      "Points _acme-challenge at another zone, so that a client there can answer DNS-01 challenges (RFC 8555).",
    variableDescription: "target: the name that receives the challenges.",
    records: [{ type: "CNAME", host: "_acme-challenge", pointsTo: "%target%", ttl: 300 }],
  },
  {
    id: "019ab000-0000-7000-8000-00000000000a",
    revision: 1,
    serviceId: "google-verification",
    serviceName: "Verification for Google",
    description: "Proves the domain to Google Search Console or Google Workspace.",
    variableDescription: "token: what follows google-site-verification=.",
    records: [proof("google-site-verification=%token%")],
  },
  {
    id: "019ab000-0000-7000-8000-00000000000b",
    revision: 1,
    serviceId: "txt-verification",
    serviceName: "Verification by TXT",
    description: "A TXT record that a service asks for as proof of control.",
    variableDescription: "text: the whole text. Apply it at the host that the service names.",
    multiInstance: true,
    records: [proof("%text%")],
  },
];

/** The provider id of every built-in template. Stored templates cannot have it. */
export const builtInProvider = "zonewright";

export interface BuiltIn {
  /** Never changes: applied templates refer to it. */
  id: string;
  /** Raised with every change of the records. */
  revision: number;
  template: Template;
}

/** The templates that come with the service, in the order in which lists show them. */
export const builtInTemplates: readonly BuiltIn[] = [...mailTemplates, ...otherTemplates].map(
  ({ id, revision, ...template }) => ({
    id,
    revision,
    template: { providerId: builtInProvider, providerName: "Zonewright", version: revision, ...template },
  }),
);

const byId = new Map(builtInTemplates.map((one) => [one.id, one]));

export function builtInTemplate(id: string): BuiltIn | undefined {
  return byId.get(id);
}
