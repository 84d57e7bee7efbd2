/**
 * The service as `npm start` runs it, except that a test has its jobs run when it wants: SIGUSR2 asks for those that are named as arguments.
 * What a killed process was at is taken over ten seconds later, the least that the queue allows, instead of within a minute. SIGHUP sets its
 * clock four minutes ahead, and the next one back: less than what TSIG allows (RFC 8945 §5.2.3).
 */
import { loadConfig } from "../../server/ops/config/config.ts";
import { startServer } from "../../server/start.ts";

let aheadMilliseconds = 0;
process.on("SIGHUP", () => {
  aheadMilliseconds = aheadMilliseconds === 0 ? 240_000 : 0;
});
const starting = startServer(loadConfig(process.env), {
  now: () => new Date(Date.now() + aheadMilliseconds),
  announce: (message) => void process.stdout.write(`${message}\n`),
  jobTiming: { heartbeat: 10, supervise: 1, poll: 0.5 },
});
process.on("SIGUSR2", () => void starting.then(enqueue));
process.once("SIGTERM", () => void starting.then((server) => server.stop()).then(() => process.exit(0)));

async function enqueue({ services: { jobs, database } }: Awaited<typeof starting>): Promise<void> {
  // One that waits already is not asked for twice.
  for (const name of process.argv.slice(2)) await jobs.enqueue(database.fork(), name, {});
}
