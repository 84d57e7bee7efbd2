import { describe, expect, test, vi } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, hour } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { newAuthority } from "../../support/servers/certificates.ts";
import type { Zonewright } from "../../support/zonewright.ts";
import { manualZone, Zone, type Body } from "../../support/zones.ts";
import { eventsOf } from "../../zones/calendar/reader.ts";
import { useWatchedHosts, withEnd, type Hosts } from "./hosts.ts";

const clock = new Clock();
const permissions = ["records:read", "records:write", "registrations:read", "registrations:write"];
const going = new AbortController().signal;
let hosts: Hosts;
let zw: Zonewright;
let admin: RestClient;
let zone: Zone;
useWatchedHosts({ clock, permissions }, (world) => {
  ({ hosts, zw, admin, zone } = world);
});

/** Connections to hosts of one domain at once. */
const mostOfDomain = 16;

const check = () => zw.services.certificateCheck.work({}, going);
const at = (host: string, port = 443) => `${host === "@" ? "" : `${host}.`}${zone.name}:${port}`;

async function watch(mode: string, ...listed: (string | object)[]): Promise<Body> {
  const wish = { mode, hosts: listed.map((host) => (typeof host === "string" ? { host } : host)) };
  const { status, body } = await admin.put(`${zone.path}/tls-hosts`, wish);
  expect({ status, body }).toMatchObject({ status: 200 });
  await check();
  return await shown();
}

async function shown(client: RestClient = admin): Promise<Body> {
  return (await client.get(`${zone.path}/tls-hosts`)).body;
}

async function problemsByHost(): Promise<Body> {
  return (await shown()).hosts.map(({ host, problem }: Body) => [host, problem]);
}

async function problemOf(host: string | object): Promise<Body> {
  const { hosts: found } = await watch("listed", host);
  return found[0];
}

function codesOf(findings: Body[]): string[][] {
  return findings.filter(({ code }) => code.startsWith("certificate_")).map(({ code, message }) => [code, message]);
}

/** Advances the clock until a host's certificate is valid for this many days. */
function leave(days: number, { notAfter }: Body): void {
  clock.advance(Date.parse(notAfter) - clock.now().getTime() - days * day);
}

const zonefileOf = (names: readonly string[]) => names.map((name) => `${name} 300 IN A 192.0.2.1`).join("\n");
const signed = (...names: string[]) => hosts.authority.sign("certified", { names, days: 400 });

