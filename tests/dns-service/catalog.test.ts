import { beforeAll, describe, expect, test, vi } from "vitest";
import { patience } from "../support/patience.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const catalog = "catalog.invalid";
let port = 0;
let configId: string;

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  configId = await configure("Frankfurt", { catalogZone: catalog });
});

async function configure(name: string, more: object): Promise<string> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1", ...more };
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function create(name: string, providerConfigId = configId): Promise<void> {
  expect((await zw.admin.post("/api/domains", { name, providerConfigId })).status).toBe(201);
}

/** The records of a catalog between its SOAs, with the labels of members replaced by the zones' names. */
async function members(of = catalog): Promise<string[]> {
  const { lines } = await transfer(port, of);
  const text = lines.filter((line) => !line.includes(" SOA "));
  const labels = text.flatMap((line) => {
    const [, label = "", zone = ""] = /^([0-9a-f]{32})\.zones\.\S+ 0 PTR (\S+)$/.exec(line) ?? [];
    return label === "" ? [] : [{ label, zone }];
  });
  return text.map((line) => labels.reduce((shown, { label, zone }) => shown.replace(label, `<${zone}>`), line));
}

const serial = async (of = catalog) => serialOfLine((await transfer(port, of)).lines[0] ?? "");

const seconds = () => Math.floor(Date.now() / 1_000);

/** The label of the member again.example. */
async function label(): Promise<string[]> {
  const { lines } = await transfer(port, catalog);
  return lines.filter((line) => line.endsWith(" PTR again.example")).map((line) => line.slice(0, 32));
}

describe("catalog zones (RFC 9432)", () => {
  test("have version 2, an NS of invalid, and for each member a PTR and the configuration's name as its group (§4.1 to §4.3.2)", async () => {
    await create("a.example");
    await create("b.example");
    expect(await members()).toEqual([
      `${catalog} 0 NS invalid`,
      `version.${catalog} 0 TXT 2`,
      `<a.example>.zones.${catalog} 0 PTR a.example`,
      `group.<a.example>.zones.${catalog} 0 TXT Frankfurt`,
      `<b.example>.zones.${catalog} 0 PTR b.example`,
      `group.<b.example>.zones.${catalog} 0 TXT Frankfurt`,
    ]);
  });

  test("a renamed configuration is another group and another serial, and a difference since the old one is the whole catalog", async () => {
    const before = await serial();
    expect((await zw.admin.put(`/api/provider-configs/${configId}`, { name: "Frankfurt and Vienna" })).status).toBe(
      200,
    );
    expect(await members()).toContain(`group.<a.example>.zones.${catalog} 0 TXT Frankfurt and Vienna`);
    expect(await serial()).toBeGreaterThan(before);
    const { lines } = await transfer(port, catalog, { since: before });
    expect(lines.filter((line) => line.includes(" PTR "))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith("group."))).toHaveLength(2);
    const current = await serial();
    expect((await transfer(port, catalog, { since: current })).lines).toHaveLength(1);
  });

  test("the serial never lags behind the clock, so that it is newer than those that a restore has lost, also by a raised serial of a member", async () => {
    const lagging = async () => {
      const before = await serial();
      await vi.waitFor(() => expect(seconds()).toBeGreaterThan(before + 1), patience);
      return seconds();
    };
    let at = await lagging();
    const { body } = await zw.admin.post("/api/domains", { name: "restored.example", providerConfigId: configId });
    expect(await serial()).toBeGreaterThanOrEqual(at);
    at = await lagging();
    expect((await zw.admin.post(`/api/domains/${body.id}/secondaries/raise-serial`)).status).toBe(200);
    expect(await serial()).toBeGreaterThanOrEqual(at);
  });

  test("a zone that is made anew has another label and a higher serial of the catalog, so that its consumers start anew (§5.6)", async () => {
    const { body } = await zw.admin.post("/api/domains", { name: "again.example", providerConfigId: configId });
    const [first, before] = [await label(), await serial()];
    expect(first).toHaveLength(1);
    expect((await zw.admin.delete(`/api/domains/${body.id}?force=true`)).status).toBe(200);
    expect(await label()).toEqual([]);
    await create("again.example");
    expect(await label()).toHaveLength(1);
    expect(await label()).not.toEqual(first);
    expect(await serial()).toBeGreaterThan(before + 1);
  });

  test("a name that fills more than one character-string is cut, so that the group stays one text (RFC 1035 §3.3)", async () => {
    await create("c.example", await configure("\u{1F30D}".repeat(100), { catalogZone: "long.invalid" }));
    const group = (await members("long.invalid")).find((line) => line.startsWith("group."));
    expect(group).toContain(" TXT ");
    expect(group).not.toContain('" "');
  });

  test("a catalog's name that leaves no room for its members is refused", async () => {
    const catalogZone = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(30)}.invalid`;
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", catalogZone };
    const { status, body } = await zw.admin.post("/api/provider-configs", {
      kind: "primary",
      name: "Too long",
      config,
    });
    expect({ status, issues: body.issues }).toMatchObject({
      status: 400,
      issues: [{ path: ["config", "catalogZone"] }],
    });
  });
});
