import { defineConfig } from "@mikro-orm/postgresql";
import { parseDatabaseUrl } from "./server/database/connection-url.ts";
import { postgresOptions } from "./server/database/database.ts";

/** Configures the MikroORM command line for the database in DATABASE_URL. The service itself migrates at startup. */
export default defineConfig(
  postgresOptions(parseDatabaseUrl(process.env["DATABASE_URL"] ?? "postgres://localhost/zonewright")),
);
