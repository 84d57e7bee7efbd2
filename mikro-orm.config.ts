import { defineConfig } from "@mikro-orm/postgresql";
import { parseDatabaseUrl } from "./server/database/connection-url.ts";
import { postgresOptions } from "./server/database/database.ts";

/** For the MikroORM command line, against the database that DATABASE_URL names. The service itself migrates at its start. */
export default defineConfig(
  postgresOptions(parseDatabaseUrl(process.env["DATABASE_URL"] ?? "postgres://localhost/zonewright")),
);
