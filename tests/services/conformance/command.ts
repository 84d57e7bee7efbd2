import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { kindOfZone } from "../../../server/zones/records/provider-limits.ts";
import { readAll } from "../../../server/zones/changes/provider-call.ts";
import { parsedJson } from "../../../server/dns-providers/vendor-api/text.ts";
import { ProviderError, type DnsProvider } from "../../../server/dns-providers/provider.ts";
import { knownKind } from "../../../server/dns-providers/kinds.ts";
import { webhook } from "../../../server/dns-providers/webhook.ts";
import { capabilities } from "../../../server/dns-providers/webhook/protocol.ts";
import { parseZoneName } from "../../../server/dns/names/names.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import type { Target } from "./group.ts";

// `npm run conformance -- --webhook URL`: checks an adapter that somebody wrote for the kind `webhook`.

const usage = `Checks a webhook adapter: docs/providers/webhook.md.

  npm run conformance -- --webhook URL [--token TOKEN] [--zone NAME]
                         [--certificate FILE --key FILE] [--timeout SECONDS]

--zone         A zone to use, which must be new or without records. Default: a made-up one.
--certificate  A client certificate for mutual TLS, and its --key, as PEM files.
The token may be in the variable TOKEN instead. Exit code: 0 if all passed, 1 if not, 2 if nothing could be checked.
`;

const now = () => new Date();

/** Ends the command before anything was checked. */
class Unusable extends Error {}

/** The longest name: one group has a name of 253 characters in it. */
const longestZone = 50;

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help || options.webhook === undefined) {
    process.stdout.write(usage);
    return options.help ? 0 : 2;
  }
  const given = options.zone ?? `conformance-${randomBytes(3).toString("hex")}.example`;
  const zone = parseZoneName(given);
  if (!zone.ok) throw new Unusable(`--zone: ${zone.message}`);
  if (zone.value.length > longestZone) throw new Unusable(`--zone: Use a name of at most ${longestZone} characters.`);
  // The groups are made for this zone when they are loaded.
  process.env["CONFORMANCE_ZONE"] = zone.value;
  const config = webhook.configSchema.safeParse({
    url: options.webhook,
    ...((options.token ?? process.env["TOKEN"]) !== undefined && { token: options.token ?? process.env["TOKEN"] }),
    ...(options.certificate !== undefined && { clientCertificate: await readFile(options.certificate, "utf8") }),
    ...(options.key !== undefined && { clientKey: await readFile(options.key, "utf8") }),
    ...(options.timeout !== undefined && { timeoutSeconds: Number(options.timeout) }),
  });
  if (!config.success) {
    throw new Unusable(config.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"));
  }
  const egress = createEgress({ allow: [], now });
  try {
    const provider = webhook.connect?.(config.data, { zonesFolder: "", now, egress });
    if (!provider) throw new Unusable("There is nothing to connect to.");
    return await check(provider, zone.value, rawCalls(config.data, egress));
  } finally {
    await egress.close();
  }
}

function optionsOf(args: string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args,
      options: {
        webhook: text,
        token: text,
        zone: text,
        certificate: text,
        key: text,
        timeout: text,
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new Unusable(`${(error as Error).message}\n\n${usage}`);
  }
}

interface Raw {
  status: number;
  body: string;
}
type Call = (method: "GET" | "POST", path: string, body?: unknown, token?: string) => Promise<Raw>;

