import { z } from "zod";
import { adapterApi, adapterConfig, adapterFields, type WebhookConfig } from "../../dns-providers/webhook.ts";
import { PageTurner } from "../../dns-providers/vendor-api/pages.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { distinct, parseExpiryDate, readDs, readHostNames } from "../expiry/dates.ts";
import {
  changeableFields,
  isSame,
  RegistrarApi,
  type RegistrarAccount,
  type RegistrarChange,
  type RegistrarKind,
  type RegistrarState,
} from "./registrar.ts";

// The protocol of registrar adapters: docs/guide/registrar-adapters.md. Answers are read by these schemas, and
// docs/guide/registrar-adapter.openapi.json is generated from them (`npm run docs`). Unknown fields of answers are ignored.

const name = "Registrar adapter";

export const domainList = z
  .object({
    domains: z.array(z.string()).meta({
      description: "Registered names: A-labels without a trailing dot.",
      example: ["example.com", "xn--bcher-kva.example"],
    }),
    next: z.string().nullish().meta({
      description:
        "The cursor of the next page, such as the last name of this page; null or left out on the last page.",
      example: null,
    }),
  })
  .meta({ id: "DomainList", description: "A page of the list of names." });

export const registration = z
  .object({
    expiresAt: z
      .string()
      .nullish()
      .meta({ description: "When it expires, as an ISO 8601 time or date.", example: "2031-03-01T10:00:00Z" }),
    autoRenew: z.boolean().nullish().meta({ description: "Whether it renews itself." }),
    locked: z.boolean().nullish().meta({
      description: "Whether transfers to another registrar are refused: the status `clientTransferProhibited` of EPP.",
    }),
    nameServers: z
      .array(z.string())
      .nullish()
      .meta({ description: "Host names.", example: ["ns1.example.net", "ns2.example.net"] }),
    ds: z
      .array(z.string())
      .nullish()
      .meta({
        description: "DS records as in a zone file: key tag, algorithm, digest type and digest.",
        example: [`4711 13 2 ${"0f".repeat(32)}`],
      }),
  })
  .meta({ id: "Registration", description: "What the registrar says of a name. Null or left out: it does not say." });

const side = z.union([z.array(z.string()), z.boolean()]);

export const registrationChange = z
  .object({
    field: z
      .enum(changeableFields)
      .meta({ description: "The one field of the registration that changes.", example: "ds" }),
    before: side.nullable().meta({
      description: "What it was when the adapter last said, as the adapter said it; null if it did not say.",
      example: [],
    }),
    after: side.meta({
      description: "What it becomes. Names and digests are in lower case, and lists sorted.",
      example: [`4711 13 2 ${"0f".repeat(32)}`],
    }),
    keys: z
      .array(
        z
          .object({
            ds: z.string().meta({
              description: "The DS record in `after` that is made of it.",
              example: `4711 13 2 ${"0f".repeat(32)}`,
            }),
            flags: z.int().meta({ description: "257 for a key-signing key.", example: 257 }),
            algorithm: z.int().meta({ description: "The algorithm's number (IANA).", example: 13 }),
            publicKey: z.string().meta({ description: "The public key in Base64.", example: "kpPM…" }),
          })
          .meta({ id: "PublishedKey", description: "A DNSKEY of the zone." }),
      )
      .optional()
      .meta({
        description: "With the field `ds`: the keys of these DS records, for registries that take keys instead.",
      }),
  })
  .meta({
    id: "RegistrationChange",
    description: "A change of one field. Nothing in it registers, renews or transfers a name.",
  });

/** The names at any server that speaks the protocol of docs/guide/registrar-adapter.openapi.json. */
export const eppWebhook: RegistrarKind<WebhookConfig> = {
  kind: "epp-webhook",
  name,
  configFields: adapterFields,
  addresses: ["url"],
  configSchema: adapterConfig,
  changes: [...changeableFields],
  connect: (config, environment) => adapterAccount(config, environment),
};

function adapterAccount(config: WebhookConfig, environment: VendorEnvironment): RegistrarAccount {
  const api = new RegistrarApi(adapterApi(config, environment, { name, of: "registrar configuration" }));
  /** What the adapter said last of each name. */
  const said = new Map<string, z.infer<typeof registration>>();

  return {
    async domains() {
      const names: string[] = [];
      const turner = new PageTurner(name);
      for (let query = ""; ;) {
        const { domains, next } = await api.call({ method: "GET", path: `/domains${query}`, schema: domainList });
        names.push(...domains.map((one) => one.toLowerCase()));
        if (next === null || next === undefined || next === "") return names;
        turner.turn(next);
        query = `?cursor=${encodeURIComponent(next)}`;
      }
    },
    async read(domain) {
      const found = await api.find({ method: "GET", path: at(domain), schema: registration });
      if (found === null) return null;
      said.set(domain, found.value);
      return { ...stateOf(found.value), name: null };
    },
    async change(domain, change, known) {
      const last = said.get(domain);
      const state = last && stateOf(last);
      for (const field of changeableFields) {
        const body = bodyOf(field, change);
        if (body === null) continue;
        // The adapter compares this with what it has.
        const before = last && state && isSame(state[field], known[field]) ? (last[field] ?? null) : known[field];
        const path = `${at(domain)}/changes`;
        await api.call({ method: "POST", path, body: { ...body, before }, schema: z.unknown() });
      }
    },
  };
}

/** Returns what an adapter says in canonical form. */
function stateOf({ expiresAt, autoRenew, locked, nameServers, ds }: z.infer<typeof registration>): RegistrarState {
  return {
    expiresAt: expiresAt ? parseExpiryDate(expiresAt) : null,
    autoRenew: autoRenew ?? null,
    locked: locked ?? null,
    nameServers: nameServers ? readHostNames(nameServers) : null,
    ds: ds ? distinct(ds.flatMap((one) => readDs(one) ?? [])) : null,
  };
}

const at = (domain: string) => `/domains/${encodeURIComponent(domain)}`;

/** Returns what is sent of a change; null if it does not change this field. */
function bodyOf(field: keyof RegistrarChange, change: RegistrarChange) {
  if (change[field] === undefined) return null;
  if (field !== "ds") return { field, after: change[field] };
  const { ds = [] } = change;
  const keys = ds.flatMap((one) => (one.key ? [{ ds: one.ds, ...one.key }] : []));
  return { field, after: ds.map((one) => one.ds), ...(keys.length > 0 && { keys }) };
}
