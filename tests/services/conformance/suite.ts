import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordData } from "../../../server/dns/record.ts";
import { groups, startFromBase, takeGroup } from "./driver.ts";
import type { Target } from "./group.ts";
import { refusedSteps } from "./limits.ts";
import type { Targets } from "./targets.ts";

/** Runs the suite against each of some targets. */
export function testConformance(some: Targets): void {
  describe.each(some)("conformance of %s", (name, start) => {
    let target: Target;
    let base: readonly RecordData[];
    /** Groups with every step within the provider's limits. */
    let whole = 0;
    beforeAll(async () => {
      target = await start();
      base = await startFromBase(target);
    });
    afterAll(() => target.stop());

    test.each(groups)("the provider conforms: $name", async (group) => {
      const refused = await takeGroup(target, name, group, base);
      expect(refused).toEqual(refusedSteps(name, group));
      if (refused.length === 0) whole++;
    });

    test("at least sixty conformance groups are within the provider's limits", () => {
      expect(whole).toBeGreaterThanOrEqual(60);
    });
  });
}
