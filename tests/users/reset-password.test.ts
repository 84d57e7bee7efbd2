import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type ServiceProcess } from "../support/service-process.ts";
import { adminPassword } from "../support/zonewright.ts";
import { RestClient } from "../support/rest-client.ts";

const program = new URL("../../server/reset-password.ts", import.meta.url).pathname;
let dataDir: string;
let service: ServiceProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-reset-"));
  service = await startService({ DATA_DIR: dataDir });
});

afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

function reset(...args: string[]) {
  const env = { PATH: process.env["PATH"], DATA_DIR: dataDir };
  return promisify(execFile)(process.execPath, [program, ...args], { env });
}

function login(password: string) {
  return new RestClient(service.url).post("/api/auth/login", { username: "admin", password });
}

test("an operator who is locked out gets a new password, once the service is stopped", async () => {
  await expect(reset("admin")).rejects.toThrow(/is in use by process/);
  await service.close();
  await expect(reset()).rejects.toThrow(/Usage: npm run reset-password/);
  await expect(reset("nobody")).rejects.toThrow(/There is no user nobody\./);
  const { stdout } = await reset("ADMIN");
  const [, password = ""] = /^New password of admin, shown this once: (\S{20})\n$/.exec(stdout) ?? [];
  service = await startService({ DATA_DIR: dataDir });
  expect((await login(adminPassword)).status).toBe(401);
  expect((await login(password)).status).toBe(200);
  // The service starts twice, and the program four times.
}, 120_000);
