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

/** Templates for domains without a service, mail policies and keys, certificates and verification. */
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
  {
    id: "019ab000-0000-7000-8000-00000000000c",
    revision: 1,
    serviceId: "dmarc-1-watch",
    serviceName: "DMARC, step 1: watch",
    description:
      "Receivers report on mail in the domain's name and treat it as before (RFC 7489). Go on once the reports show that all of your own senders pass SPF or DKIM, which usually takes two to four weeks.",
    variableDescription: "mailbox: the address for reports.",
    records: [policy("_dmarc", "v=DMARC1; p=none; rua=mailto:%mailbox%", "v=DMARC1")],
  },
  {
    id: "019ab000-0000-7000-8000-00000000000d",
    revision: 1,
    serviceId: "dmarc-2-quarantine",
    serviceName: "DMARC, step 2: quarantine",
    description:
      "Receivers put mail that fails DMARC into the spam folder. Go on once nobody misses mail and the reports name only strangers.",
    variableDescription: "mailbox: the address for reports.",
    records: [policy("_dmarc", "v=DMARC1; p=quarantine; rua=mailto:%mailbox%", "v=DMARC1")],
  },
  {
    id: "019ab000-0000-7000-8000-00000000000e",
    revision: 1,
    serviceId: "dmarc-3-reject",
    serviceName: "DMARC, step 3: reject",
    description: "Receivers refuse mail that fails DMARC. Keep reading the reports: new senders show up there first.",
    variableDescription: "mailbox: the address for reports.",
    records: [policy("_dmarc", "v=DMARC1; p=reject; rua=mailto:%mailbox%", "v=DMARC1")],
  },
  {
    id: "019ab000-0000-7000-8000-00000000000f",
    revision: 1,
    serviceId: "dkim-key",
    serviceName: "DKIM key",
    description: "A public key that mail is signed with (RFC 6376), for a service that gives you the key as a text.",
    variableDescription:
      "selector: what the service names before ._domainkey; record: the whole text, such as v=DKIM1; k=rsa; p=MIIB….",
    multiInstance: true,
    records: [
      { type: "TXT", host: "%selector%._domainkey", data: "%record%", ttl: hour, txtConflictMatchingMode: "All" },
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000010",
    revision: 1,
    serviceId: "dkim-cname",
    serviceName: "DKIM key at the mail service",
    description: "Points a DKIM selector at the mail service, which then renews its keys by itself (RFC 6376).",
    variableDescription:
      "selector: what the service names before ._domainkey; target: the name that the service gives you.",
    multiInstance: true,
    records: [cname("%selector%._domainkey", "%target%")],
  },
  {
    id: "019ab000-0000-7000-8000-000000000011",
    revision: 1,
    serviceId: "mta-sts",
    serviceName: "MTA-STS",
    description:
      "Has senders deliver mail only over TLS, to the mail servers that your policy names (RFC 8461). Publish the policy first, at https://mta-sts.<domain>/.well-known/mta-sts.txt, with mode: testing.",
    variableDescription:
      "policyHost: the web server that publishes the policy; id: letters and digits that change with each change of the policy, such as its date.",
    records: [cname("mta-sts", "%policyHost%"), policy("_mta-sts", "v=STSv1; id=%id%", "v=STSv1")],
  },
  {
    id: "019ab000-0000-7000-8000-000000000012",
    revision: 1,
    serviceId: "tls-reports",
    serviceName: "TLS reports",
    description:
      "Asks senders for reports about mail that they could not deliver over TLS (RFC 8460). Apply it with MTA-STS.",
    variableDescription: "mailbox: the address for reports.",
    records: [policy("_smtp._tls", "v=TLSRPTv1; rua=mailto:%mailbox%", "v=TLSRPTv1")],
  },
  {
    id: "019ab000-0000-7000-8000-000000000013",
    revision: 1,
    serviceId: "caa",
    serviceName: "Certificates from one authority",
    description:
      "CAA records (RFC 8659) that let an authority issue certificates. Apply it once for each authority: others are refused.",
    variableDescription:
      "authority: the name that the authority documents for CAA, such as pki.goog; mailbox: the address for reports of refused requests.",
    multiInstance: true,
    records: [
      { type: "CAA", host: "@", data: "0 issue %authority%", ttl: hour },
      { type: "CAA", host: "@", data: "0 issuewild %authority%", ttl: hour, groupId: "wildcards" },
      { type: "CAA", host: "@", data: "0 iodef mailto:%mailbox%", ttl: hour, groupId: "reports" },
    ],
  },
  {
    id: "019ab000-0000-7000-8000-000000000014",
    revision: 1,
    serviceId: "www",
    serviceName: "www like the domain",
    description:
      "Points www at the domain, which then has the same addresses. A redirect from one to the other is a matter of the web server.",
    records: [cname("www", "@")],
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
