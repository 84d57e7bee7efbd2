import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { afterEach, beforeEach } from "vitest";
import type { Cli } from "./cli.ts";
import type { Zonewright } from "./zonewright.ts";

/** A repository of zones, one in each format, and a view. */
export const repository = {
  "shop.example.zone":
    "$TTL 300\n@ IN NS ns1.example.net.\n@ IN MX 10 mail\nmail IN A 192.0.2.25\nwww IN A 192.0.2.1\n",
  "shop.example!internal.zone": "$TTL 300\nwww IN A 10.0.0.1\n",
  "blog.example.yaml":
    "---\n'':\n  ttl: 300\n  type: A\n  value: 192.0.2.2\nwww:\n  ttl: 300\n  type: CNAME\n  value: blog.example.\n",
  "park.example.csv": "name,type,ttl,value\n@,A,300,192.0.2.3\n",
  "terraform/main.tf":
    'resource "powerdns_record" "www" {\n  zone    = "infra.example."\n  name    = "www.infra.example."\n  type    = "A"\n  ttl     = 300\n  records = ["192.0.2.4"]\n}\n',
  "README.md": "# Zones\n",
  "production.yaml": "providers: {}\n",
};
export const domains = ["blog.example", "infra.example", "park.example", "shop.example", "shop.example!internal"];

/** The files of the repository, and the domains that they are of. */
export interface ZoneRepository {
  readonly folder: string;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Returns what a new domain takes, so that no provider holds its zone. */
  readonly byHand: () => Promise<{ providerConfigId: string }>;
  readonly linesOf: (domain: string) => Promise<string[]>;
  /** Passes a call on to the service. The answer to one that applies a file is lost. */
  readonly passedOn: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** Writes the files, and adds their domains, before each test, and deletes both after it. */
export function useZoneRepository(zw: Zonewright, cli: Cli): ZoneRepository {
  let folder = "";
  const write = async (file: string, text: string) => {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  const byHand = async () => {
    const { body } = await zw.admin.get("/api/provider-configs");
    const known = (body as { configs: { id: string; name: string }[] }).configs.find(({ name }) => name === "By hand");
    if (known) return { providerConfigId: known.id };
    const added = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "By hand", config: {} });
    return { providerConfigId: (added.body as { id: string }).id };
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "zonewright-zones-"));
    for (const [file, text] of Object.entries(repository)) await write(file, text);
    for (const name of domains) await zw.admin.post("/api/domains", { name, ...(await byHand()) });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    const { body } = await zw.admin.get("/api/domains?limit=100");
    for (const { id } of (body as { domains: { id: string }[] }).domains) await zw.admin.delete(`/api/domains/${id}`);
  });
  return {
    get folder() {
      return folder;
    },
    write,
    byHand,
    async linesOf(domain) {
      const lines = await cli.must(["records", domain]);
      return lines
        .trim()
        .split("\n")
        .filter((line) => line !== "");
    },
    async passedOn(request, response) {
      const { method = "GET", url = "", headers } = request;
      const { authorization = "", "content-type": type = "application/json" } = headers;
      const body = await textOf(request);
      const answer = await fetch(`${zw.url}${url}`, {
        method,
        headers: { authorization, "content-type": type },
        ...(body === "" ? {} : { body }),
      });
      const answered = await answer.text();
      if (url.includes("importZonefile") && !body.includes('"dryRun":true')) response.destroy();
      else response.writeHead(answer.status, { "content-type": "application/json" }).end(answered);
    },
  };
}
