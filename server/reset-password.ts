import { randomBytes } from "node:crypto";
import { ConfigError, loadConfig } from "./ops/config/config.ts";
import { DatabaseUrlError } from "./database/connection-url.ts";
import { hasCluster } from "./database/new-cluster.ts";
import { InstallationError } from "./database/installation.ts";
import { FolderInUseError, lockFolder } from "./database/lock-file.ts";
import { AppError } from "./platform/errors.ts";
import { createLog } from "./platform/log.ts";

const usage = "Usage: npm run reset-password -- <username>";

/** For operators who are locked out: sets and prints a new password, revokes all other credentials of the account, and enables it. */
async function resetPassword(args: readonly string[]): Promise<string> {
  // Accepted for scripts of earlier versions; second factors are always removed.
  const [username, ...others] = args.filter((arg) => arg !== "--remove-second-factors");
  if (username === undefined || others.length > 0) throw new ConfigError(usage);
  const config = loadConfig(process.env);
  if (config.databaseUrl === undefined && !hasCluster(config.dataDir)) {
    throw new ConfigError(
      `DATA_DIR: there is no database in ${config.dataDir}. Set DATA_DIR and DATABASE_URL as they are set for the service.`,
    );
  }
  const unlock =
    config.databaseUrl === undefined ? await lockFolder(config.dataDir, () => process.exit(1)) : () => undefined;
  // They take most of a second to load, which a wrong call or a running service need not wait for.
  const [{ sql }, { theService }, { openDatabase }, { createServices }, { User }] = await Promise.all([
    import("@mikro-orm/core"),
    import("./access/caller.ts"),
    import("./database/database.ts"),
    import("./composition/services.ts"),
    import("./database/tables/users.ts"),
  ]);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir });
  const services = await createServices({ config, database, log: createLog("warn") });
  try {
    await database.alone(() => database.migrate());
    const user = await database.fork().findOne(User, { [sql.lower("username")]: username.toLowerCase() });
    if (!user) throw new ConfigError(`The user ${username} does not exist. Check the user name.`);
    const password = randomBytes(15).toString("base64url");
    // Read before: a rescue unlinks the identities of the account, and a role by group goes with them.
    const byGroup = user.role === "admin" && typeof user.ownRole === "string" && user.ownRole !== "admin";
    await services.userAdministration.update(database.fork(), theService, { id: user.id, password, disabled: false });
    const role = byGroup ? `\n${user.username} had the role admin from a group. It is now given by hand.` : "";
    return `New password of ${user.username}, shown only once: ${password}${role}`;
  } finally {
    await services.close();
    await database.close();
    unlock();
  }
}

try {
  process.stdout.write(`${await resetPassword(process.argv.slice(2))}\n`);
} catch (error) {
  const expected = [ConfigError, DatabaseUrlError, InstallationError, FolderInUseError, AppError].some(
    (kind) => error instanceof kind,
  );
  process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 1;
}