describe("a watched host", () => {
  test("that shows a good certificate is shown with its end and issuer, and no problem", async () => {
    await hosts.serve(await signed(`www.${zone.name}`), at("www"));
    const good = await problemOf("www");
    expect(good).toMatchObject({
      host: "www",
      port: 443,
      starttls: null,
      listed: true,
      issuer: "Known Authority",
      problem: null,
      error: null,
    });
    const days = (Date.parse(good.notAfter) - Date.now()) / day;
    expect(Math.round(days)).toBe(400);
    expect(good.checkedAt).toEqual(expect.stringMatching(/Z$/));
  });

  test("that shows one for other names says for which", async () => {
    const names = ["a", "b", "c", "d"].map((name) => `${name}.example.net`);
    await hosts.serve(await signed(...names), at("www"));
    expect(await problemOf("www")).toMatchObject({
      problem: "other_names",
      error: `The certificate that www.${zone.name} shows is for other names: a.example.net, b.example.net, c.example.net and 1 more. Install one for www.${zone.name}.`,
    });
  });

  test("that shows one of an unknown authority says so", async () => {
    const unknown = await newAuthority("Nobody");
    await hosts.serve(await unknown.sign(zone.name, { days: 400 }), at("@"));
    expect(await problemOf("@")).toMatchObject({
      problem: "untrusted",
      issuer: "Nobody",
      error: expect.stringContaining("leads to no known authority"),
    });
  });

  test("whose wildcard certificate covers it is fine, and the apex below it is not", async () => {
    await hosts.serve(await signed(`*.${zone.name}`), at("www"), at("@"));
    const { hosts: found } = await watch("listed", "www", "@");
    expect(found.map(({ host, problem }: Body) => [host, problem])).toEqual([
      ["@", "other_names"],
      ["www", null],
    ]);
  });

  test("that shares a server with others is asked for by name, and judged by its own certificate", async () => {
    const names = ["one", "two"].map((host) => `${host}.${zone.name}`);
    const certified = await Promise.all(names.map(async (name) => [name, await signed(name)] as const));
    await hosts.serveByName(Object.fromEntries(certified));
    const { hosts: found } = await watch("listed", "one", "two");
    expect(found.map(({ host, problem }: Body) => [host, problem])).toEqual([
      ["one", null],
      ["two", null],
    ]);
  });

  test("that speaks SMTP shows its certificate after STARTTLS", async () => {
    await hosts.serveMail(await signed(`mail.${zone.name}`), at("mail", 25), at("mail", 587));
    const { hosts: found } = await watch(
      "listed",
      ...[25, 587].map((port) => ({ host: "mail", port, starttls: "smtp" })),
    );
    expect(found).toMatchObject([25, 587].map((port) => ({ port, starttls: "smtp", problem: null })));
    expect(found[0].notAfter).not.toBeNull();
  });

  test("that does not offer STARTTLS, refuses mail, or is no mail server is said to be so", async () => {
    await hosts.answer(
      (socket) => socket.on("data", () => socket.write("250-mail\r\n250 SIZE\r\n")).write("220 mail\r\n"),
      at("plain", 25),
    );
    await hosts.answer((socket) => socket.write("554 go away\r\n"), at("busy", 25));
    await hosts.answer((socket) => socket.write("SSH-2.0-x\r\n"), at("other", 25));
    await hosts.answer((socket) => socket.write(Buffer.alloc(10_000_000, "220-x\r\n")), at("loud", 25));
    const places = ["plain", "busy", "other", "loud"].map((host) => ({ host, port: 25, starttls: "smtp" }));
    const { hosts: found } = await watch("listed", ...places);
    expect(Object.fromEntries(found.map(({ host, error }: Body) => [host, error.replace(/^.*port 25, /, "")]))).toEqual(
      {
        plain: "does not offer STARTTLS. Turn TLS on in the mail server.",
        busy: 'refuses mail: "554 go away"',
        other: "does not speak SMTP. Check the port.",
        loud: "sends too much for a mail server. Check the port.",
      },
    );
  });

  // A pattern with nested repetitions took seconds for this, and twice as long for each further line.
  test("that sends many good lines of SMTP and then a bad one is judged at once", async () => {
    await hosts.answer((socket) => socket.write(`${"220-a\r\n".repeat(1_000)}x\n`), at("odd", 25));
    expect(await problemOf({ host: "odd", port: 25, starttls: "smtp" })).toMatchObject({
      problem: "no_tls",
      error: `odd.${zone.name}, port 25, does not speak SMTP. Check the port.`,
    });
  });

  test("that shows an odd certificate is judged, and keeps no other domain from being checked", async () => {
    const { id, name } = await manualZone(zw);
    const other = new Zone(zw, { id, name }, admin);
    await hosts.serve(await signed(`www.${name}`), `www.${name}:443`);
    await hosts.serve(await newAuthority(""), at("nobody"));
    const ends = { zero: "00000101000000Z", none: "20309999999999Z" };
    for (const [host, end] of Object.entries(ends))
      await hosts.serve(await withEnd(hosts.authority, [`*.${zone.name}`], end), at(host));
    await admin.put(`${zone.path}/tls-hosts`, {
      mode: "listed",
      hosts: ["nobody", ...Object.keys(ends)].map((host) => ({ host })),
    });
    await admin.put(`${other.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "www" }] });
    await check();
    expect((await admin.get(`${other.path}/tls-hosts`)).body.hosts).toMatchObject([{ host: "www", problem: null }]);
    expect((await shown()).hosts).toMatchObject([
      { host: "nobody", notAfter: expect.stringMatching(/Z$/), issuer: null, problem: "other_names" },
      { host: "none", notAfter: null, problem: "untrusted" },
      { host: "zero", notAfter: null, problem: "expired" },
    ]);
    await admin.put(`${other.path}/tls-hosts`, { mode: "off" });
  });

  test("that answers without TLS, with ten megabytes, or by closing shows no certificate", async () => {
    await hosts.answer((socket) => socket.write(Buffer.alloc(10_000_000, "x")), at("loud"));
    await hosts.answer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), at("http"));
    await hosts.answer((socket) => socket.destroy(), at("closing"));
    const { hosts: found } = await watch("listed", "loud", "http", "closing");
    expect(found.map(({ host, problem }: Body) => [host, problem])).toEqual([
      ["closing", "no_tls"],
      ["http", "no_tls"],
      ["loud", "no_tls"],
    ]);
    expect(found[1].error).toBe(`http.${zone.name}, port 443, does not speak TLS. Check the port.`);
  });

  test("that never answers the handshake, or where nothing listens, is unreachable", async () => {
    await hosts.answer(() => undefined, at("silent"));
    const { hosts: found } = await watch("listed", "silent", "nothing");
    expect(found).toMatchObject([
      { host: "nothing", problem: "unreachable", error: expect.stringContaining("refused the connection") },
      { host: "silent", problem: "unreachable", error: expect.stringContaining("did not answer within 8 s.") },
    ]);
  });

  test("that is given as a wildcard, a service name, another zone's or twice is refused by its place", async () => {
    const place = async (...listed: object[]) => {
      const { status, body } = await admin.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: listed });
      return [status, body.issues?.[0]?.path.join(".")];
    };
    expect(await place({ host: "*.dev" })).toEqual([400, "hosts.0.host"]);
    expect(await place({ host: "www" }, { host: "_dmarc" })).toEqual([400, "hosts.1.host"]);
    expect(await place({ host: "www.elsewhere.example." })).toEqual([400, "hosts.0.host"]);
    expect(await place({ host: "www" }, { host: `WWW.${zone.name}` })).toEqual([400, "hosts.1"]);
    expect((await shown()).hosts).toEqual([]);
  });
});

describe("mode all", () => {
  test("watches the hosts with addresses that answer on 443, drops those whose records go, and keeps what stops answering", async () => {
    await zone.add("A", "www", "192.0.2.1");
    await zone.add("AAAA", "v6", "2001:db8::1");
    const { id } = await zone.add("CNAME", "alias", "elsewhere.example.");
    await zone.add("A", "mute", "192.0.2.2");
    await zone.add("A", "*.dev", "192.0.2.3");
    await zone.add("TXT", "text", "hello");
    await zone.add("CNAME", "_acme-challenge", "elsewhere.example.");
    await hosts.serve(
      await signed(zone.name, `*.${zone.name}`),
      ...["www", "v6", "alias", "text"].map((host) => at(host)),
    );
    await watch("all");
    expect(await problemsByHost()).toEqual([
      ["alias", null],
      ["v6", null],
      ["www", null],
    ]);
    expect(hosts.asked.filter((place) => /_acme|\*|text/.test(place) && place.endsWith(`${zone.name}:443`))).toEqual(
      [],
    );
    expect((await zone.delete(id)).status).toBe(200);
    hosts.close(at("v6"));
    await watch("all");
    expect(await problemsByHost()).toEqual([
      ["v6", "unreachable"],
      ["www", null],
    ]);
  });

  test("also checks listed hosts; off keeps these, and forgets what they showed", async () => {
    await zone.add("A", "www", "192.0.2.1");
    await hosts.serve(await signed(`www.${zone.name}`), at("www"), at("www", 8443));
    const { hosts: found } = await watch("all", { host: "www", port: 8443 });
    expect(found.map(({ port, listed }: Body) => [port, listed])).toEqual([
      [443, false],
      [8443, true],
    ]);
    const { body } = await admin.put(`${zone.path}/tls-hosts`, { mode: "off" });
    expect(body).toMatchObject({ mode: "off", hosts: [{ port: 8443, notAfter: null, checkedAt: null }] });
    hosts.asked.length = 0;
    clock.advance(2 * day);
    await check();
    expect(hosts.asked.filter((place) => place.includes(zone.name))).toEqual([]);
  });

  test("checks a thousand hosts of one zone in one run, a few at once, and says how many it leaves out", async () => {
    const lines = Array.from({ length: 1_010 }, (_, index) => `h${1_000 + index} 300 IN A 192.0.2.1`);
    const { status, body } = await zone.post("/zonefile", { zonefile: lines.join("\n") });
    expect({ status, body }).toMatchObject({ status: 200 });
    const certified = await signed(zone.name, `*.${zone.name}`);
    await hosts.serve(certified, ...lines.map((_, index) => at(`h${1_000 + index}`)));
    hosts.mostOpen = 0;
    const { hosts: found, leftOut } = await watch("all");
    expect([found.length, found.filter(({ problem }: Body) => problem === null).length, leftOut]).toEqual([
      1_000, 1_000, 10,
    ]);
    expect(hosts.mostOpen).toBeLessThanOrEqual(mostOfDomain);
  });

  test("a thousand hosts that accept connections and stay silent leave room for those of another zone, and each has its turn", async () => {
    const silent = Array.from({ length: 1_000 }, (_, index) => `s${1_000 + index}`);
    await zone.post("/zonefile", { zonefile: zonefileOf(silent) });
    const { finish } = await hosts.hold(...silent.map((name) => at(name)));
    const { id, name: other } = await manualZone(zw);
    const good = Array.from({ length: 40 }, (_, index) => `g${index}`);
    await admin.post(`/api/domains/${id}/zonefile`, { zonefile: zonefileOf(good) });
    await hosts.serve(await signed(`*.${other}`), ...good.map((name) => `${name}.${other}:443`));
    hosts.mostOpen = 0;
    hosts.asked.length = 0;
    for (const path of [zone.path, `/api/domains/${id}`]) await admin.put(`${path}/tls-hosts`, { mode: "all" });
    const run = check();
    await vi.waitFor(async () => {
      const { body } = await admin.get(`/api/domains/${id}/tls-hosts`);
      expect(body.hosts.filter(({ notAfter }: Body) => notAfter !== null)).toHaveLength(good.length);
    }, patience);
    expect((await shown()).hosts).toEqual([]);
    finish();
    await run;
    expect(hosts.asked.filter((place) => place.endsWith(`.${zone.name}:443`)).toSorted()).toEqual(
      silent.map((name) => at(name)),
    );
    expect(hosts.mostOpen).toBeLessThanOrEqual(2 * mostOfDomain);
    await admin.put(`/api/domains/${id}/tls-hosts`, { mode: "off" });
  });
});

describe("what is checked when", () => {
  test("a host is checked once a day, also by several instances at once, and again when it is set", async () => {
    await hosts.serve(await signed(`www.${zone.name}`), at("www"));
    const times = () => hosts.asked.filter((place) => place === at("www")).length;
    await admin.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "www" }] });
    await Promise.all([check(), check(), check()]);
    expect(times()).toBe(1);
    clock.advance(23 * hour);
    await check();
    expect(times()).toBe(1);
    clock.advance(2 * hour);
    await check();
    expect(times()).toBe(2);
    await watch("listed", "www");
    expect(times()).toBe(3);
  });

  test("hosts that are set during a check are checked right after it", async () => {
    const { started, finish } = await hosts.hold(at("slow"));
    await hosts.serve(await signed(`new.${zone.name}`), at("new"));
    await admin.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "slow" }] });
    const run = check();
    await started;
    await admin.put(`${zone.path}/tls-hosts`, { mode: "listed", hosts: [{ host: "new" }] });
    finish();
    await run;
    await check();
    expect((await shown()).hosts).toMatchObject([{ host: "new", problem: null, checkedAt: expect.any(String) }]);
  });

  test("a host that stops answering keeps what it showed, and is tried again once after an hour", async () => {
    await hosts.serve(await hosts.authority.sign("soon", { names: [`www.${zone.name}`], days: 100 }), at("www"));
    const { hosts: before } = await watch("listed", "www");
    leave(4, before[0]);
    hosts.close(at("www"));
    const times = () => hosts.asked.filter((place) => place === at("www")).length;
    await watch("listed", "www");
    expect((await shown()).hosts).toMatchObject([
      { problem: "unreachable", notAfter: before[0].notAfter, issuer: "Known Authority", endsSoon: true },
    ]);
    expect(codesOf((await admin.get(`${zone.path}/registration`)).body.findings)).toMatchObject([
      ["certificate_expiring", expect.stringContaining("expires in")],
    ]);
    const asked = times();
    for (const _ of [1, 2, 3]) {
      clock.advance(hour + 1);
      await check();
    }
    expect(times()).toBe(asked + 1);
    clock.advance(5 * day);
    expect(codesOf((await admin.get(`${zone.path}/registration`)).body.findings)).toEqual([]);
  });

  test("a disabled domain is not checked", async () => {
    await admin.put(zone.path, { status: "disabled" });
    await watch("listed", "www");
    expect(hosts.asked).not.toContain(at("www"));
  });

  test("a host with a private address is refused by the guard", async () => {
    expect(await problemOf("inside")).toMatchObject({
      problem: "unreachable",
      error: expect.stringContaining("EGRESS_ALLOW"),
    });
  });
});

describe("where certificates show", () => {
  test("the registration page and the portfolio name what is wrong, one host for all of a domain", async () => {
    const unknown = await newAuthority("Nobody");
    await hosts.serve(await unknown.sign("wild", { names: [`*.${zone.name}`], days: 400 }), at("one"), at("two"));
    await hosts.serve(await hosts.authority.sign("soon", { names: [`www.${zone.name}`], days: 200 }), at("www"));
    const { hosts: found } = await watch("listed", "one", "two", "www");
    leave(9, found[2]);
    const { body } = await admin.get(`${zone.path}/registration`);
    const expected = [
      [
        "certificate_invalid",
        expect.stringMatching(/^The chain of one\..* One more host has a certificate that is not valid\.$/),
      ],
      ["certificate_expiring", expect.stringMatching(/^The certificate of www\..* expires in 9 days\./)],
    ];
    expect(codesOf(body.findings)).toEqual(expected);
    const { body: list } = await admin.get(`/api/domains/portfolio?search=${zone.name}`);
    expect(codesOf(list.domains[0].findings)).toEqual(expected);
    const { body: worst } = await admin.get("/api/domains/findings");
    expect(codesOf(worst.findings.filter(({ name }: Body) => name === zone.name))).toEqual(expected);
    await admin.put(`${zone.path}/tls-hosts`, { mode: "off" });
    expect(codesOf((await admin.get(`${zone.path}/registration`)).body.findings)).toEqual([]);
  });

  test("several hosts with unknown ends have one finding", async () => {
    const odd = await withEnd(hosts.authority, [`*.${zone.name}`], "20309999999999Z");
    await hosts.serve(odd, at("one"), at("two"));
    await watch("listed", "one", "two");
    const { body } = await admin.get("/api/domains/findings");
    expect(codesOf(body.findings.filter(({ name }: Body) => name === zone.name))).toMatchObject([
      ["certificate_invalid", expect.stringMatching(/^The chain of one\..* One more host has/)],
    ]);
  });

  test("a member who sees some hosts gets no finding of all of them", async () => {
    await hosts.serve(await signed("other.example"), at("www"));
    await watch("listed", "www");
    const member = await zw.member("bob");
    await assign(zw, member, zone.id, "www");
    expect(codesOf((await member.get(`${zone.path}/registration`)).body.findings)).toEqual([]);
  });

  test("the calendar has one event for a certificate, at its end", async () => {
    await hosts.serve(await signed(`*.${zone.name}`), at("www"), at("shop"), at("shop", 8443));
    const { hosts: found } = await watch("listed", "www", "shop", { host: "shop", port: 8443 });
    const { body: feed } = await zw.admin.post("/api/auth/me/feeds", { name: "Ends", domainIds: [zone.id] });
    const { body } = await zw.nobody.get(`/api/calendar/${feed.token}.ics`);
    expect(eventsOf(body)).toMatchObject([
      {
        SUMMARY: `Certificate of shop.${zone.name} and 2 more expires`,
        "DTSTART;VALUE=DATE": found[0].notAfter.slice(0, 10).replaceAll("-", ""),
        UID: `${zone.id}-shop:443-certificate@zonewright`,
      },
    ]);
  });
});

describe("rights and trail", () => {
  test("members see the hosts that they may see, and only the owner and administrators set them", async () => {
    const member = await zw.member("ada");
    await assign(zw, member, zone.id, "www");
    await watch("listed", "www", "shop");
    expect((await shown(member)).hosts.map(({ host }: Body) => host)).toEqual(["www"]);
    expect(await member.put(`${zone.path}/tls-hosts`, { mode: "off" })).toBeProblem(403, "FORBIDDEN");
  });

  test("the trail has the hosts before and after, and nothing of a call that changes none", async () => {
    await watch("listed", "www");
    await watch("listed", "www");
    await watch("all", "www", { host: "mail", port: 25, starttls: "smtp" });
    const [entry, ...earlier] = await entries(zw.admin, { targetId: zone.id, action: "domain.change_tls_hosts" });
    expect(earlier).toHaveLength(1);
    expect(entry).toMatchObject({
      before: { mode: "listed", hosts: ["www:443"] },
      after: { mode: "all", hosts: ["mail:25 smtp", "www:443"] },
    });
  });
});
