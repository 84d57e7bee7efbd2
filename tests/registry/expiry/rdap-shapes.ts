import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";

/** A registry's RDAP answer, shortened, and what it means on its own. */
export interface RdapShape {
  what: string;
  name: string;
  /** @param url of this server. */
  answer: (path: string, url: string) => object | VendorReply;
  means:
    | "unregistered"
    | "unpublished"
    | "failed"
    | {
        expiresAt: string;
        registrarExpiresAt?: string;
        registrar?: string;
        statuses?: string[];
        nameServers?: string[];
        ds?: string[];
      };
  /** Part of the message if there is no date. */
  says?: string;
}

const registrarCard = (name: string, more: object = {}) => ({
  objectClassName: "entity",
  roles: ["registrar"],
  vcardArray: [
    "vcard",
    [
      ["version", {}, "text", "4.0"],
      ["fn", {}, "text", name],
    ],
  ],
  ...more,
});

function domain(ldhName: string, events: Record<string, string>, more: object = {}): object {
  return {
    objectClassName: "domain",
    ldhName,
    events: Object.entries(events).map(([eventAction, eventDate]) => ({ eventAction, eventDate })),
    ...more,
  };
}

const reply = (status: number, body: string, headers: Record<string, string> = {}): VendorReply => ({
  status,
  headers,
  body,
});

