import { expect, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { proxyOf } from "../support/proxy.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

test("tokens are managed after a sign-in, which asks for a password, or with an access token", async () => {
  const sign = `admin\n${adminPassword}\n`;
  expect((await cli.run(["tokens"])).stderr).toBe(
    "Managing tokens needs a sign-in. Run this on a terminal, or set ZONEWRIGHT_TOKEN to an access token.\n",
  );
  const listed = await cli.run(["tokens"], { columns: 120, input: sign });
  expect(listed.stdout).toMatch(/^token +permissions/);
  expect(listed.stdout).toContain("Tests");
  expect(listed.stderr).not.toContain(adminPassword);
  const added = await cli.run(
    ["tokens", "add", "--name", "backup", "--permission", "records:read", "--expires", "90d"],
    {
      columns: 80,
      input: sign,
    },
  );
  expect(added.stdout).toMatch(/^zw_pt_\w+\n$/);
  expect(await cli.run(["tokens"], { columns: 80, input: "admin\nwrong password of mine\n" })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /The username or password is wrong\. If you have no password, manage your tokens in the console: \S+\/account\/tokens\.\n$/,
    ),
  });
  const env = { ZONEWRIGHT_TOKEN: zw.admin.token ?? "" };
  expect(await cli.json(["tokens"], { env })).toMatchObject({ total: 2 });
  expect(await cli.json(["whoami"], { env })).toMatchObject({ username: "admin" });
  expect(await cli.must(["tokens", "rm", "backup", "--yes"], { env })).toBe("Deleted.\n");
  expect((await cli.run(["tokens", "rm", "backup", "--yes"], { env })).stderr).toBe(
    "You have no token backup. `zonewright tokens` lists them.\n",
  );
});

test("a token is shown although the sign-out after it fails", async () => {
  const url = await proxyOf(zw, (call) =>
    Promise.resolve(call === "/api/auth/logout" ? { status: 503, text: "<html>503</html>" } : undefined),
  );
  const added = await cli.run(["tokens", "add", "--name", "kept", "--permission", "records:read"], {
    columns: 80,
    env: { ZONEWRIGHT_URL: url },
    input: `admin\n${adminPassword}\n`,
  });
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^zw_pt_\w+\n$/) });
  expect(added.stderr).toContain(
    "The sign-out failed, so the sign-in of this command stays valid for up to 24 hours. HTTP 503 from ",
  );
  await cli.must(["tokens", "rm", "kept", "--yes"], { env: { ZONEWRIGHT_TOKEN: zw.admin.token ?? "" } });
});
