export interface ChannelConfigs {
    email: {
        to: string | string[];
    };
    webhook: {
        url: string;
        secret: string;
    };
    web: {
        administrators?: boolean | undefined;
        userIds?: string[] | undefined;
    };
    dingtalk: {
        webhookUrl: string;
        secret?: string | null | undefined;
    };
    feishu: ChannelConfigs["dingtalk"];
    slack: {
        webhookUrl: string;
    };
}
export type WithConfig<Fields> = {
    [Kind in keyof ChannelConfigs]: Fields & {
        channel: Kind;
        config: ChannelConfigs[Kind];
    };
}[keyof ChannelConfigs];
export type WithShownConfig<Fields> = {
    [Kind in keyof ChannelConfigs]: Fields & {
        channel: Kind;
        config: Partial<ChannelConfigs[Kind]>;
    };
}[keyof ChannelConfigs];
export type WithConfigPatch<Fields> = {
    [Kind in keyof ChannelConfigs]: Fields & {
        channel: Kind;
        config?: Partial<ChannelConfigs[Kind]> | undefined;
    };
}[keyof ChannelConfigs] | (Fields & {
    channel?: undefined;
    config?: Partial<ChannelConfigs[keyof ChannelConfigs]> | undefined;
});
