import type { Group, TargetName } from "./group.ts";

/** Groups that a provider's limits refuse entirely, and single refused steps of others, counted from 1. */
interface Refused {
  whole: readonly string[];
  steps?: Readonly<Record<string, readonly number[]>>;
}

/** Only for providers that store any type. */
const rareTypes = ["DNAME", "RP", "HINFO", "AFSDB", "DHCID", "LOC", "EUI48", "CSYNC", "a type without a name"];
/** Types that not every provider stores. */
const furtherTypes = [
  "several HTTPS, then one changed",
  "several TLSA and SSHFP, one replaced",
  "PTR",
  "TLSA",
  "SSHFP",
  "NAPTR",
  "HTTPS",
  "SVCB",
  "OPENPGPKEY",
  "SMIMEA",
  "URI",
];
/** For providers that store common types only, and those of some further groups. */
const commonTypes = (...also: readonly string[]): Refused => ({
  whole: [...rareTypes, ...furtherTypes].filter((name) => !also.includes(name)),
  steps: { "DS at a delegation": [1] },
});
const nullMx = { "a null MX": [1, 3], "MX at the apex": [2] };
const noTtl = { "a TTL of 0": [1] };
const slashes = [
  "a text with backslashes",
  "a text with a backslash at the end",
  "a text with a backslash before a quote",
  "a text with what looks like an escape",
  "a text with quotes and backslashes at the border of two strings",
];
const quotes = ["a text with quotes around it", "a text with quotes within", "a text with one quote"];
const trailingBlanks: Refused = {
  whole: ["texts that differ in case or blanks only"],
  steps: { "a text with blanks behind it": [1], "a text with blanks only": [1] },
};
const apexServers = ["a second NS at the apex", "another NS at the apex", "an NS within the zone that has no address"];
const texts = (...octets: readonly number[]) => octets.map((size) => `a text of ${size} octets`);
const emptyText: Refused = { whole: texts(0), steps: { "a text in place of another": [3] } };
const strings: Refused = {
  whole: [
    "strings in texts of the same value",
    "strings of all sizes",
    "strings with quotes, backslashes and semicolons",
    "strings that cut a character in two",
    "strings of octets that are no text",
  ],
  steps: { "strings that are cut anew, joined and cut again": [1, 2, 4] },
};
/** Letters that are neither ASCII nor Chinese. */
const international = ["an international owner", "an international target"];
const longText = "a text of 2,048 characters of three octets";

