import type { RecordStore } from "../applying/apply-to-records.ts";
import type { RecordChange } from "../provider.ts";

/**
 * A zone at a vendor where the smallest TTL depends on the edition that was bought for it, which is asked for only where it may matter.
 * @param edition the vendor's word for it. @param highestFloorSeconds that of the lowest edition. @param minTtl asks. @throws what it throws
 */
export async function storeWithFloor(
  zone: string,
  changes: readonly RecordChange[],
  { vendor, edition, highestFloorSeconds }: { vendor: string; edition: string; highestFloorSeconds: number },
  minTtl: () => Promise<number>,
): Promise<RecordStore> {
  const isLow = changes.some(({ after }) => after !== null && after.ttl < highestFloorSeconds);
  const floor = isLow ? await minTtl() : 0;
  return {
    place: `the zone at ${vendor}`,
    refusal: ({ ttl }) =>
      ttl < floor ? `${vendor} takes a TTL of at least ${floor} seconds in the ${edition} that ${zone} has.` : null,
  };
}
