import { defineConfig } from "@mikro-orm/postgresql";
import { ormOptions } from "./server/database/database.ts";

/** For the MikroORM command line, against the database that DATABASE_URL names. The service itself migrates at its start. */
export default defineConfig({
  ...ormOptions,
  clientUrl: process.env["DATABASE_URL"] ?? "postgres://localhost/zonewright",
});
