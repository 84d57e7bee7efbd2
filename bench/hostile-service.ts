import { loadConfig } from "../server/config/config.ts";
import { startServer } from "../server/start.ts";
import { watchLoop } from "./support/loop-delay.ts";

/** The service as it is, with its event loop watched. Started as a process of its own, with the service's variables. */
const { url } = await startServer(loadConfig(process.env), { announce: () => undefined });
watchLoop();
process.send?.({ url });
