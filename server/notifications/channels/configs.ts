/** The `config` of each kind of channel. Clients see these types, so they reference nothing else of the server. */
export interface ChannelConfigs {
  email: {
    /** An address, or up to twenty. */
    to: string | string[];
  };
  webhook: {
    /** The receiver's URL. */
    url: string;
    /** The signing key (Standard Webhooks 1.0). */
    secret: string;
  };
  web: {
    /** Notify all administrators. */
    administrators?: boolean | undefined;
    /** Notify these users. */
    userIds?: string[] | undefined;
  };
  dingtalk: {
    /** The robot's URL. */
    webhookUrl: string;
    /** The robot's signing secret, if it verifies signatures. */
    secret?: string | null | undefined;
  };
  feishu: ChannelConfigs["dingtalk"];
  slack: {
    /** The incoming webhook's URL. */
    webhookUrl: string;
  };
}

/** A channel with a `config`. `channel` determines its type. */
export type WithConfig<Fields> = {
  [Kind in keyof ChannelConfigs]: Fields & { channel: Kind; config: ChannelConfigs[Kind] };
}[keyof ChannelConfigs];

/** A channel as shown: secrets are masked, and `config` is empty if no key decrypts it. */
export type WithShownConfig<Fields> = {
  [Kind in keyof ChannelConfigs]: Fields & { channel: Kind; config: Partial<ChannelConfigs[Kind]> };
}[keyof ChannelConfigs];

/** A change of a channel; omitted secrets stay. `channel`, which cannot change, determines the type of `config` if given. */
export type WithConfigPatch<Fields> =
  | {
      [Kind in keyof ChannelConfigs]: Fields & { channel: Kind; config?: Partial<ChannelConfigs[Kind]> | undefined };
    }[keyof ChannelConfigs]
  | (Fields & { channel?: undefined; config?: Partial<ChannelConfigs[keyof ChannelConfigs]> | undefined });
