import { expect, test } from "vitest";
import { highAvailability } from "../proof/high-availability.ts";

/** `npm run proof:ha` sets the minutes. */
const minutes = Number(process.env["HA_MINUTES"]);
const instances = Number(process.env["HA_INSTANCES"] ?? 2);

test(
  "instances on Patroni lose nothing acknowledged while members, Redis or an instance are killed, suspended or moved",
  async () => {
    if (!(minutes > 0)) throw new Error("HA_MINUTES must be a positive number.");
    if (!(Number.isInteger(instances) && instances >= 2)) throw new Error("HA_INSTANCES must be a number from 2 on.");
    const { problems, report } = await highAvailability(minutes, instances);
    process.stdout.write(`${report}\n`);
    expect(problems).toEqual([]);
  },
  (minutes + 30) * 60_000,
);
