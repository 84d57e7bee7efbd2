import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appRouter } from "../../client-sdk/app-router.ts";
import { openInEditor, type OpenFile } from "../support/language-server.ts";
import { installPackedClient, type ClientProject } from "../support/packed-client.ts";

const calls = { query: "query", mutation: "mutate", subscription: "subscribe" } as const;
const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { type: keyof typeof calls } }>,
).map(([name, { _def }]) => ({ name, call: calls[_def.type] }));

let project: ClientProject;
let editor: OpenFile;
let exported: string[];
beforeAll(async () => {
  project = await installPackedClient();
  const index = await readFile(join(project.dist, "index.d.ts"), "utf8");
  exported = [...index.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  );
  const program = [
    `import { ${exported.filter((name) => name !== "createClient").join(", ")} } from "@zonewright/client";`,
    'import { createClient } from "@zonewright/client";',
    'export const client = createClient({ url: "https://dns.example.com", });',
    ...procedures.map(({ name, call }) => `client.${name}.${call};`),
    'await client.records.create.mutate({ id: "", recordType: "A", name: "www", value: "192.0.2.1",  });',
    'const { expiresAt } = await client.domains.get.query({ id: "" });',
    'const [first] = (await client.records.list.query({ id: "" })).records;',
    'export const known = first?.recordType === "";',
    ...procedures.flatMap(({ name, call }, index) =>
      call === "subscribe" ? [] : [`const result${index} = await client.${name}.${call}(undefined as never);`],
    ),
    "await client.signIn({  });",
    "await client.completeExternalRegistration({  });",
    "declare const error: ZonewrightError;",
    "error.code;",
  ];
  await writeFile(join(project.folder, "program.ts"), program.join("\n"));
  const options = { strict: true, module: "nodenext", types: [], lib: ["es2022", "dom"] };
  await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  editor = await openInEditor(project.folder, "program.ts");
}, 180_000);
afterAll(async () => {
  editor.close();
  await project.remove();
});

/** The text after the type in the hover box. */
function reported(box: string): string {
  return box.replace(/^```typescript\n.*?\n```\s*/s, "").trim();
}

describe("documentation in an editor", () => {
  test("an editor shows each procedure's purpose and REST endpoint, on its name and on its call", async () => {
    const silent: string[] = [];
    for (const { name, call } of procedures) {
      const procedure = name.replace(".", ".|");
      for (const box of [await editor.hover(`client.${procedure}.${call};`), await editor.hover(`${name}.|${call};`)]) {
        if (!/^[A-Z`].+\.\n.*`(?:GET|POST|PUT|DELETE) \/(?:api|trpc)\/\S+`/s.test(reported(box))) silent.push(name);
      }
    }
    expect(silent).toEqual([]);
    expect(reported(await editor.hover("client.domains.|list"))).toBe(
      "List domains.\n\nReturns the domains you may see, by name and view unless `sort` is set. Filters combine.\n\n" +
        "Personal tokens need the permission `domains:read`.\n\n`GET /api/domains`",
    );
  });

  test("an editor shows documentation for everything the package exports", async () => {
    const silent: string[] = [];
    for (const name of exported) {
      if (reported(await editor.hover(name === "createClient" ? "{ |createClient }" : ` |${name}`)) === "")
        silent.push(name);
    }
    expect(silent).toEqual([]);
    expect(exported.length).toBeGreaterThan(20);
  });

  test("an editor completes procedures, helpers, client options and call fields, with documentation", async () => {
    const members = await editor.completions("client.|auth.login");
    expect([...members.keys()]).toEqual(expect.arrayContaining(["signIn", "signOut", "eachRecord", "records", "v1"]));
    expect([...members].filter(([, text]) => text === "")).toEqual([]);
    const options = await editor.completions('example.com", |}');
    expect([...options.keys()]).toEqual(expect.arrayContaining(["fetch?", "session?", "token?", "onSessionChange?"]));
    expect([...options].filter(([, text]) => text === "")).toEqual([]);
    const fields = await editor.completions('value: "192.0.2.1", | }');
    expect(fields.get("ttl?")).toContain("Time to live in seconds");
    expect([...fields].filter(([, text]) => text === "")).toEqual([]);
  });

  test("an editor completes the helpers' inputs and an error's properties, with documentation", async () => {
    const members = await Promise.all(
      ["signIn({ | }", "completeExternalRegistration({ | }", "error.|code"].map((place) => editor.completions(place)),
    );
    expect([...(members[0]?.keys() ?? [])]).toEqual(expect.arrayContaining(["username", "password", "rememberMe?"]));
    const ofError = new Set(["cause?", "message", "name", "stack?"]);
    const silent = members.flatMap((one) => [...one].filter(([, text]) => text === "").map(([name]) => name));
    expect(silent.filter((name) => !ofError.has(name))).toEqual([]);
    expect([...(members[2]?.keys() ?? [])]).toEqual(expect.arrayContaining(["code", "retryAfterSeconds?"]));
  });

  test("an editor shows the name of each result, which the package exports, and of the parts of a list", async () => {
    const shown: [string, string][] = [];
    for (const [index, { name, call }] of procedures.entries()) {
      if (call === "subscribe") continue;
      const box = await editor.hover(`const |result${index} =`);
      shown.push([name, /const result\d+: (.*?)\n```/s.exec(box)?.[1] ?? box]);
    }
    // A notification is a type for each event.
    const ofServer = new Set(["TypedNotification"]);
    expect(shown.filter(([, type]) => !exported.includes(type) && !ofServer.has(type))).toEqual([]);
    expect(new Map(shown).get("records.plan")).toBe("Plan");
    expect(await editor.hover("const [|first]")).toContain("const first: DnsRecord");
  });

  test("an editor completes record types of answers, whose type is open to others", async () => {
    const types = await editor.completions('first?.recordType === "|"');
    expect([...types.keys()]).toEqual(expect.arrayContaining(["A", "AAAA", "CAA", "TXT"]));
  });

  test("an editor shows the description of a response field", async () => {
    expect(reported(await editor.hover("{ |expiresAt }"))).toBe("When the registration expires; null if unknown.");
  });

  test("an editor finds the single declaration of a procedure within the package", async () => {
    expect(await editor.definitions("client.domains.|list")).toEqual([
      expect.stringMatching(/client\/dist\/procedures\.d\.ts$/),
    ]);
  });
});
