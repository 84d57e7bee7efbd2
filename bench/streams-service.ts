import { loadConfig } from "../server/ops/config/config.ts";
import { startServer } from "../server/start.ts";
import { takeOrders } from "./support/stream-orders.ts";

/** The unmodified service, which notifies users on request. Runs as its own process, with the service's variables. */
const { services } = await startServer(loadConfig(process.env), { announce: () => undefined });

takeOrders((userIds, title) =>
  services.notifications.notify(services.database.fork(), {
    event: "zone.drift",
    title,
    content: "A sync would add 1 record, change 0 and delete 0.",
    level: "warning",
    metadata: { domainId: "01a1fb0f-6204-7000-abd4-276e976be8b7", domainName: "example.com" },
    to: { userIds },
  }),
);
