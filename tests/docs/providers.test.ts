import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withProviderTable } from "../../docs/generator/provider-table.ts";
import { providerKinds } from "../../server/dns-providers/kinds.ts";
import type { DnsProvider, ProviderKind } from "../../server/dns-providers/provider.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import { page, tableRows } from "../support/markdown.ts";
import { keyFile } from "../support/vendors/rrsets/gcloud.ts";

const overview = await page("docs/providers/README.md");
const kinds = providerKinds.map(({ kind }) => kind);
const pageOf = (kind: string) => page(`docs/providers/${kind}.md`);

/** A valid configuration that reaches no server. */
const configs: Record<string, object> = {
  zonefile: {},
  rfc2136: { server: "127.0.0.1", port: 9, tsigName: "key", tsigSecret: "MDEy" },
  powerdns: { url: "http://127.0.0.1:9", apiKey: "key" },
  cloudflare: { apiToken: "token" },
  route53: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret-access-key" },
  gcloud: { serviceAccountKey: keyFile("https://oauth2.googleapis.com/token") },
  azure: {
    tenantId: "11111111-2222-4333-8444-000000000001",
    clientId: "11111111-2222-4333-8444-000000000002",
    subscriptionId: "11111111-2222-4333-8444-000000000003",
    clientSecret: "a~secret.of-azure",
  },
  digitalocean: { token: "dop_v1_0123456789abcdef" },
  desec: { token: "a-token-of-the-desec-account" },
  gandi: { token: "a-token-of-the-gandi-account" },
  hetzner: { token: "a-token-of-the-hetzner-project" },
  ns1: { apiKey: "a-key-of-the-ns1-account" },
  scaleway: { secretKey: "a-key-of-the-scaleway-project" },
  alidns: { accessKeyId: "id", accessKeySecret: "secret" },
  linode: { token: "a-token-of-the-linode-account" },
  vultr: { apiKey: "a-key-of-the-vultr-account" },
  porkbun: { apiKey: "a-key-of-the-porkbun-account", secretKey: "a-secret-of-the-porkbun-account" },
  dnsimple: { token: "a-token-of-the-dnsimple-account" },
  bunny: { apiKey: "a-apikey-of-the-bunny-account" },
  ovh: {
    applicationKey: "0123456789abcdef",
    applicationSecret: "a-secret-of-the-ovh-application",
    consumerKey: "a-key-of-the-ovh-consumer",
  },
  inwx: { username: "harbour-master", password: "a password of inwx" },
  huaweicloud: { accessKey: "HARBOURACCESSKEY", secretKey: "a-secret-of-huaweicloud" },
  dnspod: { secretId: "id", secretKey: "key" },
  webhook: { url: "http://127.0.0.1:9", token: "a-token-of-the-adapter" },
};

const now = () => new Date();

async function connect({ kind, connect }: ProviderKind): Promise<DnsProvider | null> {
  const zonesFolder = await mkdtemp(join(tmpdir(), "zonewright-docs-"));
  const egress = createEgress({ allow: [], now });
  onTestFinished(async () => {
    await egress.close();
    await rm(zonesFolder, { recursive: true });
  });
  return connect?.(configs[kind], { zonesFolder, now, egress }) ?? null;
}

/** A provider without fingerprints says so without a call. */
async function hasFingerprint(provider: DnsProvider | null): Promise<boolean> {
  if (!provider) return false;
  const mark = await provider.fingerprint("example.net").catch((error: unknown) => error);
  return mark !== null;
}

test("the comparison counts the kinds of vendors and name servers", async () => {
  const counted = kinds.filter((kind) => !["webhook", "primary", "manual"].includes(kind)).length;
  const { prose } = await page("docs/comparison.md");
  expect(prose).toContain(`| ${counted} kinds of vendors and name servers, your own adapter,`);
});

test("the table of providers equals the output of `npm run docs`", () => {
  expect(overview.text).toBe(withProviderTable(overview.text));
});

