import { rename } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { LinkedTemplate } from "../templates/linked.ts";
import { Clock, minute } from "../../support/clock.ts";
import { forwardZone, freshNet, pointers, reverseNet, set, type Net } from "../../support/reverse-zones.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, fileZone, type Body, type Zone } from "../../support/zones.ts";
import { jobOf, planned, revertOf, started } from "./replaced.ts";

const clock = new Clock();
/** Jobs run when a test says so. */
const zw = useZonewright({ env: { JOBS: "off" }, now: clock.now });

async function done(jobId: string): Promise<Body> {
  await zw.services.batches.run();
  return await jobOf(zw.admin, jobId);
}

/** What a plan warns of in one domain. */
const warningsOf = (domains: Body[], zone: Zone): string =>
  domains.find(({ domainId }) => domainId === zone.id)?.warnings.join();

const moving = (net: Pick<Net, "at">) => ({ recordType: "A", value: net.at(1), newValue: net.at(2) });

describe("PTR records and jobs over many domains", () => {
  test("where `reverse` is `follow`, PTR records move with a replacement and go back with its revert", async () => {
    const net = await reverseNet(zw);
    const zones = [await forwardZone(zw, "follow"), await forwardZone(zw, "off"), await fileZone(zw)];
    const [follows, , file] = zones as [Zone, Zone, Zone];
    await set(file, { reverse: "follow" });
    for (const zone of zones) await zone.add("A", "www", net.at(1));
    const before = await pointers(net.zone);
    expect(before).toEqual([`1 www.${follows.name}`]);

    const jobId = await started(zw.admin, moving(net));
    expect(await done(jobId)).toMatchObject({ state: "done", progress: { done: 3, failed: 0 } });
    const [moved] = await pointers(net.zone);
    expect([follows, file].map(({ name }) => `2 www.${name}`)).toContain(moved);
    expect(await pointers(net.zone)).toHaveLength(1);
    const caused = (await net.zone.history()).map(({ causedBy }) => causedBy);
    const causes = await Promise.all([follows, file].map(async (zone) => (await zone.history())[0]?.id));
    expect(causes).toEqual(expect.arrayContaining([caused[0]]));

    const { body } = await revertOf(zw.admin, jobId);
    expect(await done(body.jobId)).toMatchObject({ state: "done", progress: { done: 3, failed: 0 } });
    expect(await pointers(net.zone)).toEqual(before);
  });

  test("the revert of a job gives a PTR record back to the domain that had it, as it was", async () => {
    const net = await reverseNet(zw);
    const zones = [await forwardZone(zw, "off"), await forwardZone(zw, "off"), await forwardZone(zw, "off")];
    for (const zone of zones) await zone.add("A", "@", net.at(1));
    const value = zones[2]?.name;
    expect((await net.zone.create({ recordType: "PTR", name: "1", value, ttl: 300 })).status).toBe(201);
    for (const zone of zones) await set(zone, { reverse: "follow" });
    const jobId = await started(zw.admin, moving(net));
    await done(jobId);
    const { body } = await revertOf(zw.admin, jobId, { force: true });
    expect(await done(body.jobId)).toMatchObject({ state: "done", progress: { done: 3 } });
    expect(await net.zone.records()).toMatchObject([{ name: "1", value, ttl: 300 }]);
  });

  test("the plan says of each domain whether PTR records follow, and makes none for `offer`", async () => {
    const net = await reverseNet(zw);
    const [follow, offer, off] = [
      await forwardZone(zw, "follow"),
      await forwardZone(zw, "offer"),
      await forwardZone(zw, "off"),
    ];
    await offer.add("A", "www", net.at(1));
    await off.add("A", "www", net.at(1));
    const { domains } = await planned(zw.admin, moving(net));
    expect(warningsOf(domains, offer)).toContain("PTR records as they are");
    expect(warningsOf(domains, off)).not.toContain("PTR");
    await done(await started(zw.admin, moving(net)));
    expect(await pointers(net.zone)).toEqual([]);
    await follow.add("A", "www", net.at(2));
    const back = await planned(zw.admin, { recordType: "A", value: net.at(2), newValue: net.at(3) });
    expect(warningsOf(back.domains, follow)).toContain("PTR records follow");
  });

  test("a replacement of other records says nothing about PTR records", async () => {
    const zone = await forwardZone(zw, "follow");
    await zone.add("CNAME", "www", `one.${zone.name}`);
    const { domains } = await planned(zw.admin, {
      recordType: "CNAME",
      value: `one.${zone.name}`,
      newValue: `two.${zone.name}`,
    });
    expect(domains[0].warnings.join()).not.toContain("PTR");
  });

  test("a reverse zone that cannot be changed fails no domain of the job, and follows later", async () => {
    const { name, at } = freshNet();
    const reverse = await addZone(zw, { name });
    const zones = [await forwardZone(zw, "follow"), await forwardZone(zw, "follow")] as const;
    for (const zone of zones) await zone.add("A", "www", at(1));
    await rename(reverse.file, `${reverse.file}.away`);
    expect(await done(await started(zw.admin, moving({ at })))).toMatchObject({ progress: { done: 2, failed: 0 } });
    await rename(`${reverse.file}.away`, reverse.file);
    for (let retry = 0; retry < 2; retry++) await clock.ahead(2 * minute, () => zw.services.reverseFollowJob.runOnce());
    const [pointer, ...others] = await pointers(reverse);
    expect(zones.map((zone) => `2 www.${zone.name}`)).toContain(pointer);
    expect(others).toEqual([]);
  });

  test("PTR records follow a changed template in its linked domains", async () => {
    const net = await reverseNet(zw);
    const zone = await forwardZone(zw, "follow");
    const template = await LinkedTemplate.of(zw, "reverse");
    await template.link(zone);
    await template.change([{ type: "A", host: "app", pointsTo: net.at(7), ttl: 600 }]);
    const { domains } = await template.plan();
    expect(domains[0].warnings.join()).toContain("PTR records follow");
    await template.follow();
    expect(await pointers(net.zone)).toEqual([`7 app.${zone.name}`]);
  });

  test("the PTR changes that a template's plan offers are made if they are chosen", async () => {
    const net = await reverseNet(zw);
    const zone = await forwardZone(zw, "offer");
    const template = await LinkedTemplate.of(zw, "offer");
    await template.change([{ type: "A", host: "app", pointsTo: net.at(8), ttl: 600 }]);
    const body = { reverse: [net.at(8)] };
    const plan = (await zone.post(`/templates/${template.id}/plan`, body)).body;
    expect(plan.reverse).toMatchObject([{ address: net.at(8), included: true }]);
    const apply = (more: object) => zone.post(`/templates/${template.id}/apply`, { planHash: plan.planHash, ...more });
    expect(await apply({})).toMatchObject({ status: 409 });
    expect(await apply(body)).toMatchObject({ status: 200, body: { reverse: [{ error: null }] } });
    expect(await pointers(net.zone)).toEqual([`8 app.${zone.name}`]);
  });
});
