import { z } from "zod";
import { apiAddress } from "../../dns-providers/config-fields.ts";
import { cloudflareAddress, cloudflareMessage, refusesCloudflareToken } from "../../dns-providers/cloudflare/client.ts";
import { PageTurner } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { parseExpiryDate } from "../expiry/dates.ts";
import { RegistrarApi, type RegistrarAccount, type RegistrarKind } from "./registrar.ts";

// Cloudflare's Registrar API. Read on 2026-11-29: its description in cloudflare-typescript of 2026-08-18 (registrar/registrations: list, get, edit; the older
// registrar/domains ended in September 2026) and "API token permissions". Only automatic renewal can be changed. Name servers are Cloudflare's, whose DNSSEC
// sets the DS records, and neither is among what the API shows of a registration.

const configSchema = z.strictObject({
  apiToken: z
    .string("Enter an API token with the permission Registrar: Domains.")
    .regex(/^[!-~]{1,500}$/, "The API token must be up to 500 characters of plain ASCII without spaces."),
  accountId: z
    .string("Enter the account id.")
    .regex(
      /^[0-9a-f]{32}$/,
      "The account id must be 32 hexadecimal digits, as in the address of Cloudflare's dashboard.",
    ),
  endpoint: apiAddress(cloudflareAddress).default(cloudflareAddress),
});
type CloudflareConfig = z.infer<typeof configSchema>;

/** The limit is 1,200 calls in five minutes for each user, which DNS providers share. */
const limits = [{ calls: 1_100, seconds: 300 }];
const pageSize = 50;

const registration = z.object({
  domain_name: z.string(),
  auto_renew: maybe(z.boolean()),
  /** Null while the name is being registered. */
  expires_at: maybe(z.string()),
  locked: maybe(z.boolean()),
});
const listPage = z.object({
  result: z.array(registration),
  result_info: maybe(z.object({ cursor: maybe(z.string()) })),
});
/** A change is carried out by a workflow, which may take longer than its call. */
const workflow = z.object({
  result: z.object({ state: z.string(), error: maybe(z.object({ message: maybe(z.string()) })) }),
});
/** States in which a workflow waits for somebody. */
const waiting = new Set(["action_required", "blocked"]);

/** The domains of a Cloudflare account. */
export const cloudflare: RegistrarKind<CloudflareConfig> = {
  kind: "cloudflare",
  name: "Cloudflare",
  configFields: [
    { name: "apiToken", label: "API token", secret: true, required: true },
    { name: "accountId", label: "Account id", secret: false, required: true },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  changes: ["autoRenew"],
  connect: (config, environment) => cloudflareAccount(config, environment),
};

function cloudflareAccount(
  { apiToken, accountId, endpoint }: CloudflareConfig,
  environment: VendorEnvironment,
): RegistrarAccount {
  const quotas = { address: cloudflareAddress, limits };
  const api = new RegistrarApi(
    { name: cloudflare.name, address: endpoint, environment, secrets: [apiToken], account: accountId, quotas },
    { authorization: `Bearer ${apiToken}` },
    {
      isUnauthorized: ({ status, text }) => refusesCloudflareToken(status, text),
      messageOf: cloudflareMessage,
      advice:
        "Check the token, the account id, and that the token has the permission Registrar: Domains of this account (Read, or Edit to change automatic renewal).",
    },
  );
  const list = `/accounts/${accountId}/registrar/registrations`;
  const at = (name: string) => `${list}/${encodeURIComponent(name)}`;

  return {
    async domains() {
      const names: string[] = [];
      const turner = new PageTurner(cloudflare.name);
      for (let cursor = ""; ;) {
        const query = new URLSearchParams({ per_page: String(pageSize), ...(cursor !== "" && { cursor }) });
        const page = await api.call({ method: "GET", path: `${list}?${query}`, schema: listPage });
        names.push(...page.result.map((one) => one.domain_name.toLowerCase()));
        cursor = page.result_info?.cursor ?? "";
        if (cursor === "") return names;
        turner.turn(cursor);
      }
    },
    async read(name) {
      const found = await api.find({ method: "GET", path: at(name), schema: z.object({ result: registration }) });
      if (found === null) return null;
      const { domain_name, auto_renew: autoRenew, expires_at: expires, locked } = found.value.result;
      return {
        name: domain_name,
        expiresAt: expires === undefined ? null : parseExpiryDate(expires),
        autoRenew: autoRenew ?? null,
        locked: locked ?? null,
        nameServers: null,
        ds: null,
      };
    },
    async change(name, { autoRenew }) {
      if (autoRenew === undefined) return;
      const body = { auto_renew: autoRenew };
      const { result } = await api.call({ method: "PATCH", path: at(name), body, schema: workflow });
      const { state, error } = result;
      if (state === "failed") throw api.calls.error(error?.message ?? "the change failed without a reason.", "none");
      if (!waiting.has(state)) return;
      throw api.calls.failure(
        "waits for somebody to act on this change. Look at the domain in its dashboard.",
        "unknown",
      );
    },
  };
}
