import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtCli, useCli } from "../support/cli.ts";
import { dnscontrolRepository, dnscontrolScript } from "../support/leaving/dnscontrol.ts";
import { octodnsRepository } from "../support/leaving/octodns.ts";
import { terraformRepository } from "../support/leaving/terraform.ts";
import { heldZones, zoneFileOf } from "../support/leaving/zones.ts";
import { page } from "../support/markdown.ts";
import { runShell, shellSteps, wrongOutputs } from "../support/pages/shell-examples.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

let folder = "";
let provider = "";
afterEach(async () => {
  const { body } = await zw.admin.get("/api/domains?limit=100");
  for (const { id } of body.domains) await zw.admin.delete(`/api/domains/${id}`);
  await zw.admin.delete(`/api/provider-configs/${provider}`);
  await rm(folder, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

async function program(name: string, script: string): Promise<void> {
  await write({ [`bin/${name}`]: `#!/bin/sh\n${script}\n` });
  await chmod(join(folder, "bin", name), 0o755);
}

/** Prints resources of the state, or what it was told to forget. */
const terraformScript = `case "$*" in
  "state list") printf '%s\\n' data.aws_route53_zone.d aws_route53_zone.a 'aws_route53_record.b["www"]' aws_instance.c ;;
  'state rm aws_route53_zone.a aws_route53_record.b["www"]') echo "Removed 2 resources" ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac`;

test.each([
  ["docs/guide/leave-octodns.md", octodnsRepository()],
  ["docs/guide/leave-dnscontrol.md", dnscontrolRepository()],
  ["docs/guide/leave-terraform.md", terraformRepository()],
])("the walk of %s takes a repository of twenty zones over, and changes no more than it says", async (path, files) => {
  expect(heldZones).toHaveLength(20);
  folder = await mkdtemp(join(tmpdir(), "zonewright-leaving-"));
  await write(files);
  const atProvider = heldZones.map((zone) => [`production/${zone.name.replace("/", "%2f")}.zone`, zoneFileOf(zone)]);
  await write(Object.fromEntries(atProvider) as Record<string, string>);
  await program("zonewright", `exec '${process.execPath}' '${await builtCli()}' "$@"`);
  await program("dnscontrol", dnscontrolScript);
  await program("terraform", terraformScript);
  const config = { kind: "zonefile", name: "Production", config: { folder: join(folder, "production") } };
  provider = (await zw.admin.post("/api/provider-configs", config)).body.id;
  const { blocks } = await page(path);
  const steps = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => shellSteps(code));
  const variables = {
    PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
    XDG_CONFIG_HOME: cli.configFolder,
    NO_COLOR: "1",
    ZONEWRIGHT_URL: zw.url,
    ZONEWRIGHT_TOKEN: cli.token,
  };
  const settings = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  const outputs = await runShell([{ commands: settings.join("\n"), reported: null }, ...steps], folder);
  expect(wrongOutputs(steps, outputs.slice(1))).toEqual([]);
  const { body } = await zw.admin.get(`/api/domains?limit=100&providerConfigId=${provider}`);
  const expected = heldZones.reduce((sum, { records }) => sum + records.length, 0);
  const records = (body.domains as { recordCount: number }[]).reduce((sum, { recordCount }) => sum + recordCount, 0);
  expect({ total: body.total, records }).toEqual({
    total: 20,
    records: expected + (path.includes("dnscontrol") ? 0 : 1),
  });
});
