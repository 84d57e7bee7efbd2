import { randomBytes } from "node:crypto";
import { ApiError, formed, type Given, type StoredRecord } from "./record-forms.ts";

export interface StoredZone {
  id: string;
  name: string;
  status: "active" | "pending";
  type: "full" | "partial" | "secondary";
  account: { id: string; name: string };
  plan: { id: string; name: string; legacy_id: string };
  records: Map<string, StoredRecord>;
  /** The public key, in base64, of a zone that is signed. */
  signingKey?: string | null;
}

export function freshId(): string {
  return randomBytes(16).toString("hex");
}

/** Maximum number of records in one batch, by plan. */
const largestBatch: Readonly<Record<string, number>> = { free: 200, pro: 3_500, business: 3_500, enterprise: 3_500 };
/** In seconds, where a plan has one of its own. */
const smallestTtl: Readonly<Record<string, number>> = { enterprise: 30 };
const batchFields = ["deletes", "patches", "puts", "posts"];
/** Of the content of all records with one name and type. */
const longestRrset = 8_192;

/** Carries out a batch in one transaction: deletes, patches, puts, posts. @throws ApiError; nothing is changed then */
export function carryOut(zone: StoredZone, batch: Given): Record<string, StoredRecord[]> {
  // developers.cloudflare.com/dns/zone-setups/zone-transfers/cloudflare-as-secondary: records come by transfer only.
  if (zone.type === "secondary") throw new ApiError(400, 1043, "DNS records of a secondary zone are read only.");
  const unknown = Object.keys(batch).find((field) => !batchFields.includes(field));
  if (unknown !== undefined) throw new ApiError(400, 9207, `Unknown field ${unknown} in batch.`);
  const lists = Object.fromEntries(
    batchFields.map((field) => {
      const list = batch[field] ?? [];
      if (!Array.isArray(list)) throw new ApiError(400, 9207, `${field} must be an array.`);
      return [field, list as Given[]];
    }),
  );
  const count = Object.values(lists).reduce((sum, list) => sum + list.length, 0);
  const largest = largestBatch[zone.plan.legacy_id] ?? 0;
  if (count > largest) throw new ApiError(400, 9301, `A batch may hold at most ${largest} operations, not ${count}.`);
  const working = new Transaction(zone);
  const done = {
    deletes: (lists["deletes"] ?? []).map((one) => working.remove(one)),
    patches: (lists["patches"] ?? []).map((one) => working.patch(one)),
    puts: (lists["puts"] ?? []).map((one) => working.put(one)),
    posts: (lists["posts"] ?? []).map((one) => working.post(one)),
  };
  zone.records = working.records;
  return done;
}

class Transaction {
  readonly records: Map<string, StoredRecord>;
  readonly #zone: StoredZone;
  readonly #byName = new Map<string, Set<StoredRecord>>();

  constructor(zone: StoredZone) {
    this.#zone = zone;
    this.records = new Map(zone.records);
    for (const record of this.records.values()) this.#at(record.name).add(record);
  }

  remove({ id, ...others }: Given): StoredRecord {
    if (Object.keys(others).length > 0) throw new ApiError(400, 9207, "A delete names its id only.");
    const record = this.#own(id);
    this.#drop(record);
    return record;
  }

  patch({ id, ...change }: Given): StoredRecord {
    const present = this.#own(id);
    for (const field of ["name", "type", "ttl"]) {
      if (!(field in change)) throw new ApiError(400, 9100, `${field} is required in a patch.`);
    }
    return this.#store({ ...givenOf(present), ...change }, present);
  }

  put({ id, ...record }: Given): StoredRecord {
    return this.#store(record, this.#own(id));
  }

  post(record: Given): StoredRecord {
    return this.#store(record);
  }

  #own(id: unknown): StoredRecord {
    const record = typeof id === "string" ? this.records.get(id) : undefined;
    if (!record) throw new ApiError(404, 81_044, "Record does not exist.");
    if (record.meta.read_only) {
      throw new ApiError(
        400,
        1043,
        `The record ${record.name} is managed by another Cloudflare service and read only.`,
      );
    }
    return record;
  }

  #store(given: Given, present?: StoredRecord): StoredRecord {
    const at = new Date().toISOString();
    const record: StoredRecord = {
      id: present?.id ?? freshId(),
      ...formed(this.#zone.name, given, smallestTtl[this.#zone.plan.legacy_id] ?? 60),
      meta: present?.meta ?? {},
      created_on: present?.created_on ?? at,
      modified_on: at,
    };
    if (present) this.#drop(present);
    refuseConflict(this.#zone.name, record, [...this.#at(record.name)]);
    this.records.set(record.id, record);
    this.#at(record.name).add(record);
    return record;
  }

  #drop(record: StoredRecord): void {
    this.records.delete(record.id);
    this.#at(record.name).delete(record);
  }

  #at(name: string): Set<StoredRecord> {
    const records = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, records);
    return records;
  }
}

/** The fields that a caller might have given for it. */
function givenOf({
  name,
  type,
  ttl,
  content,
  proxied,
  proxiable,
  priority,
  data,
  comment,
  tags,
  settings,
}: StoredRecord): Given {
  return {
    name,
    type,
    ttl,
    ...(data ? { data } : { content }),
    ...(proxiable ? { proxied } : {}),
    ...(type === "MX" || type === "URI" ? { priority } : {}),
    comment,
    tags,
    settings,
  };
}

const addressed = new Set(["A", "AAAA", "CNAME"]);
const delegating = new Set(["NS", "DS"]);

function refuseConflict(zone: string, record: StoredRecord, others: readonly StoredRecord[]): void {
  const { type, name, content, priority } = record;
  if (others.some((other) => other.type === type && other.content === content && other.priority === priority)) {
    throw new ApiError(400, 81_058, "An identical record already exists.");
  }
  if (type === "CNAME" && others.some((other) => addressed.has(other.type))) {
    throw new ApiError(400, 81_053, "An A, AAAA, or CNAME record with that host already exists.");
  }
  if (addressed.has(type) && others.some((other) => other.type === "CNAME")) {
    throw new ApiError(400, 81_054, "A CNAME record with that host already exists.");
  }
  const mixed = others.some((other) => delegating.has(other.type) !== delegating.has(type));
  if (name !== zone && mixed && [type, ...others.map((other) => other.type)].includes("NS")) {
    throw new ApiError(400, 81_056, "NS records with that host already exist.");
  }
  const length = others.reduce((sum, other) => sum + (other.type === type ? other.content.length : 0), content.length);
  if (length > longestRrset) {
    throw new ApiError(400, 9_009, `The content of the ${type} records of ${name} exceeds 8192 characters together.`);
  }
}
