/** How one part of a value is written: `number` and `word` bare, `name` a full name with its final dot, `text` what stands in quotes. */
type PartForm = "number" | "word" | "name" | "text" | "parameters";

/** One key of a value, in the order of RDATA. */
export interface Part {
  key: string;
  form: PartForm;
  /** Earlier names of the key that octoDNS still reads. */
  aliases?: readonly string[];
  /** The key that had this meaning when the type's keys had others. */
  former?: string;
  /** What a missing key stands for. */
  absent?: string;
  /** Follows the number in RDATA. */
  unit?: string;
}

const service: readonly Part[] = [
  { key: "svcpriority", form: "number" },
  { key: "targetname", form: "name" },
  { key: "svcparams", form: "parameters" },
];

const angle = (name: string): Part[] => [
  { key: `${name}_degrees`, form: "number" },
  { key: `${name}_minutes`, form: "number" },
  { key: `${name}_seconds`, form: "number" },
  { key: `${name}_direction`, form: "word" },
];

/** The types whose values octoDNS has as mappings. */
export const octodnsShapes: ReadonlyMap<string, readonly Part[]> = new Map<string, readonly Part[]>([
  [
    "CAA",
    [
      { key: "flags", form: "number", absent: "0" },
      { key: "tag", form: "word" },
      { key: "value", form: "text" },
    ],
  ],
  [
    "DS",
    [
      { key: "key_tag", form: "number", former: "flags" },
      { key: "algorithm", form: "number", former: "protocol" },
      { key: "digest_type", form: "number", former: "algorithm" },
      { key: "digest", form: "word", former: "public_key" },
    ],
  ],
  ["HTTPS", service],
  [
    "LOC",
    [
      ...angle("lat"),
      ...angle("long"),
      { key: "altitude", form: "number", unit: "m" },
      { key: "size", form: "number", unit: "m" },
      { key: "precision_horz", form: "number", unit: "m" },
      { key: "precision_vert", form: "number", unit: "m" },
    ],
  ],
  [
    "MX",
    [
      { key: "preference", form: "number", aliases: ["priority"] },
      { key: "exchange", form: "name", aliases: ["value"] },
    ],
  ],
  [
    "NAPTR",
    [
      { key: "order", form: "number" },
      { key: "preference", form: "number" },
      { key: "flags", form: "text" },
      { key: "service", form: "text" },
      { key: "regexp", form: "text" },
      { key: "replacement", form: "name" },
    ],
  ],
  [
    "SRV",
    [
      { key: "priority", form: "number" },
      { key: "weight", form: "number" },
      { key: "port", form: "number" },
      { key: "target", form: "name" },
    ],
  ],
  [
    "SSHFP",
    [
      { key: "algorithm", form: "number" },
      { key: "fingerprint_type", form: "number" },
      { key: "fingerprint", form: "word" },
    ],
  ],
  ["SVCB", service],
  [
    "TLSA",
    [
      { key: "certificate_usage", form: "number" },
      { key: "selector", form: "number" },
      { key: "matching_type", form: "number" },
      { key: "certificate_association_data", form: "word" },
    ],
  ],
  [
    "URI",
    [
      { key: "priority", form: "number" },
      { key: "weight", form: "number" },
      { key: "target", form: "text" },
    ],
  ],
]);

/** The types whose value is one name. */
export const hostTypes: ReadonlySet<string> = new Set(["ALIAS", "CNAME", "DNAME", "NS", "PTR"]);

/** The types whose value is text. */
export const textTypes: ReadonlySet<string> = new Set(["SPF", "TXT"]);

/** The types that octoDNS has. */
export const octodnsTypes: ReadonlySet<string> = new Set(
  ["A", "AAAA", "OPENPGPKEY"].concat([...octodnsShapes.keys()], [...hostTypes], [...textTypes]),
);
