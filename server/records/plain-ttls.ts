import type { ProviderKind } from "../dns-providers/provider.ts";
import type { LiveRecord } from "../dns/record.ts";

/** Replaces automatic TTLs with the source provider's actual values if the target has no equivalent. */
export function withPlainTtls(
  { automaticTtl, automaticSeconds }: ProviderKind,
  target: ProviderKind,
  records: readonly LiveRecord[],
): readonly LiveRecord[] {
  if (automaticTtl === undefined || automaticSeconds === undefined || target.automaticTtl === automaticTtl)
    return records;
  return records.map((record) => withTtl(record, record.ttl === automaticTtl ? automaticSeconds : record.ttl));
}

function withTtl(record: LiveRecord, ttl: number): LiveRecord {
  return { ...record, ttl };
}