test("the table of providers says what a connection does", async () => {
  const rows = tableRows(overview, "kind");
  const reported = rows.map(([kind, , , , , , check, keeps]) => ({ kind, check: check !== "–", keeps: keeps !== "–" }));
  const real = await Promise.all(
    providerKinds.map(async (kind) => {
      const provider = await connect(kind);
      return {
        kind: `[\`${kind.kind}\`](${kind.kind}.md)`,
        check: await hasFingerprint(provider),
        keeps: kind.readOnlyReason !== undefined || provider?.readOnlyRecords !== undefined,
      };
    }),
  );
  expect(reported).toEqual(real);
});

test("every provider has a page, and all have the same order", async () => {
  const files = (await readdir(new URL("../../docs/providers", import.meta.url))).filter((name) =>
    name.endsWith(".md"),
  );
  expect(files.toSorted()).toEqual([...kinds.map((kind) => `${kind}.md`), "README.md", "adding.md"].toSorted());
  for (const kind of kinds) {
    const headings = [...(await pageOf(kind)).prose.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect({ kind, headings }).toEqual({
      kind,
      headings: [
        "Good for",
        "Prepare",
        "Configure",
        "What can be written",
        "How changes are applied",
        "What is left alone",
        "Troubleshooting",
      ],
    });
  }
});

test.each(providerKinds)("the page of $kind names each field of its configuration", async ({ kind, configFields }) => {
  const rows = configFields.length === 0 ? [] : tableRows(await pageOf(kind), "field");
  expect(
    rows.map(([name, required, secret]) => ({ name, required: required === "yes", secret: secret === "yes" })),
  ).toEqual(configFields.map(({ name, required, secret }) => ({ name: `\`${name}\``, required, secret })));
});

test("the types that a page lists are those that its provider stores", async () => {
  for (const { kind, recordTypes } of providerKinds) {
    if (recordTypes === "any" || kind === "alidns" || kind === "dnspod") continue;
    const { prose } = await pageOf(kind);
    const [line = ""] = /^- \*\*Types\*\*.*$/m.exec(prose) ?? [];
    const reported: string[] = line.match(/\b[A-Z][A-Z0-9]*\b(?=[,;.]| and| are)/g) ?? [];
    expect({ kind, types: [...recordTypes].toSorted().filter((type) => !reported.includes(type)) }).toEqual({
      kind,
      types: [],
    });
  }
});

/** All texts in the service's source, with `…` for inserted values. */
async function textsInCode(): Promise<string> {
  const root = join(import.meta.dirname, "../../server");
  const folders = ["dns-providers", "dns", "platform/net", "zones/changes", "zones/records"].map((folder) =>
    join(root, folder),
  );
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))),
  );
  const sources = listed.flat().filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(sources.map((name) => readFile(name, "utf8")));
  return ` ${wordsOf(texts.join("\n").replaceAll(/\$\{[^}]*\}/g, "…")).join(" ")} `;
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/[^\p{L}\p{N}…$_/-]+/gu, " ")
    .trim()
    .split(" ");
}

/** The words of a sentence that are in none of the code's texts. Sentences are put together of several, which have three words or more. */
function unsaid(sentence: string, code: string): string[] {
  const wanting: string[] = [];
  for (const part of sentence.split("…")) {
    const words = wordsOf(part).filter((word) => word !== "");
    for (let at = 0; at < words.length;) {
      let end = words.length;
      while (end > at && !code.includes(` ${words.slice(at, end).join(" ")} `)) end--;
      const isRest = end === words.length || at === 0;
      if (end === at || (end - at < 3 && !isRest)) wanting.push(words[at] ?? "");
      at = Math.max(end, at + 1);
    }
  }
  return wanting;
}

test("every error message that a page explains exists in the service", async () => {
  const code = await textsInCode();
  const reported: string[][] = [];
  for (const path of ["README", ...kinds]) {
    const rows = tableRows(await page(`docs/providers/${path}.md`), "message");
    for (const [sentence = ""] of rows) reported.push([path, sentence.replaceAll("`", "")]);
  }
  expect(reported.length).toBeGreaterThan(50);
  expect(reported.filter(([, sentence = ""]) => unsaid(sentence, code).length > 0)).toEqual([]);
  expect(unsaid("The name server refuses to dance.", code)).not.toEqual([]);
});
