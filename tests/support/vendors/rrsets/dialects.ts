import { azure } from "./azure.ts";
import { desec } from "./desec.ts";
import { gandi } from "./gandi.ts";
import { gcloud } from "./gcloud.ts";
import { hetzner } from "./hetzner.ts";
import { huaweicloud } from "./huaweicloud.ts";
import { ns1 } from "./ns1.ts";
import { scaleway } from "./scaleway.ts";
import type { RrsetDialect } from "./server.ts";
import { webhook } from "./webhook.ts";

/** Every vendor whose API writes RRsets. */
export const rrsetDialects: readonly RrsetDialect[] = [
  azure,
  desec,
  gandi,
  gcloud,
  hetzner,
  huaweicloud,
  ns1,
  scaleway,
  webhook,
];
