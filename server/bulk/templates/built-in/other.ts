import { hour, mx, policy, proof, type BuiltInEntry } from "./entry.ts";

/** Templates for domains without a service, certificates and verification. */
export const otherTemplates: readonly BuiltInEntry[] = [
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