/** Calls that the adapter must refuse, which the provider never makes. */
function rawCalls(
  { url, token: own, clientCertificate: certificate, clientKey: key }: ReturnType<typeof webhook.configSchema.parse>,
  egress: ReturnType<typeof createEgress>,
): { call: Call; hasToken: boolean } {
  const call: Call = async (method, path, body, token = own) => {
    const answer = await egress.guardedFetch(`${url.replace(/\/+$/, "")}${path}`, {
      reach: "inside",
      method,
      headers: {
        ...(token !== undefined && token !== "" && { authorization: `Bearer ${token}` }),
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
      maxBytes: 32 * 1024 * 1024,
    });
    return { status: answer.status, body: await answer.text() };
  };
  return { call, hasToken: own !== undefined };
}

async function check(
  provider: DnsProvider,
  zone: string,
  { call, hasToken }: ReturnType<typeof rawCalls>,
): Promise<number> {
  const { groups, Nonconformity, startFromBase, takeGroup } = await import("./driver.ts");
  let [passed, failed, beyond] = [0, 0, 0];
  const report = async (name: string, work: () => Promise<unknown>) => {
    try {
      const refused = await work();
      const isBeyond = Array.isArray(refused) && refused.length > 0;
      if (isBeyond) beyond++;
      else passed++;
      process.stdout.write(isBeyond ? `–     ${name}: beyond the adapter's limits\n` : `ok    ${name}\n`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failed++;
      process.stdout.write(`FAIL  ${name}\n${error.message.replaceAll(/^/gm, "        ")}\n`);
    }
  };
  const require = (holds: boolean, message: string) => {
    if (!holds) throw new Nonconformity(message);
  };

  const listed = await provider.listZones();
  if (listed.names.includes(zone)) {
    const records = await readAll(provider, zone);
    if (records.length > 0) {
      throw new Unusable(`The zone ${zone} has records. Name one that is new or empty.`);
    }
  }
  process.stdout.write(`The zone ${zone} is used, and left there without records.\n\n`);
  await report("POST /zones creates a zone, and GET /zones lists it", async () => {
    await provider.createZone(zone);
    const { names } = await provider.listZones();
    require(names.includes(zone), `GET /zones must list ${zone}, but lists ${names.length} other zones.`);
  });
  const target: Target = {
    kind: await kindOfZone({ providerZone: zone, kind: knownKind("webhook"), provider }, []),
    provider,
    stop: async () => undefined,
  };
  const base = await startFromBase(target);
  const able = capabilities.safeParse(parsedJson((await call("GET", "/")).body));
  if (!able.success) throw new Unusable("GET / does not always answer what it should.");
  const { atomic, recordTypes, minTtl, maxTtl } = able.data;
  const hasA = recordTypes === "any" || recordTypes.includes("A");
  const type = hasA ? "A" : "TXT";
  const [one = "", two = "", three = ""] = hasA
    ? ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    : ['"one"', '"two"', '"three"'];
  const ttl = Math.min(Math.max(3600, minTtl), maxTtl);
  const content = { ttl, values: [one] };
  const changed = (name: string, before: object | null, after: object | null = content) => ({
    name,
    type,
    before,
    after,
  });
  const path = `/zones/${encodeURIComponent(zone)}`;
  const state = async () =>
    JSON.stringify((await readAll(provider, zone)).map((record) => JSON.stringify(record)).toSorted());

  if (hasToken) {
    await report("a wrong token is refused with 401 or 403", async () => {
      // The changes would be refused in any case.
      const changes = [changed("absent", { ttl, values: [two] })];
      const calls = [
        ["GET", "/"],
        ["GET", "/zones"],
        ["POST", "/zones", { name: zone }],
        ["GET", `${path}/rrsets`],
        ["POST", `${path}/changes`, { atomic: false, changes }],
      ] as const;
      for (const token of ["", "wrong-token-of-nobody"]) {
        for (const [method, at, body] of calls) {
          const { status } = await call(method, at, body, token);
          const given = token === "" ? "no" : "a wrong";
          require([401, 403].includes(status), `${method} ${at} with ${given} token must get 401, but got ${status}.`);
        }
      }
    });
  }
  await report("POST /zones leaves a zone that is there as it is", async () => {
    const before = await state();
    await provider.createZone(zone);
    require(before === (await state()), "The records must stay when a zone is created again.");
  });
  await report("a zone that is not there gets 404", async () => {
    const missing = `/zones/missing-${randomBytes(6).toString("hex")}.example`;
    const read = await call("GET", `${missing}/rrsets`);
    require(read.status === 404, `GET ${missing}/rrsets must get 404, but got ${read.status}.`);
    const body = { atomic: false, changes: [changed("www", null)] };
    const written = await call("POST", `${missing}/changes`, body);
    require(written.status === 404, `POST ${missing}/changes must get 404, but got ${written.status}.`);
  });
  await report("a change whose `before` does not hold gets 409 and changes nothing", async () => {
    const made = await call("POST", `${path}/changes`, { atomic: false, changes: [changed("held", null)] });
    require(made.status === 200, `POST ${path}/changes must get 200 for a new RRset, but got ${made.status}.`);
    try {
      const before = await state();
      const after = { ttl, values: [three] };
      const faults: [what: string, name: string, stale: object | null, after: object | null][] = [
        ["is not there", "absent", content, after],
        ["is not there, and is to be deleted", "absent", content, null],
        ["is there, although `before` is null", "held", null, after],
        ["has other values", "held", { ttl, values: [two] }, after],
        ["has fewer values", "held", { ttl, values: [one, two] }, after],
        ["has another TTL", "held", { ...content, ttl: ttl === maxTtl ? ttl - 1 : ttl + 1 }, after],
        ["has other values, and is to be deleted", "held", { ttl, values: [two] }, null],
      ];
      for (const [what, name, stale, wanted] of faults) {
        const changes = [changed(name, stale, wanted)];
        const { status } = await call("POST", `${path}/changes`, { atomic: false, changes });
        require(status === 409, `POST ${path}/changes must get 409 for an RRset that ${what}, but got ${status}.`);
      }
      require(before === (await state()), "A call that gets 409 must change nothing.");
    } finally {
      const records = (await readAll(provider, zone)).filter(({ name }) => name === "held");
      const deletions = records.map((before) => ({ action: "delete", before, after: null }) as const);
      await provider.applyChanges(zone, deletions);
    }
  });
  if (atomic) {
    await report("of an atomic call with a stale change nothing is made", async () => {
      const before = await state();
      const changes = [changed("fresh", null), changed("stale", { ttl, values: [two] })];
      const { status } = await call("POST", `${path}/changes`, { atomic: true, changes });
      require(status === 409, `POST ${path}/changes must get 409, but got ${status}.`);
      require(before === (await state()), "A call that gets 409 must change nothing.");
    });
  }
  for (const group of groups) {
    await report(group.name, async () => await takeGroup(target, "Webhook adapter", group, base));
  }
  await report("the zone can be emptied", async () => {
    const records = await readAll(provider, zone);
    const changes = records.map((before) => ({ action: "delete", before, after: null }) as const);
    const { outcomes } = await provider.applyChanges(zone, changes, { atomic: true });
    const refusal = outcomes.find((outcome) => !outcome.ok);
    require(refusal === undefined, refusal && !refusal.ok ? refusal.message : "");
  });
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${beyond} beyond the adapter's limits.\n`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Unusable || error instanceof ProviderError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
