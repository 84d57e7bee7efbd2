import { describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, day, hour } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { newAuthority } from "../../support/servers/certificates.ts";
import type { Zonewright } from "../../support/zonewright.ts";
import type { Body, Zone } from "../../support/zones.ts";
import { NoticeLog } from "../expiry/notice-log.ts";
import { useWatchedHosts, type Hosts } from "./hosts.ts";

const clock = new Clock();
const log = new NoticeLog();
const going = new AbortController().signal;
let hosts: Hosts;
let zw: Zonewright;
let admin: RestClient;
let zone: Zone;
useWatchedHosts({ clock, permissions: ["registrations:read", "registrations:write"], logTo: log }, (world) => {
  ({ hosts, zw, admin, zone } = world);
});

const check = () => zw.services.certificateCheck.work({}, going);
const at = (host: string, port = 443) => `${host}.${zone.name}:${port}`;
const signed = (...names: string[]) => hosts.authority.sign("certified", { names, days: 5_000 });

async function choose(...listed: string[]): Promise<void> {
  const wish = { mode: "listed", hosts: listed.map((host) => ({ host })) };
  const { status, body } = await admin.put(`${zone.path}/tls-hosts`, wish);
  expect({ status, body }).toMatchObject({ status: 200 });
}

async function watch(...listed: string[]): Promise<Body> {
  await choose(...listed);
  await check();
  return await shown();
}

async function shown(): Promise<Body> {
  return (await admin.get(`${zone.path}/tls-hosts`)).body;
}

async function findings(): Promise<string[]> {
  const { body } = await admin.get(`${zone.path}/registration`);
  return body.findings.map(({ code }: Body) => code).filter((code: string) => code.startsWith("certificate_"));
}

/** The zone's notices from a run this many days later. */
async function after(days: number): Promise<string[]> {
  clock.advance(days * day + hour);
  await check();
  return log.next(zone.name);
}

describe("notices of certificates", () => {
  // First, while the clock is right: the certificate begins now.
  test("a short-lived certificate is reported in the last third of its lifetime only", async () => {
    await hosts.serve(await hosts.authority.sign("short", { names: [`www.${zone.name}`], days: 6 }), at("www"));
    await watch("www");
    expect([log.next(zone.name), (await shown()).hosts[0].endsSoon, await findings()]).toEqual([[], false, []]);
    expect(await after(3)).toEqual([]);
    expect(await after(1)).toEqual(["certificate.expiring 7"]);
    expect([(await shown()).hosts[0].endsSoon, await findings()]).toEqual([true, ["certificate_expiring"]]);
    expect(await after(1)).toEqual(["certificate.expiring 1"]);
  });

  test("an ending certificate is reported once per reminder and once for all its hosts, then as expired", async () => {
    const certified = await hosts.authority.sign("ending", { names: [`*.${zone.name}`], days: 120 });
    await hosts.serve(certified, at("www"), at("shop"));
    const { hosts: found } = await watch("www", "shop");
    clock.advance(Date.parse(found[0].notAfter) - clock.now().getTime() - 41.5 * day);
    expect(await after(0)).toEqual([]);
    expect(await after(12)).toEqual(["certificate.expiring 30"]);
    expect(await after(1)).toEqual([]);
    await watch("www", "shop");
    expect(log.next(zone.name)).toEqual([]);
    expect(await after(22)).toEqual(["certificate.expiring 7"]);
    expect(await after(6)).toEqual(["certificate.expiring 1"]);
    expect(await after(1)).toEqual(["certificate.invalid"]);
    expect(await after(1)).toEqual([]);
    expect((await shown()).hosts).toMatchObject([{ problem: "expired" }, { problem: "expired" }]);
  });

  test("an ending certificate is also reported while its host does not answer, but its end is not", async () => {
    await hosts.serve(await hosts.authority.sign("ending", { names: [`www.${zone.name}`], days: 300 }), at("www"));
    const { hosts: found } = await watch("www");
    clock.advance(Date.parse(found[0].notAfter) - clock.now().getTime() - 3.5 * day);
    expect(await after(0)).toEqual(["certificate.expiring 7"]);
    hosts.close(at("www"));
    expect(await after(3)).toEqual(["certificate.expiring 1"]);
    expect(await after(2)).toEqual([]);
  });

  test("a fault is reported once, also if the certificate is renewed with it, and again when it returns", async () => {
    const unknown = await newAuthority("Nobody");
    const good = await signed(`www.${zone.name}`);
    const bad = async () => await hosts.serve(await unknown.sign(`www.${zone.name}`, { days: 900 }), at("www"));
    await bad();
    await watch("www");
    expect(log.next(zone.name)).toEqual(["certificate.invalid"]);
    await bad();
    expect(await after(1)).toEqual([]);
    await hosts.serve(good, at("www"));
    expect(await after(1)).toEqual([]);
    await bad();
    expect(await after(1)).toEqual(["certificate.invalid"]);
  });

  test("what is no longer watched when its check ends is not reported", async () => {
    const removed = zone;
    await hosts.serve(await signed("other.example"), at("www"));
    const slow = await hosts.hold(at("slow"));
    await choose("www", "slow");
    const first = check();
    await slow.started;
    await choose("other");
    slow.finish();
    await first;
    expect(log.next(removed.name)).toEqual([]);

    await choose("www", "slow");
    const again = await hosts.hold(at("slow"));
    const second = check();
    await again.started;
    await admin.put(zone.path, { status: "disabled" });
    again.finish();
    await second;
    expect(log.next(zone.name)).toEqual([]);
  });

  test("notices of certificates that are no longer shown are deleted after 400 days", async () => {
    await hosts.serve(await hosts.authority.sign("ending", { names: [`www.${zone.name}`], days: 600 }), at("www"));
    const { hosts: found } = await watch("www");
    clock.advance(Date.parse(found[0].notAfter) - clock.now().getTime() - 3.5 * day);
    expect(await after(0)).toEqual(["certificate.expiring 7"]);
    await hosts.serve(await signed(`www.${zone.name}`), at("www"));
    const kept = async () => {
      const rows = queries(zw.services.database.fork()).selectFrom("certificate_notices").select("about");
      return (await rows.where("domain_id", "=", zone.id).execute()).length;
    };
    await after(398);
    expect(await kept()).toBe(2);
    await after(3);
    expect(await kept()).toBe(0);
  });
});
