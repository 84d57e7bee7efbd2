import { beforeAll, expect, test } from "vitest";
import { queryMessage, readMessage } from "../../server/dns/wire/messages.ts";
import { types } from "../../server/dns/zone-file/type-names.ts";
import { signRequest } from "../../server/dns/wire/tsig.ts";
import { ask, askByStream, moment, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { addresses, asText, everybody, keys, partsOf } from "./everybody.ts";

const zone = "views.example";
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0,[::1]:0" } });
let ports: number[] = [];
const portFor = (from: string) => ports[from.includes(":") ? 1 : 0] ?? 0;

/**
 * Views of one zone, each at a configuration of its own, and which pairs of address and key may transfer it. The addresses that the
 * configuration names may also ask for the SOA without a key.
 */
const views: Record<string, { config: object; allowed: readonly string[]; mayAsk?: readonly string[] }> = {
  "": { config: { tsigKeys: asText(keys.one) }, allowed: addresses.map((from) => `${from} one`) },
  internal: {
    config: { tsigKeys: asText(keys.two), allowTransfer: "127.0.0.2" },
    allowed: ["127.0.0.2 two"],
    mayAsk: ["127.0.0.2 none"],
  },
  lab: { config: { allowTransfer: "127.0.0.3" }, allowed: ["127.0.0.3 none"] },
  shared: {
    config: { tsigKeys: asText(keys.three), notify: "127.0.0.4:9", allowTransfer: "127.0.0.1" },
    allowed: ["127.0.0.4 three", "127.0.0.1 three"],
    mayAsk: ["127.0.0.4 none", "127.0.0.1 none"],
  },
};
/** The view of each serial. */
const viewOf = new Map<number, string>();

beforeAll(async () => {
  ports = zw.services.dnsService.ports;
  for (const [index, [view, { config }]] of Object.entries(views).entries()) {
    const fields = { nameServers: "ns1.example.net", contact: "dns@example.net", ...config };
    const made = await zw.admin.post("/api/provider-configs", {
      kind: "primary",
      name: `View ${view}`,
      config: fields,
    });
    const name = view === "" ? zone : `${zone}!${view}`;
    const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: made.body.id });
    if (status !== 201) throw new Error(`Not created: ${JSON.stringify(body)}`);
    // Each has more changes than the one before, so that their serials differ.
    for (let count = 0; count <= index; count++) {
      const record = { recordType: "TXT", name: `record${count}`, value: `of "${view}"` };
      await zw.admin.post(`/api/domains/${body.id}/records`, record);
    }
    viewOf.set((await zw.admin.get(`/api/domains/${body.id}/secondaries`)).body.serial, view);
  }
});

/** The view for each address and key that may get one. */
type Table = Record<string, string>;
const tableOf = (whoseOf: (view: string) => readonly string[]): Table =>
  Object.fromEntries(Object.keys(views).flatMap((view) => whoseOf(view).map((who) => [who, view])));
const allowed = tableOf((view) => views[view]?.allowed ?? []);
const mayAsk = tableOf((view) => [...(views[view]?.allowed ?? []), ...(views[view]?.mayAsk ?? [])]);

async function table(viewFor: (who: string) => Promise<string | null>): Promise<Table> {
  const entries: [string, string][] = [];
  for (const who of everybody) {
    const view = await viewFor(who);
    if (view !== null) entries.push([who, view]);
  }
  return Object.fromEntries(entries);
}

test.each([
  ["whole", null],
  ["by its changes", 1],
])(
  "each view is transferred, %s, to those that its own configuration names, with its own records, and to nobody else",
  async (_, since) => {
    const transferred = await table(async (who) => {
      const { from, key } = partsOf(who);
      const { rcode, lines } = await transfer(portFor(from), zone, { from, key, since });
      if (rcode !== 0) return null;
      const texts = new Set(lines.flatMap((line) => / TXT of "(.*)"$/.exec(line)?.[1] ?? []));
      expect({ who, texts: texts.size }).toEqual({ who, texts: 1 });
      return [...texts].join();
    });
    expect(transferred).toEqual(allowed);
  },
);

/** Returns the view of the SOA in an answer; null without one. */
function viewIn(answer: Buffer | null): string | null {
  const soa = answer && readMessage(answer).answers.find(({ type }) => type === types.SOA);
  return answer && soa ? (viewOf.get(answer.readUInt32BE(soa.rdataEnd - 20)) ?? "unknown") : null;
}

function queryOf(who: string): { from: string; message: Buffer } {
  const { from, key } = partsOf(who);
  const query = queryMessage(9, zone, "SOA");
  return { from, message: key ? signRequest(query, key, Math.floor(Date.now() / 1_000)).message : query };
}

test("the SOA of each view goes, by TCP and UDP, to those that its own configuration names, and to nobody else", async () => {
  expect(viewOf.size).toBe(Object.keys(views).length);
  const byStream = await table(async (who) => {
    const { from, message } = queryOf(who);
    return viewIn(await askByStream(portFor(from), message, { from }));
  });
  expect(byStream).toEqual(mayAsk);
  // All ask at once, because silence takes a while to tell. Those that must get an answer wait for as long as it takes.
  const asked = everybody.map(async (who) => {
    const { from, message } = queryOf(who);
    return [who, viewIn(await ask(portFor(from), message, { from, ...(who in mayAsk ? {} : moment) }))] as const;
  });
  const answers = new Map(await Promise.all(asked));
  expect(await table(async (who) => answers.get(who) ?? null)).toEqual(mayAsk);
});
