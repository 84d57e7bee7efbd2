import type { ProviderKind } from "../../dns-providers/provider.ts";
import type { LiveRecord } from "../../dns/record.ts";

/** Replaces automatic TTLs with the source provider's actual values if the target has no equivalent. */
export function withPlainTtls(
  source: ProviderKind,
  target: ProviderKind,
  records: readonly LiveRecord[],
): readonly LiveRecord[] {
  const { automaticTtl, automaticSeconds } = source;
  if (automaticTtl === undefined || automaticSeconds === undefined || target.automaticTtl === automaticTtl)
    return records;
  return records.map((record) => withPlainTtl(source, target, record));
}

/** {@link withPlainTtls} for one record. */
export function withPlainTtl<Some extends { ttl: number }>(
  { automaticTtl, automaticSeconds }: ProviderKind,
  target: ProviderKind,
  record: Some,
): Some {
  if (automaticSeconds === undefined || record.ttl !== automaticTtl || target.automaticTtl === automaticTtl)
    return record;
  return { ...record, ttl: automaticSeconds };
}
