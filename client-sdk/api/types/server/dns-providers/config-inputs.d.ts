export interface Timed {
    timeoutSeconds?: number | undefined;
}
export interface ProviderConfigInputs {
    zonefile: {
        folder?: string | undefined;
        hostmaster?: string | undefined;
        checkNames?: "bind" | "off" | undefined;
        maxRecordsPerType?: number | undefined;
        maxTypesPerName?: number | undefined;
    };
    rfc2136: Timed & {
        server: string;
        port?: number | undefined;
        tsigName: string;
        tsigAlgorithm?: "hmac-sha256" | "hmac-sha512" | "hmac-sha384" | "hmac-sha1" | undefined;
        tsigSecret: string;
        zones?: string | undefined;
    };
    powerdns: Timed & {
        url: string;
        apiKey: string;
        serverId?: string | undefined;
    };
    primary: {
        nameServers: string;
        contact: string;
        primaryName?: string | undefined;
        notify?: string | undefined;
        signingSecondaries?: string | undefined;
        allowTransfer?: string | undefined;
        tsigKeys?: string | undefined;
        catalogZone?: string | undefined;
        refreshSeconds?: number | undefined;
        retrySeconds?: number | undefined;
        expireSeconds?: number | undefined;
        negativeTtlSeconds?: number | undefined;
        defaultTtl?: number | undefined;
    };
    cloudflare: {
        apiToken: string;
        accountId?: string | undefined;
        endpoint?: string | undefined;
    };
    route53: {
        accessKeyId: string;
        secretAccessKey: string;
        hostedZoneIds?: string | undefined;
        delegationSetId?: string | undefined;
        endpoint?: string | undefined;
    };
    digitalocean: {
        token: string;
        endpoint?: string | undefined;
    };
    alidns: {
        accessKeyId: string;
        accessKeySecret: string;
        url?: string | undefined;
    };
    dnspod: {
        secretId: string;
        secretKey: string;
        url?: string | undefined;
    };
    manual: Record<string, never>;
}
export type NewProviderConfig = {
    [Kind in keyof ProviderConfigInputs]: {
        kind: Kind;
        name: string;
        membersMayUse?: boolean | undefined;
    } & (Record<string, never> extends ProviderConfigInputs[Kind] ? {
        config?: ProviderConfigInputs[Kind] | undefined;
    } : {
        config: ProviderConfigInputs[Kind];
    });
}[keyof ProviderConfigInputs];
export type WithShownProviderConfig<Fields> = {
    [Kind in keyof ProviderConfigInputs]: Fields & {
        kind: Kind;
        config: Partial<ProviderConfigInputs[Kind]>;
    };
}[keyof ProviderConfigInputs];
