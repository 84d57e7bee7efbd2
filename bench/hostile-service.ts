import { loadConfig } from "../server/ops/config/config.ts";
import { startServer } from "../server/start.ts";
import { watchLoop } from "./support/loop-delay.ts";

/** The unmodified service with a monitored event loop. Runs as its own process, with the service's variables. */
const { url } = await startServer(loadConfig(process.env), { announce: () => undefined });
watchLoop();
process.send?.({ url });