export const rdapShapes: RdapShape[] = [
  {
    what: "Verisign",
    name: "example.com",
    answer: () =>
      domain(
        "EXAMPLE.COM",
        {
          registration: "1995-08-14T04:00:00Z",
          expiration: "2027-08-13T04:00:00Z",
          "last changed": "2026-08-14T07:01:31Z",
        },
        {
          handle: "2336799_DOMAIN_COM-VRSN",
          status: ["client delete prohibited", "client transfer prohibited"],
          entities: [registrarCard("Example Registrar, Inc.", { handle: "376" })],
          secureDNS: { delegationSigned: false },
          nameservers: [
            { objectClassName: "nameserver", ldhName: "B.IANA-SERVERS.NET" },
            { objectClassName: "nameserver", ldhName: "A.IANA-SERVERS.NET." },
          ],
        },
      ),
    means: {
      nameServers: ["a.iana-servers.net", "b.iana-servers.net"],
      ds: [],
      expiresAt: "2027-08-13T04:00:00Z",
      registrar: "Example Registrar, Inc.",
      statuses: ["client delete prohibited", "client transfer prohibited"],
    },
  },
  {
    what: "Public Interest Registry, which lists the registrar's date first",
    name: "example.org",
    answer: () =>
      domain(
        "example.org",
        { "registrar expiration": "2027-09-01T00:00:00Z", expiration: "2027-08-30T04:00:00.000Z" },
        {
          entities: [registrarCard("Org Registrar")],
          secureDNS: {
            delegationSigned: true,
            dsData: [
              {
                keyTag: 370,
                algorithm: 13,
                digestType: 2,
                digest: "BE74359954660069D5C63D200C39F5603827D7DD02B56F120EE9F3A86764247C",
              },
              { keyTag: "none", algorithm: 13, digestType: 2, digest: "" },
            ],
          },
        },
      ),
    means: {
      expiresAt: "2027-08-30T04:00:00Z",
      registrarExpiresAt: "2027-09-01T00:00:00Z",
      registrar: "Org Registrar",
      ds: ["370 13 2 be74359954660069d5c63d200c39f5603827d7dd02b56f120ee9f3a86764247c"],
    },
  },
  {
    what: "a registry that auto-renewed before the registrar",
    name: "example.info",
    answer: () =>
      domain("example.info", { expiration: "2028-01-05T00:00:00Z", "registrar expiration": "2027-01-05T00:00:00Z" }),
    means: { expiresAt: "2027-01-05T00:00:00Z", registrarExpiresAt: "2027-01-05T00:00:00Z" },
  },
  {
    what: "Nominet",
    name: "example.co.uk",
    answer: () =>
      domain(
        "example.co.uk",
        { registration: "1996-11-26T00:00:00Z", expiration: "2027-11-26T00:00:00Z" },
        {
          status: ["active"],
          entities: [registrarCard("Example Ltd", { publicIds: [{ type: "Nominet Tag", identifier: "EXAMPLE" }] })],
        },
      ),
    means: { expiresAt: "2027-11-26T00:00:00Z", registrar: "Example Ltd", statuses: ["active"] },
  },
  {
    what: "registro.br, whose registrants need no registrar",
    name: "example.com.br",
    answer: () =>
      domain(
        "example.com.br",
        { registration: "1996-01-01T03:00:00Z", expiration: "2027-01-15T03:00:00Z" },
        {
          entities: [{ objectClassName: "entity", handle: "12345", roles: ["registrant"] }],
        },
      ),
    means: { expiresAt: "2027-01-15T03:00:00Z" },
  },
  {
    what: "AFNIC, in local time",
    name: "example.fr",
    answer: () =>
      domain("example.fr", { expiration: "2027-12-30T10:15:20+01:00" }, { entities: [registrarCard("GANDI")] }),
    means: { expiresAt: "2027-12-30T09:15:20Z", registrar: "GANDI" },
  },
  {
    what: "CZ.NIC, with a registrar that has only a handle",
    name: "example.cz",
    answer: () =>
      domain(
        "example.cz",
        { expiration: "2027-10-29T00:00:00+00:00" },
        {
          entities: [{ objectClassName: "entity", handle: "REG-EXAMPLE", roles: ["registrar"] }],
        },
      ),
    means: { expiresAt: "2027-10-29T00:00:00Z", registrar: "REG-EXAMPLE" },
  },
  {
    what: "TWNIC, without a zone",
    name: "example.com.tw",
    answer: () => domain("example.com.tw", { expiration: "2027-05-31 23:59:59" }),
    means: { expiresAt: "2027-05-31T23:59:59Z" },
  },
  {
    what: "a registry that writes actions in capitals",
    name: "example.sg",
    answer: () => domain("example.sg", { Expiration: "2027-07-04T00:00:00Z" }),
    means: { expiresAt: "2027-07-04T00:00:00Z" },
  },
  {
    what: "a redacted registrar",
    name: "example.xyz",
    answer: () =>
      domain(
        "example.xyz",
        { expiration: "2027-02-03T00:00:00Z" },
        {
          entities: [
            registrarCard("REDACTED FOR PRIVACY", { handle: "1234" }),
            { roles: ["registrant"], vcardArray: ["vcard", []] },
          ],
          redacted: [{ name: { description: "Registrant Name" }, method: "emptyValue" }],
        },
      ),
    means: { expiresAt: "2027-02-03T00:00:00Z", registrar: "1234" },
  },
  {
    what: "a registrar on a JSContact card",
    name: "example.ar",
    answer: () =>
      domain(
        "example.ar",
        { expiration: "2027-02-03T00:00:00Z" },
        {
          entities: [{ roles: ["registrar"], jscard: { "@type": "Card", name: { full: "NIC Argentina" } } }],
        },
      ),
    means: { expiresAt: "2027-02-03T00:00:00Z", registrar: "NIC Argentina" },
  },
  {
    what: "a role that is not a list, and an organization in parts",
    name: "example.top",
    answer: () =>
      domain(
        "example.top",
        { expiration: "2027-02-03T00:00:00Z" },
        {
          entities: [{ roles: "registrar", vcardArray: ["vcard", [["org", {}, "text", ["Top Registrar", "Sales"]]]] }],
        },
      ),
    means: { expiresAt: "2027-02-03T00:00:00Z", registrar: "Top Registrar" },
  },
  {
    what: "two dates of the registry",
    name: "example.app",
    answer: () => ({
      ...domain("example.app", {}),
      events: [
        { eventAction: "expiration", eventDate: "2028-02-03T00:00:00Z" },
        { eventAction: "expiration", eventDate: "2027-02-03T00:00:00Z" },
        { eventAction: "soft expiration", eventDate: "2026-12-01T00:00:00Z" },
      ],
    }),
    means: { expiresAt: "2027-02-03T00:00:00Z" },
  },
  {
    what: "a name in Unicode only",
    name: "xn--bcher-kva.no",
    answer: () => ({
      ...domain("", { expiration: "2027-02-03T00:00:00Z" }),
      ldhName: undefined,
      unicodeName: "bücher.no",
    }),
    means: { expiresAt: "2027-02-03T00:00:00Z" },
  },
  {
    what: "a name with a trailing dot",
    name: "example.ca",
    answer: () => domain("example.ca.", { expiration: "2027-02-03T00:00:00Z" }),
    means: { expiresAt: "2027-02-03T00:00:00Z" },
  },
  {
    what: "DENIC, which publishes no date",
    name: "example.de",
    answer: () => domain("example.de", { "last changed": "2020-03-09T12:00:00+01:00" }, { status: ["active"] }),
    means: "unpublished",
    says: "publishes no expiry date",
  },
  {
    what: "auDA, which redacts the date",
    name: "example.com.au",
    answer: () => ({
      ...domain("example.com.au", {}),
      redacted: [{ name: { type: "Registry Domain Expiration Date" } }],
    }),
    means: "unpublished",
  },
  {
    what: "a year that means never",
    name: "example.gov",
    answer: () => domain("example.gov", { expiration: "9999-12-31T23:59:59Z" }),
    means: "unpublished",
  },
  {
    what: "an invalid date",
    name: "example.mobi",
    answer: () => domain("example.mobi", { expiration: "unknown" }),
    means: "unpublished",
  },
  {
    what: "no events at all, and fields of wrong kinds",
    name: "example.pro",
    answer: () => ({ objectClassName: "domain", ldhName: 7, events: null, entities: {}, status: { a: 1 }, links: "x" }),
    means: "unpublished",
  },
  {
    what: "an unregistered name",
    name: "free.com",
    answer: () => reply(404, JSON.stringify({ errorCode: 404, title: "Not Found" })),
    means: "unregistered",
    says: "not registered",
  },
  {
    what: "an unregistered name, reported as a page",
    name: "free.org",
    answer: () => reply(404, "<html>Not found</html>"),
    means: "unregistered",
  },
  {
    what: "an unregistered name, reported as a success",
    name: "free.net",
    answer: () => ({ errorCode: 404, title: "Object not found" }),
    means: "unregistered",
  },
  {
    what: "a page instead of an answer",
    name: "example.online",
    answer: () => reply(200, "<html>Welcome</html>"),
    means: "failed",
    says: "not RDAP",
  },
  {
    what: "half an answer",
    name: "example.site",
    answer: () => reply(200, '{"objectClassName":"domain","ldhName":"exam'),
    means: "failed",
  },
  {
    what: "an answer for another name",
    name: "example.store",
    answer: () => domain("other.store", { expiration: "2027-02-03T00:00:00Z" }),
    means: "failed",
    says: "another name",
  },
  {
    what: "an answer that is not a domain",
    name: "example.tech",
    answer: () => ({ objectClassName: "entity", handle: "X" }),
    means: "failed",
  },
  {
    what: "a broken server",
    name: "example.biz",
    answer: () => reply(500, "oops"),
    means: "failed",
    says: "status 500",
  },
  {
    what: "a server that denies access",
    name: "example.nl",
    answer: () => reply(403, "forbidden"),
    means: "failed",
  },
  {
    what: "an endless answer",
    name: "example.page",
    answer: () => reply(200, "x".repeat(600_000)),
    means: "failed",
    says: "more than",
  },
  {
    what: "a redirect to the same server",
    name: "example.us",
    answer: (path) =>
      path.startsWith("new/")
        ? domain("example.us", { expiration: "2027-02-03T00:00:00Z" })
        : reply(302, "", { location: `/new/${path}` }),
    means: { expiresAt: "2027-02-03T00:00:00Z" },
  },
  {
    what: "circular redirects",
    name: "example.me",
    answer: (path, url) => reply(301, "", { location: `${url}/${path}` }),
    means: "failed",
    says: "redirects more than 3 times",
  },
  {
    what: "a redirect into the internal network",
    name: "example.io",
    answer: () => reply(307, "", { location: "https://10.0.0.1/domain/example.io" }),
    means: "failed",
    says: "is not allowed",
  },
  {
    what: "a redirect to the machine's credentials",
    name: "example.sh",
    answer: () => reply(302, "", { location: "http://169.254.169.254/latest/meta-data/" }),
    means: "failed",
    says: "is not allowed",
  },
  {
    what: "a redirect without a valid address",
    name: "example.ac",
    answer: () => reply(302, "", { location: "javascript:alert(1)" }),
    means: "failed",
  },
];
