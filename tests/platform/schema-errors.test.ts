import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { manualZone } from "../support/zones.ts";

const zw = useZonewright();

test("loading the server's modules does not change zod for other users", () => {
  const script = `
    const { z } = await import("zod");
    await import("./server/start.ts");
    console.log(typeof z.config().customError);`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(printed.trim()).toBe("undefined");
});

test("a body of any size is refused with the service's own messages, even in the worker", async () => {
  const zone = await manualZone(zw);
  for (const size of [10, 1_100_000]) {
    const { status, body } = await zone.post("/records/plan", { changes: "x".repeat(size) });
    expect(status).toBe(400);
    expect(body.issues).toContainEqual({ path: ["changes"], message: "This must be a list." });
  }
});
