/**
 * Seconds to wait for an answer: 1 to 600.
 * @public The declarations of the client name it.
 */
export interface Timed {
  timeoutSeconds?: number | undefined;
}

/** The `config` of each kind of provider. Clients see these types, so they reference nothing else of the server. */
export interface ProviderConfigInputs {
  zonefile: {
    /** Absolute, or relative to the service's own folder; that folder itself if left out. */
    folder?: string | undefined;
    /** The mailbox in the SOA of new zones. */
    hostmaster?: string | undefined;
    checkNames?: "bind" | "off" | undefined;
    /** 0: no limit. */
    maxRecordsPerType?: number | undefined;
    /** 0: no limit. */
    maxTypesPerName?: number | undefined;
  };
  rfc2136: Timed & {
    /** Host name or address of the name server. */
    server: string;
    port?: number | undefined;
    tsigName: string;
    tsigAlgorithm?: "hmac-sha256" | "hmac-sha512" | "hmac-sha384" | "hmac-sha1" | undefined;
    /** Base64. */
    tsigSecret: string;
    /** Zone names separated by commas. */
    zones?: string | undefined;
  };
  powerdns: Timed & { url: string; apiKey: string; serverId?: string | undefined };
  primary: {
    /** Names of the published name servers, separated by commas. */
    nameServers: string;
    /** Mail address. */
    contact: string;
    /** The primary's name in the SOA; the first name server if left out. */
    primaryName?: string | undefined;
    /** `address`, `address:port` or `[v6]:port` of each secondary, separated by commas. */
    notify?: string | undefined;
    /** Those of `notify` that sign the zones by themselves, written as there. */
    signingSecondaries?: string | undefined;
    /** Addresses and networks, separated by commas. */
    allowTransfer?: string | undefined;
    /** `name:algorithm:secret`, separated by commas. */
    tsigKeys?: string | undefined;
    /** A zone name. */
    catalogZone?: string | undefined;
    refreshSeconds?: number | undefined;
    retrySeconds?: number | undefined;
    expireSeconds?: number | undefined;
    negativeTtlSeconds?: number | undefined;
    defaultTtl?: number | undefined;
  };
  cloudflare: { apiToken: string; accountId?: string | undefined; endpoint?: string | undefined };
  route53: {
    accessKeyId: string;
    secretAccessKey: string;
    /** Hosted zone ids separated by commas. */
    hostedZoneIds?: string | undefined;
    /** The id of a reusable delegation set, whose name servers new zones get. */
    delegationSetId?: string | undefined;
    endpoint?: string | undefined;
  };
  gcloud: {
    /** The JSON file of a service account's key. */
    serviceAccountKey: string;
    /** The key's own project if left out. */
    projectId?: string | undefined;
    endpoint?: string | undefined;
  };
  azure: {
    tenantId: string;
    clientId: string;
    clientSecret: string;
    subscriptionId: string;
    /** All of the subscription if left out. */
    resourceGroup?: string | undefined;
    endpoint?: string | undefined;
  };
  digitalocean: { token: string; endpoint?: string | undefined };
  desec: { token: string; endpoint?: string | undefined };
  gandi: { token: string; endpoint?: string | undefined };
  hetzner: { token: string; endpoint?: string | undefined };
  ns1: { apiKey: string; endpoint?: string | undefined };
  scaleway: { secretKey: string; projectId?: string | undefined; endpoint?: string | undefined };
  alidns: { accessKeyId: string; accessKeySecret: string; url?: string | undefined };
  dnspod: { secretId: string; secretKey: string; url?: string | undefined };
  huaweicloud: { accessKey: string; secretKey: string; endpoint?: string | undefined };
  linode: { token: string; endpoint?: string | undefined };
  vultr: { apiKey: string; endpoint?: string | undefined };
  porkbun: { apiKey: string; secretKey: string; endpoint?: string | undefined };
  dnsimple: { token: string; endpoint?: string | undefined };
  bunny: { apiKey: string; endpoint?: string | undefined };
  ovh: { applicationKey: string; applicationSecret: string; consumerKey: string; endpoint?: string | undefined };
  inwx: {
    username: string;
    password: string;
    /** Base32, of a user with a second factor. */
    sharedSecret?: string | undefined;
    endpoint?: string | undefined;
  };
  webhook: Timed & {
    url: string;
    token?: string | undefined;
    /** PEM. */
    clientCertificate?: string | undefined;
    /** PEM, without a passphrase. */
    clientKey?: string | undefined;
  };
  manual: Record<string, never>;
}

/** A new provider configuration. `kind` determines the type of `config`. */
export type NewProviderConfig = {
  [Kind in keyof ProviderConfigInputs]: {
    kind: Kind;
    /** Display name; unique. */
    name: string;
    /** Whether members may add domains with it. Default: false. */
    membersMayUse?: boolean | undefined;
  } & (Record<string, never> extends ProviderConfigInputs[Kind]
    ? { config?: ProviderConfigInputs[Kind] | undefined }
    : { config: ProviderConfigInputs[Kind] });
}[keyof ProviderConfigInputs];

/** A provider configuration as shown: secrets are masked. `kind` determines the type of `config`. */
export type WithShownProviderConfig<Fields> = {
  [Kind in keyof ProviderConfigInputs]: Fields & { kind: Kind; config: Partial<ProviderConfigInputs[Kind]> };
}[keyof ProviderConfigInputs];
