/** A template of one CNAME. */
export function website(serviceId: string, more: object = {}) {
  return {
    providerId: "example.net",
    providerName: "Example",
    serviceId,
    serviceName: `Website ${serviceId}`,
    version: 1,
    records: [{ type: "CNAME", host: "www", pointsTo: "%target%", ttl: 3600 }],
    ...more,
  };
}

/** The same template with another TTL. */
export function changed(serviceId: string) {
  return website(serviceId, { records: [{ type: "CNAME", host: "www", pointsTo: "%target%", ttl: 300 }] });
}

/** A template with every field of Domain Connect and every quirk that published templates have. */
export const published = {
  providerId: "Example.NET",
  providerName: "Example",
  serviceId: "Every-Field",
  serviceName: "Every field",
  version: 3,
  logoUrl: "https://127.0.0.1:9/logo.svg",
  description: "One of each.\nFor tests.",
  variableDescription: "verify-token: a token",
  syncBlock: false,
  shared: true,
  sharedProviderName: true,
  sharedServiceName: true,
  syncPubKeyDomain: "keys.example.net",
  syncRedirectDomain: "example.net,www.example.net",
  multiInstance: true,
  warnPhishing: true,
  hostRequired: false,
  somethingNew: { nested: [1, null, "x"] },
  records: [
    { type: "A", host: "@", pointsTo: "192.0.2.1", ttl: 3600, essential: "Always", newField: true },
    { type: "AAAA", host: "@", pointsTo: "2001:db8::1", ttl: "3600" },
    { type: "CNAME", host: "www", pointsTo: "@", ttl: "%ttl%" },
    {
      type: "TXT",
      host: "_check.%fqdn%.",
      data: "check=%verify-token%",
      ttl: 300,
      txtConflictMatchingMode: "Prefix",
      txtConflictMatchingPrefix: "check=",
      essential: "onApply",
    },
    { groupId: "mail", type: "MX", host: "@", pointsTo: "mx.example.net.", priority: "%prio%", ttl: 1 },
    { groupId: "mail", type: "SPFM", host: "", spfRules: "include:spf.example.net", essential: "No" },
    {
      groupId: 7,
      type: "SRV",
      name: "@",
      service: "_sip",
      protocol: "_tls",
      priority: "0",
      weight: 5,
      port: "%port%",
      target: "@",
      ttl: 60,
    },
    { type: "NS", host: "sub", pointsTo: "ns.example.net", ttl: 3600 },
    { type: "CAA", host: "@", data: '0 issue "ca.example"', ttl: 3600 },
    { type: "REDIR301", host: "old", target: "https://www.%domain%/" },
    { type: "REDIR302", host: "old", target: "https://www.%domain%/" },
    { type: "NS1", pointsTo: "ns1.example.net" },
    { type: "TYPE65280", host: "@", data: "\\# 0" },
  ],
};
