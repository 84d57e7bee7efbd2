import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase, queries } from "../../../server/database/database.ts";
import { migrations } from "../../../server/database/migrations/list.ts";
import { placeEmptyCluster } from "../../support/empty-cluster.ts";

const user = (name: string, role: string, email: string | null) =>
  sql`insert into users (id, username, email, role) values (gen_random_uuid(), ${name}, ${email}, ${role})`;

test("an upgrade marks existing addresses as verified and ends invitations whose creators may no longer invite", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-upgrade-"));
  await placeEmptyCluster(dataDir);
  const since = migrations.findIndex(({ name }) => name === "0018-ways-in");
  // Other migrations do not depend on it, and opening a database needs some of them.
  const [added] = migrations.splice(since, 1);
  if (!added) throw new Error("There is no such migration.");
  try {
    const old = await openDatabase({ databaseUrl: undefined, dataDir });
    await old.migrate();
    for (const one of [
      user("ada", "member", "Ada@example.com"),
      user("root", "admin", null),
      user("eve", "member", null),
    ])
      await one.execute(queries(old.fork()));
    for (const maker of ["root", "eve", "nobody"])
      await sql`insert into invitations (id, code_hash, role, max_uses, created_by, created_at)
        values (gen_random_uuid(), ${maker}, 'admin', 1, coalesce((select id from users where username = ${maker}), gen_random_uuid()), now())`.execute(
        queries(old.fork()),
      );
    await old.close();
    migrations.splice(since, 0, added);
    const upgraded = await openDatabase({ databaseUrl: undefined, dataDir });
    await upgraded.migrate();
    const db = queries(upgraded.fork());
    const users = await db.selectFrom("users").select(["username", "email_verified_by"]).orderBy("username").execute();
    expect(users).toEqual([
      { username: "ada", email_verified_by: "administrator" },
      { username: "eve", email_verified_by: null },
      { username: "root", email_verified_by: null },
    ]);
    const open = await db.selectFrom("invitations").select("code_hash").where("ended_at", "is", null).execute();
    expect(open).toEqual([{ code_hash: "root" }]);
    await upgraded.close();
  } finally {
    if (!migrations.includes(added)) migrations.splice(since, 0, added);
    await rm(dataDir, { recursive: true, force: true });
  }
});
