import { expect, test } from "vitest";
import { soak } from "../proof/soak.ts";

/** `npm run proof:soak` sets it. */
const minutes = Number(process.env["SOAK_MINUTES"] ?? 0);

test(
  "two instances lose nothing acknowledged in crashes, restarts, refusals and full disks, in mid-load",
  async () => {
    const { problems, report } = await soak(minutes);
    if (minutes > 0) process.stdout.write(`${report}\n`);
    expect(problems).toEqual([]);
  },
  (minutes + 10) * 60_000,
);
