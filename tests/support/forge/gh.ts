import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { jq } from "./jq.ts";

/**
 * Stands in for GitHub's `gh`, as far as the workflow in the documentation uses it. `FORGE` is the address of the API. As with the real one, `--jq`
 * filters each page by itself.
 */
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jq: text, method: text, field: text, "body-file": text, silent: flag, paginate: flag },
});

async function call(path: string, method: string, file: string | undefined): Promise<Response> {
  const body = file === undefined ? null : JSON.stringify({ body: await readFile(file, "utf8") });
  const response = await fetch(new URL(path, process.env["FORGE"]), { method, body });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response;
}

async function api(path: string): Promise<void> {
  const [, file] = /^body=@(.+)$/.exec(values.field ?? "") ?? [];
  for (let next: string | undefined = `/${path}`; next !== undefined;) {
    const response = await call(next, values.method ?? "GET", file);
    const answer: unknown = await response.json();
    const shown = values.jq === undefined ? [JSON.stringify(answer)] : jq(values.jq, answer);
    if (values.silent !== true) for (const one of shown) process.stdout.write(`${String(one)}\n`);
    [, next] = (values.paginate && /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")) || [];
  }
}

const [command, first = "", second = ""] = positionals;
if (command === "api") await api(first);
else if (command === "pr" && first === "comment")
  await call(`/repos/${process.env["GITHUB_REPOSITORY"]}/issues/${second}/comments`, "POST", values["body-file"]);
else throw new Error(`Unknown command: ${process.argv.slice(2).join(" ")}`);
