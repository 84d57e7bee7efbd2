import { PGlite } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";

/** Opens the embedded database of a data folder, runs one query and exits, to measure PGlite's share of a start. */
const [folder = ""] = process.argv.slice(2);
const database = new PGlite({ dataDir: folder, extensions: { btree_gin, pg_trgm } });
await database.query("select 1");
process.stdout.write("answered\n");
process.once("SIGTERM", () => {
  void database.close().then(() => process.exit(0));
});
setInterval(() => undefined, 60_000);
