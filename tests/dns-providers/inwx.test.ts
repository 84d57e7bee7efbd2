import { generateSync } from "otplib";
import { afterEach, expect, test } from "vitest";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { Clock, minute, second } from "../support/clock.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { endSessions, inwx, sharedSecret, withSecondFactor } from "../support/vendors/records/inwx.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { withAccount, zone } from "./record-vendor.ts";
import { create, record } from "./zone-folder.ts";

// What only INWX does. What it shares with others is in record-kinds.test.ts.

const isLogin = ({ body }: VendorCall) => body.includes('"account.login"');
const isUnlock = ({ body }: VendorCall) => body.includes('"account.unlock"');
const a = (name: string) => record(name, "A", "192.0.2.1", 3_600);
const says = (code: number, msg: string) => ({
  after: false,
  reply: { status: 200, body: JSON.stringify({ code, msg }) },
});

afterEach(() => withSecondFactor.clear());

test("one session serves all calls to INWX, and is opened again when it has ended", async () => {
  await withAccount(inwx, async (server, provider) => {
    await provider.listZones();
    await provider.applyChanges(zone, [create(a("one")), create(a("two"))]);
    expect(server.calls.filter(isLogin)).toHaveLength(1);
    endSessions();
    // Both were sent at the same time.
    expect((await readAll(provider, zone)).map(({ name }) => name).toSorted()).toEqual(["one", "two"]);
    expect(server.calls.filter(isLogin)).toHaveLength(2);
  });
});

test("a user of INWX with a second factor signs in by codes of the shared secret, and is refused without it", async () => {
  withSecondFactor.add("harbour-master");
  await withAccount(inwx, async (_server, provider) => {
    const { message, effect } = await failureOf(provider.listZones());
    expect([effect, message]).toEqual([
      "none",
      expect.stringMatching(/^INWX rejects the password .* whose shared secret is not configured/),
    ]);
  });
  await withAccount(
    inwx,
    async (server, provider) => {
      expect((await provider.listZones()).names).toEqual([zone]);
      expect(server.calls.map(({ body }) => (JSON.parse(body) as { method: string }).method)).toEqual([
        "account.login",
        "account.unlock",
        "nameserver.list",
      ]);
    },
    { sharedSecret },
  );
  await withAccount(
    inwx,
    async (_server, provider) => {
      expect((await failureOf(provider.listZones())).message).toContain("Wrong TAN");
    },
    { sharedSecret: "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU" },
  );
});

test("the code of INWX's second factor is that of the moment in which it is sent, however long the login took", async () => {
  withSecondFactor.add("harbour-master");
  const clock = new Clock();
  clock.advance(-10 * minute);
  await withAccount(
    inwx,
    async (server, provider) => {
      server.meanwhile(isLogin, () => clock.advance(10 * minute));
      expect((await provider.listZones()).names).toEqual([zone]);
    },
    { sharedSecret },
    { accounts: new VendorAccounts({ now: clock.now, pause: clock.pause }) },
  );
});

test("the code of INWX's second factor is not sent again after a pause in which it ends, and nothing is said of the password", async () => {
  withSecondFactor.add("harbour-master");
  const clock = new Clock();
  // Until the pause, which brings it to the time of the server.
  clock.advance(-40 * second);
  await withAccount(
    inwx,
    async (server, provider) => {
      server.failNext({ after: false, reply: inwx.throttled(40) }, 1, isUnlock);
      const { message } = await failureOf(provider.listZones());
      expect(message).toMatch(/^INWX accepts no more calls for now\. Try again in \d+ seconds\.$/);
      expect((await provider.listZones()).names).toEqual([zone]);
    },
    { sharedSecret },
    { accounts: new VendorAccounts({ now: clock.now, pause: clock.pause }) },
  );
});

test("no message about INWX has the password, the shared secret or the cookie of the session", async () => {
  await withAccount(
    inwx,
    async (server, provider) => {
      await provider.listZones();
      const cookie = String(server.calls.at(-1)?.headers.cookie);
      const { password = "" } = server.config;
      const cookies = cookie.split("; ");
      const secrets = [password, sharedSecret, ...cookies, String(cookies.at(-1)?.split("=")[1])];
      for (const code of [2200, 2201, 2400]) {
        server.failNext(says(code, `Seen: ${secrets.join(" ")}`), 1, ({ body }) => body.includes("nameserver.list"));
        const { message } = await failureOf(provider.listZones());
        expect(message).toContain("Seen: ");
        for (const secret of secrets) expect(message).not.toContain(secret);
      }
    },
    { sharedSecret },
  );
});

