import { expect, vi } from "vitest";
import { patience } from "../support/patience.ts";
import type { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";
import type { Body } from "../support/zones.ts";

/**
 * Waits until each secondary of a zone has answered the notifier with the newest serial, so that nothing looks for it any more. The report of
 * the zone would ask the secondaries itself, maybe before the notifier has: it would then meet what the test does next.
 */
export async function untilFollowed(
  zw: Zonewright,
  admin: RestClient,
  domainId: string,
  secondaries = 1,
): Promise<void> {
  await vi.waitFor(async () => {
    await zw.services.dnsService.secondaries.written();
    const { body } = await admin.get("/api/secondaries?limit=100");
    const own = body.secondaries.filter((one: Body) => one.domainId === domainId && one.notified);
    expect(own).toEqual(
      Array.from({ length: secondaries }, () => expect.objectContaining({ inSync: true, error: null })),
    );
  }, patience);
}
