import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startArguments, thisCheckout } from "../../bench/support/start-script.ts";
import { run } from "../support/programs.ts";

const options = startArguments(thisCheckout).slice(0, -1);
const text = (file: string) => readFileSync(join(thisCheckout, file), "utf8");

test("npm, the container and systemd start Node with the same options", () => {
  const [, container = "[]"] = /^CMD (.+)$/m.exec(text("Dockerfile")) ?? [];
  const [, unit = ""] = /^ExecStart=\S+ (.+)$/m.exec(text("docs/operations/zonewright.service")) ?? [];
  expect(JSON.parse(container)).toEqual(["node", ...options, "server/main.ts"]);
  expect(unit.split(" ")).toEqual([...options, "server/main.ts"]);
  expect(text("docs/operations/monitoring.md")).toContain(`\`node ${options.join(" ")} server/main.ts\``);
});

test("npm run reset-password uses the same Node options as npm start", () => {
  const { scripts } = JSON.parse(text("package.json")) as { scripts: Record<string, string> };
  expect(scripts["reset-password"]).toBe(["node", ...options, "server/reset-password.ts"].join(" "));
});

test("this Node knows the options that the service is started with", async () => {
  expect(options.length).toBeGreaterThan(0);
  expect(await run(process.execPath, [...options, "--eval", "0"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await run(process.execPath, ["--no-such-option-of-node", "--eval", "0"])).exitCode).not.toBe(0);
});

test("what the service loads late, it loads once it has started, so that it needs no file of an older installation", () => {
  // They run before requests are served, or in a process of their own. app.ts registers what http-agent.ts loads.
  const early = [
    "main.ts",
    "start.ts",
    "reset-password.ts",
    "database/database.ts",
    "database/new-cluster.ts",
    "platform/redis.ts",
    "platform/net/http-agent.ts",
  ];
  const files = globSync("server/**/*.ts", { cwd: thisCheckout }).filter((file) => /\bimport\("/.test(text(file)));
  expect(files.length).toBeGreaterThan(early.length);
  const others = files.filter((file) => !early.includes(file.replace("server/", "")));
  expect(others.filter((file) => !text(file).includes("loadedLate("))).toEqual([]);
  expect(
    others.filter((file) => text(file).includes("await import(") && !/loadedLate\(async/.test(text(file))),
  ).toEqual([]);
});
