import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { apiDocument, callsOf } from "../../docs/generator/api-document.ts";
import { answerExample, bodyExample } from "../../docs/generator/examples.ts";
import { anchor } from "../../docs/generator/markdown.ts";
import { referencePages } from "../../docs/generator/reference.ts";
import { protocolDocuments } from "../../docs/generator/webhook-protocol.ts";
import { describedVariables } from "../../server/ops/config/environment.ts";
import { clockOfExamples } from "../support/api/api-document.ts";
import { misfits } from "../support/api/json-schema.ts";
import { page } from "../support/markdown.ts";
import { useZonewright } from "../support/zonewright.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
/** Ends the output of a call. */
const separator = "\u001e";

test("docs/reference equals the output of `npm run docs`", async () => {
  const files = await readdir(join(root, "docs/reference"), { recursive: true, withFileTypes: true });
  const stored = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const generated = await referencePages();
  expect(stored.toSorted()).toEqual([...generated.keys()].map((name) => join(root, "docs/reference", name)).toSorted());
  for (const [name, text] of generated) {
    const reported = (content: string) => ({ page: name, content });
    expect(reported(await readFile(join(root, "docs/reference", name), "utf8"))).toEqual(reported(text));
  }
});

test.each(protocolDocuments())("the protocol in docs/%s equals the output of `npm run docs`", async (path, text) => {
  expect(await readFile(join(root, "docs", path), "utf8")).toBe(text);
});

test("every variable is read in the file that the reference names", async () => {
  for (const { name, notes } of describedVariables()) {
    const source = await readFile(join(root, "server", notes.readIn), "utf8");
    expect(source).toMatch(new RegExp(String.raw`config\.${propertyOf(name)}\b`));
  }
});

/** The property for a variable in server/ops/config/config.ts. */
function propertyOf(name: string): string {
  if (name.startsWith("RATE_LIMIT")) return "requestLimits";
  if (name === "SNAPSHOT_RETENTION") return "snapshotRetentionDays";
  return name.toLowerCase().replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

describe("examples in the reference", () => {
  const zw = useZonewright({
    now: clockOfExamples(),
    // Lookups of expiry dates fail immediately.
    env: { RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json", WHOIS_SERVER: "127.0.0.1:9" },
  });
  const document = apiDocument();
  const calls = callsOf(document);

  test("an example body or answer fits its schema", () => {
    const wrong = calls.flatMap(({ operation: { operationId, requestBody, responses } }) => {
      const body = requestBody?.content["application/json"];
      const answer = (responses["200"] ?? responses["201"])?.content?.["application/json"];
      return [
        ...(body ? misfits(bodyExample(body, document), body.schema, document, `${operationId} body`) : []),
        ...(answer ? misfits(answerExample(answer, document), answer.schema, document, operationId) : []),
      ];
    });
    expect(calls.length).toBeGreaterThan(90);
    expect(wrong).toEqual([]);
  });

  /** They name an unknown link, invitation, passkey, program, device, identity provider, provider configuration, domain and user. */
  const strangers = new Set([
    "approveDevice",
    "createAssignment",
    "createIdentityConfig",
    "createMirror",
    "createPasskey",
    "createTsigKey",
    "exchangeCliCode",
    "exchangeDeviceCode",
    "findDevice",
    "refuseDevice",
    "register",
    "resetPassword",
    "verifyEmail",
  ]);
  const accepted: string[] = [];

  test.each(document.tags)(
    "example calls of $name are accepted and answered as the reference says",
    async ({ name }) => {
      const { blocks } = await page(`docs/reference/api/${anchor(name)}.md`);
      const scripts = blocks.filter(({ language }) => language === "sh");
      const operations = calls.map(({ operation }) => operation).filter(({ tags }) => tags[0] === name);
      expect(scripts).toHaveLength(operations.length);
      const codes: string[] = [];
      for (const { code } of scripts) codes.push(await onOwnDomain(code));
      const statuses = await statusesOf(codes);
      expect(statuses).toHaveLength(operations.length);
      const answers = operations.map(({ operationId, responses }, index) => ({
        operationId,
        status: statuses[index] ?? "",
        reported: Object.keys(responses),
      }));
      expect(answers.filter(({ status, reported }) => !reported.includes(status))).toEqual([]);
      const refused = answers.filter(({ status }) => status === "400").map(({ operationId }) => operationId);
      const ids = operations.map(({ operationId }) => operationId);
      expect(refused).toEqual(ids.filter((id) => strangers.has(id)));
      accepted.push(...answers.flatMap(({ operationId, status }) => (status.startsWith("2") ? [operationId] : [])));
    },
  );

  test("most example calls succeed", () => {
    expect(calls.filter(({ operation }) => strangers.has(operation.operationId))).toHaveLength(strangers.size);
    expect(accepted.length).toBeGreaterThan(50);
  });

  const exampleId = "01a1fb0f-6204-7000-abd4-276e976be8b7";
  let domains = 0;

  /** The same call on an existing domain. */
  async function onOwnDomain(script: string): Promise<string> {
    if (!script.includes(`/domains/${exampleId}`)) return script;
    const { body } = await zw.admin.post("/api/domains", { name: `example-${++domains}.org` });
    return script.replace(`/domains/${exampleId}`, `/domains/${(body as { id: string }).id}`);
  }

  /** A call for its status. */
  const finite = `command curl -sS -o /dev/null -w '%{http_code}' "$@"`;
  /** The same of an endless answer, which is aborted once its first line has come. */
  const endless = 'exec 3< <(command curl -sS -i "$@"); read -r _ status _ <&3; kill $!; printf %s "$status"';

  /** Runs calls one after another, in one shell because a large process starts others slowly. */
  async function statusesOf(codes: readonly string[]): Promise<string[]> {
    const script = codes.map((code) => {
      const call = code.includes("--no-buffer") ? endless : finite;
      return `(\ncurl() { ${call}; }\n${code}\n)\nprintf '${separator}'`;
    });
    const env = { ...process.env, ZONEWRIGHT: zw.url, TOKEN: zw.admin.token ?? "", TEMP_TOKEN: "none" };
    const { stdout } = await run("bash", ["-c", script.join("\n")], { env });
    return stdout.split(separator).slice(0, -1);
  }
});