test("a refused second factor is reported without its code and the cookie of the session", async () => {
  withSecondFactor.add("harbour-master");
  endSessions();
  await withAccount(
    inwx,
    async (server, provider) => {
      const now = Math.floor(Date.now() / 1_000);
      const codes = [now, now + 30].map((epoch) => generateSync({ secret: sharedSecret, epoch }));
      const cookie = "domrobot=s1harbour";
      server.failNext(says(2200, `Seen: ${[...codes, cookie].join(" ")}`), 1, isUnlock);
      const { message } = await failureOf(provider.listZones());
      const { body = "{}", headers } = server.calls.find(isUnlock) ?? {};
      const { tan } = (JSON.parse(body) as { params: { tan: string } }).params;
      expect(codes).toContain(tan);
      expect(headers?.cookie).toContain(cookie);
      expect(message).toContain("Seen: ");
      for (const secret of [tan, cookie]) expect(message).not.toContain(secret);
    },
    { sharedSecret },
  );
});

test("a right that the user of INWX lacks is not reported as a wrong password", async () => {
  await withAccount(inwx, async (server, provider) => {
    server.failNext(says(2201, "Authorization error"), 1, inwx.isWrite);
    const { message, effect } = await failureOf(provider.applyChanges(zone, [create(a("www"))]));
    expect([effect, message]).toEqual([
      "none",
      "INWX rejects a call of this provider configuration. Check that its user may manage name servers. It says: Authorization error (2201)",
    ]);
  });
});

test("a zone is not reported as created if INWX cannot say whether it exists", async () => {
  await withAccount(inwx, async (server, provider) => {
    server.failNext(says(2400, "Command failed"), 1, ({ body }) => body.includes("nameserver.info"));
    const { message, effect } = await failureOf(provider.createZone("new.example"));
    expect([effect, message]).toEqual(["none", "INWX did not create the zone new.example: Command failed (2400)"]);
    expect([...server.store.zones.keys()]).toEqual([zone]);
  });
});

test("a new zone in INWX's test system gets the name servers of the test system", async () => {
  await withAccount(
    inwx,
    async (server, provider) => {
      await provider.createZone("new.example");
      const made = server.calls.find(({ body }) => body.includes("nameserver.create"));
      expect(JSON.parse(made?.body ?? "{}")).toMatchObject({ params: { ns: ["ns.ote.inwx.de", "ns2.ote.inwx.de"] } });
    },
    ({ url }) => ({ endpoint: url.replace("127.0.0.1", "api.ote.domrobot.com") }),
  );
});

test("zones that INWX copies are listed with the reason why they cannot be managed, page by page", async () => {
  await withAccount(inwx, async (server, provider) => {
    for (let index = 0; index < 45; index++) server.store.addZone(`d${index}.example`);
    server.store.addZone("copied.example");
    const { names, unusable } = await provider.listZones();
    expect(names).toHaveLength(46);
    expect(unusable).toEqual([
      { name: "copied.example", reason: "INWX copies this zone from another server. Manage it there." },
    ]);
    expect(server.calls.filter(({ body }) => body.includes("nameserver.list"))).toHaveLength(3);
  });
});

test("records of an international zone are read, although INWX prints its name in Unicode", async () => {
  await withAccount(inwx, async (server, provider) => {
    const international = "xn--hfen-loa.example";
    server.store.addZone(international);
    const names = ["@", "*", "_dmarc", "xn--gre-6ka8l"];
    const records = names.map((name) => record(name, "TXT", "ahoy", 3_600));
    await provider.applyChanges(
      international,
      records.map((one) => create(one)),
    );
    const read = await readAll(provider, international);
    expect(read.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });
});

test("redirects of web pages at INWX are not shown, and a new zone gets INWX's name servers", async () => {
  await withAccount(inwx, async (server, provider) => {
    server.store.add(zone, { type: "URL", name: "", ttl: 3_600, fields: { content: "https://harbour.example" } });
    server.store.add(zone, { type: "SRV", name: "_sip._tcp", ttl: 3_600, fields: { content: "1 5060 .", prio: 7 } });
    expect((await readAll(provider, zone)).map(({ value }) => value)).toEqual(["7 1 5060 ."]);
    await provider.createZone("new.example");
    await provider.createZone("new.example");
    const made = server.calls.filter(({ body }) => body.includes("nameserver.create"));
    expect(made.map(({ body }) => JSON.parse(body) as object)).toEqual([
      {
        method: "nameserver.create",
        params: { lang: "en", domain: "new.example", type: "MASTER", ns: ["ns.inwx.de", "ns2.inwx.de", "ns3.inwx.eu"] },
      },
    ]);
  });
});