/** The steps that providers refuse for their limits, so no other is skipped unnoticed. */
const limits: Partial<Record<TargetName, readonly Refused[]>> = {
  Cloudflare: [{ whole: [...rareTypes, longText, "the largest TTL"], steps: noTtl }],
  "Route 53": [{ whole: [...rareTypes, ...apexServers, longText, "OPENPGPKEY", "SMIMEA", "URI"] }],
  "Google Cloud DNS": [{ whole: [...rareTypes, "OPENPGPKEY", "SMIMEA", "URI"] }],
  "Azure DNS": [
    { whole: commonTypes("PTR", "NAPTR", "TLSA").whole },
    emptyText,
    {
      whole: [
        "digits as a label",
        "a text with a pictogram across the border of two strings",
        "strings in texts of the same value",
        "strings of all sizes",
        "strings that cut a character in two",
        "strings of octets that are no text",
        "a CAA of an unknown property",
      ],
      steps: { ...nullMx, ...noTtl },
    },
  ],
  DigitalOcean: [
    commonTypes(),
    emptyText,
    strings,
    {
      whole: [
        ...texts(509, 510, 511, 764, 765, 766, 2048),
        ...slashes,
        longText,
        "a text with a pictogram across the border of two strings",
        "CAA",
        "a CAA with blanks and parameters",
        "a CAA of an unknown property",
        "a TTL of 0",
      ],
      steps: nullMx,
    },
  ],
  deSEC: [
    {
      whole: ["CSYNC", "a type without a name", "digits as a label", "a name of 253 characters", "the largest TTL"],
      steps: noTtl,
    },
  ],
  Gandi: [
    {
      whole: [
        ...rareTypes.filter((type) => !["DNAME", "RP", "LOC"].includes(type)),
        ...apexServers,
        "several HTTPS, then one changed",
        "HTTPS",
        "SVCB",
        "SMIMEA",
        "URI",
        "a TTL of a minute",
        "a TTL of 0",
        "the largest TTL",
      ],
    },
  ],
  Scaleway: [
    emptyText,
    strings,
    {
      whole: [
        ...rareTypes.filter((type) => !["DNAME", "RP", "HINFO", "LOC"].includes(type)),
        ...apexServers,
        "OPENPGPKEY",
        "SMIMEA",
        "a text with quotes around it",
        "a text with one quote",
        "a text with blanks before it",
        "a text with blanks only",
        "texts that differ in case or blanks only",
        "an SRV without a service",
        "a TTL of 0",
      ],
      steps: {
        ...nullMx,
        "a text with quotes within": [1],
        "a text with a backslash before a quote": [1],
        "a text with blanks behind it": [1],
        "a text with quotes and backslashes at the border of two strings": [1],
      },
    },
  ],
  NS1: [
    emptyText,
    strings,
    {
      whole: [
        ...rareTypes.filter((type) => type !== "DNAME"),
        ...furtherTypes.filter((type) => !["PTR", "TLSA"].includes(type)),
      ],
      steps: noTtl,
    },
  ],
  Hetzner: [
    {
      whole: [
        ...rareTypes.filter((type) => !["RP", "HINFO"].includes(type)),
        "several TLSA and SSHFP, one replaced",
        "SSHFP",
        "NAPTR",
        "OPENPGPKEY",
        "SMIMEA",
        "URI",
        "a TTL of 0",
      ],
    },
  ],
  "Alibaba Cloud DNS": [
    commonTypes(),
    emptyText,
    strings,
    trailingBlanks,
    {
      whole: [
        ...texts(764, 765, 766, 2048),
        ...quotes,
        ...slashes,
        ...international,
        longText,
        "a text with a tab",
        "a text with umlauts",
        "a text with a pictogram across the border of two strings",
        "a text with a byte order mark",
        "a wildcard below a name",
        "digits as a label",
        "an SRV without a service",
        "the largest TTL",
      ],
      steps: { ...nullMx, ...noTtl, "a change of an MX's priority": [2] },
    },
  ],
  DNSPod: [
    commonTypes(),
    emptyText,
    strings,
    trailingBlanks,
    {
      whole: [
        ...texts(256, 509, 510, 511, 764, 765, 766, 2048),
        ...quotes,
        ...slashes,
        ...international,
        longText,
        "a text with a pictogram across the border of two strings",
        "a text with backticks and single quotes",
        "digits as a label",
        "an SRV without a service",
        "the largest TTL",
      ],
      steps: { ...nullMx, ...noTtl, "a change of an MX's priority": [2] },
    },
  ],
  "Huawei Cloud DNS": [
    commonTypes(),
    {
      whole: [
        ...quotes,
        ...slashes,
        longText,
        "digits as a label",
        "a text with a tab",
        "a text with umlauts",
        "a text with a pictogram across the border of two strings",
        "a text with a byte order mark",
        "strings with quotes, backslashes and semicolons",
        "strings that cut a character in two",
        "strings of octets that are no text",
      ],
      steps: { ...nullMx, ...noTtl },
    },
  ],
  Linode: [
    commonTypes("PTR"),
    emptyText,
    strings,
    {
      whole: [
        "digits as a label",
        "a name of 253 characters",
        "an SRV without a service",
        "CAA",
        "a CAA with blanks and parameters",
        "a CAA of an unknown property",
        "a TTL of a minute",
        "a TTL of 0",
        "the largest TTL",
      ],
      steps: { "a null MX": [1, 3] },
    },
  ],
  Vultr: [
    commonTypes("SSHFP"),
    emptyText,
    strings,
    {
      whole: [
        ...quotes,
        ...slashes,
        "digits as a label",
        "a CAA with blanks and parameters",
        "a CAA of an unknown property",
      ],
      steps: { ...nullMx, ...noTtl },
    },
  ],
  Porkbun: [
    commonTypes(
      "several HTTPS, then one changed",
      "several TLSA and SSHFP, one replaced",
      "TLSA",
      "SSHFP",
      "HTTPS",
      "SVCB",
    ),
    emptyText,
    strings,
    trailingBlanks,
    {
      whole: [
        ...apexServers,
        "digits as a label",
        "a text with blanks before it",
        "a text with blanks only",
        "a text with a byte order mark",
        "a CAA with blanks and parameters",
        "a CAA of an unknown property",
        "a TTL of a minute",
        "a TTL of 0",
      ],
    },
  ],
  DNSimple: [
    commonTypes(
      "several HTTPS, then one changed",
      "several TLSA and SSHFP, one replaced",
      "PTR",
      "TLSA",
      "SSHFP",
      "NAPTR",
      "HTTPS",
      "SVCB",
    ),
    emptyText,
    strings,
    trailingBlanks,
    {
      whole: [
        ...texts(2048),
        ...apexServers,
        longText,
        "digits as a label",
        "a text with one quote",
        "a text with a backslash before a quote",
        "a text with quotes and backslashes at the border of two strings",
        "an SRV without a service",
      ],
    },
  ],
  INWX: [
    commonTypes(
      "several HTTPS, then one changed",
      "several TLSA and SSHFP, one replaced",
      "PTR",
      "TLSA",
      "SSHFP",
      "NAPTR",
      "HTTPS",
      "SVCB",
    ),
    emptyText,
    strings,
    trailingBlanks,
    {
      whole: [
        ...quotes,
        ...slashes,
        "digits as a label",
        "a text with backticks and single quotes",
        "a TTL of a minute",
        "a TTL of 0",
      ],
    },
  ],
  OVHcloud: [
    emptyText,
    strings,
    {
      whole: [
        ...rareTypes.filter((type) => !["DNAME", "LOC"].includes(type)),
        "digits as a label",
        "OPENPGPKEY",
        "SMIMEA",
        "URI",
        "a TTL of 0",
      ],
      steps: { "DS at a delegation": [1] },
    },
  ],
  "bunny.net": [
    commonTypes("several HTTPS, then one changed", "PTR", "TLSA", "HTTPS", "SVCB"),
    emptyText,
    strings,
    { whole: [...apexServers, "digits as a label", "a TTL of 0"] },
  ],
  "Harbour DNS": [commonTypes(), { whole: ["digits as a label", "a TTL of 0"] }],
  "Webhook adapter": [commonTypes("PTR"), { whole: ["a TTL of 0", "the largest TTL"] }],
};

/** The steps of a group that a provider refuses for its limits, counted from 1. */
export function refusedSteps(target: TargetName, { name, steps }: Group): number[] {
  const refused = limits[target] ?? [];
  if (refused.some(({ whole }) => whole.includes(name))) return steps.map((_step, index) => index + 1);
  return refused.flatMap((one) => one.steps?.[name] ?? []);
}

/** The groups that are named above. */
export function limitedGroups(): Set<string> {
  const all = Object.values(limits).flat();
  return new Set(all.flatMap(({ whole, steps = {} }) => whole.concat(Object.keys(steps))));
}
