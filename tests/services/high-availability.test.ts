import { expect, test } from "vitest";
import { highAvailability } from "../proof/high-availability.ts";

/** `npm run proof:ha` sets it. */
const minutes = Number(process.env["HA_MINUTES"]);

test(
  "two instances on Patroni lose nothing acknowledged while members, Redis or an instance are killed, suspended or moved",
  async () => {
    if (!(minutes > 0)) throw new Error("HA_MINUTES must be a positive number.");
    const { problems, report } = await highAvailability(minutes);
    process.stdout.write(`${report}\n`);
    expect(problems).toEqual([]);
  },
  (minutes + 30) * 60_000,
);
