import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "./app-router.js";
type Inferred = TRPCClient<AppRouter>;
export interface AuthProcedures {
    login: {
        mutate: Inferred["auth"]["login"]["mutate"];
    };
    passkeyOptions: {
        mutate: Inferred["auth"]["passkeyOptions"]["mutate"];
    };
    passkey: {
        mutate: Inferred["auth"]["passkey"]["mutate"];
    };
    refresh: {
        mutate: Inferred["auth"]["refresh"]["mutate"];
    };
    logout: {
        mutate: Inferred["auth"]["logout"]["mutate"];
    };
    register: {
        mutate: Inferred["auth"]["register"]["mutate"];
    };
    forgotPassword: {
        mutate: Inferred["auth"]["forgotPassword"]["mutate"];
    };
    resetPassword: {
        mutate: Inferred["auth"]["resetPassword"]["mutate"];
    };
    verifyEmail: {
        mutate: Inferred["auth"]["verifyEmail"]["mutate"];
    };
    me: {
        query: Inferred["auth"]["me"]["query"];
    };
    confirmOptions: {
        mutate: Inferred["auth"]["confirmOptions"]["mutate"];
    };
    confirm: {
        mutate: Inferred["auth"]["confirm"]["mutate"];
    };
}
export interface TwoFactorProcedures {
    get: {
        query: Inferred["twoFactor"]["get"]["query"];
    };
    setupTotp: {
        mutate: Inferred["twoFactor"]["setupTotp"]["mutate"];
    };
    enableTotp: {
        mutate: Inferred["twoFactor"]["enableTotp"]["mutate"];
    };
    disableTotp: {
        mutate: Inferred["twoFactor"]["disableTotp"]["mutate"];
    };
    enableEmail: {
        mutate: Inferred["twoFactor"]["enableEmail"]["mutate"];
    };
    disableEmail: {
        mutate: Inferred["twoFactor"]["disableEmail"]["mutate"];
    };
    passkeyCreationOptions: {
        mutate: Inferred["twoFactor"]["passkeyCreationOptions"]["mutate"];
    };
    createPasskey: {
        mutate: Inferred["twoFactor"]["createPasskey"]["mutate"];
    };
    deletePasskey: {
        mutate: Inferred["twoFactor"]["deletePasskey"]["mutate"];
    };
    createRecoveryCodes: {
        mutate: Inferred["twoFactor"]["createRecoveryCodes"]["mutate"];
    };
    sendEmailCode: {
        mutate: Inferred["twoFactor"]["sendEmailCode"]["mutate"];
    };
    passkeyOptions: {
        mutate: Inferred["twoFactor"]["passkeyOptions"]["mutate"];
    };
    verify: {
        mutate: Inferred["twoFactor"]["verify"]["mutate"];
    };
}
export interface TokensProcedures {
    list: {
        query: Inferred["tokens"]["list"]["query"];
    };
    create: {
        mutate: Inferred["tokens"]["create"]["mutate"];
    };
    delete: {
        mutate: Inferred["tokens"]["delete"]["mutate"];
    };
}
export interface TsigKeysProcedures {
    list: {
        query: Inferred["tsigKeys"]["list"]["query"];
    };
    create: {
        mutate: Inferred["tsigKeys"]["create"]["mutate"];
    };
    delete: {
        mutate: Inferred["tsigKeys"]["delete"]["mutate"];
    };
    listAll: {
        query: Inferred["tsigKeys"]["listAll"]["query"];
    };
    revoke: {
        mutate: Inferred["tsigKeys"]["revoke"]["mutate"];
    };
}
export interface SessionsProcedures {
    list: {
        query: Inferred["sessions"]["list"]["query"];
    };
    delete: {
        mutate: Inferred["sessions"]["delete"]["mutate"];
    };
}
export interface ProfileProcedures {
    update: {
        mutate: Inferred["profile"]["update"]["mutate"];
    };
    changePassword: {
        mutate: Inferred["profile"]["changePassword"]["mutate"];
    };
    changeEmail: {
        mutate: Inferred["profile"]["changeEmail"]["mutate"];
    };
    resendVerification: {
        mutate: Inferred["profile"]["resendVerification"]["mutate"];
    };
}
export interface UsersProcedures {
    list: {
        query: Inferred["users"]["list"]["query"];
    };
    get: {
        query: Inferred["users"]["get"]["query"];
    };
    create: {
        mutate: Inferred["users"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["users"]["update"]["mutate"];
    };
    access: {
        query: Inferred["users"]["access"]["query"];
    };
    revokeAccess: {
        mutate: Inferred["users"]["revokeAccess"]["mutate"];
    };
    delete: {
        mutate: Inferred["users"]["delete"]["mutate"];
    };
}
export interface InvitationsProcedures {
    list: {
        query: Inferred["invitations"]["list"]["query"];
    };
    create: {
        mutate: Inferred["invitations"]["create"]["mutate"];
    };
    delete: {
        mutate: Inferred["invitations"]["delete"]["mutate"];
    };
}
export interface IdentityProcedures {
    providers: {
        query: Inferred["identity"]["providers"]["query"];
    };
    callbackUrl: {
        query: Inferred["identity"]["callbackUrl"]["query"];
    };
    exchangeTicket: {
        mutate: Inferred["identity"]["exchangeTicket"]["mutate"];
    };
    bindStart: {
        mutate: Inferred["identity"]["bindStart"]["mutate"];
    };
    register: {
        mutate: Inferred["identity"]["register"]["mutate"];
    };
    bindings: {
        query: Inferred["identity"]["bindings"]["query"];
    };
    unbind: {
        mutate: Inferred["identity"]["unbind"]["mutate"];
    };
}
export interface IdentityConfigsProcedures {
    list: {
        query: Inferred["identityConfigs"]["list"]["query"];
    };
    create: {
        mutate: Inferred["identityConfigs"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["identityConfigs"]["update"]["mutate"];
    };
    testGroups: {
        mutate: Inferred["identityConfigs"]["testGroups"]["mutate"];
    };
    delete: {
        mutate: Inferred["identityConfigs"]["delete"]["mutate"];
    };
}
export interface DomainsProcedures {
    list: {
        query: Inferred["domains"]["list"]["query"];
    };
    tags: {
        query: Inferred["domains"]["tags"]["query"];
    };
    zoneOf: {
        query: Inferred["domains"]["zoneOf"]["query"];
    };
    get: {
        query: Inferred["domains"]["get"]["query"];
    };
    watch: {
        subscribe: Inferred["domains"]["watch"]["subscribe"];
    };
    create: {
        mutate: Inferred["domains"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["domains"]["update"]["mutate"];
    };
    delete: {
        mutate: Inferred["domains"]["delete"]["mutate"];
    };
    sync: {
        mutate: Inferred["domains"]["sync"]["mutate"];
    };
    setExpiryRemind: {
        mutate: Inferred["domains"]["setExpiryRemind"]["mutate"];
    };
    setExpiry: {
        mutate: Inferred["domains"]["setExpiry"]["mutate"];
    };
    checkExpiry: {
        mutate: Inferred["domains"]["checkExpiry"]["mutate"];
    };
    previewExpiry: {
        mutate: Inferred["domains"]["previewExpiry"]["mutate"];
    };
    compare: {
        mutate: Inferred["domains"]["compare"]["mutate"];
    };
}
export interface DelegationProcedures {
    get: {
        query: Inferred["delegation"]["get"]["query"];
    };
    check: {
        mutate: Inferred["delegation"]["check"]["mutate"];
    };
    checkServed: {
        mutate: Inferred["delegation"]["checkServed"]["mutate"];
    };
    snooze: {
        mutate: Inferred["delegation"]["snooze"]["mutate"];
    };
}
export interface SecondariesProcedures {
    get: {
        query: Inferred["secondaries"]["get"]["query"];
    };
    raiseSerial: {
        mutate: Inferred["secondaries"]["raiseSerial"]["mutate"];
    };
}
export interface MirrorsProcedures {
    list: {
        query: Inferred["mirrors"]["list"]["query"];
    };
    create: {
        mutate: Inferred["mirrors"]["create"]["mutate"];
    };
    reconcile: {
        mutate: Inferred["mirrors"]["reconcile"]["mutate"];
    };
    delete: {
        mutate: Inferred["mirrors"]["delete"]["mutate"];
    };
}
export interface RecordsProcedures {
    list: {
        query: Inferred["records"]["list"]["query"];
    };
    search: {
        query: Inferred["records"]["search"]["query"];
    };
    create: {
        mutate: Inferred["records"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["records"]["update"]["mutate"];
    };
    delete: {
        mutate: Inferred["records"]["delete"]["mutate"];
    };
    bulkCreate: {
        mutate: Inferred["records"]["bulkCreate"]["mutate"];
    };
    plan: {
        mutate: Inferred["records"]["plan"]["mutate"];
    };
    applyPlan: {
        mutate: Inferred["records"]["applyPlan"]["mutate"];
    };
    revert: {
        mutate: Inferred["records"]["revert"]["mutate"];
    };
    exportZonefile: {
        query: Inferred["records"]["exportZonefile"]["query"];
    };
    importZonefile: {
        mutate: Inferred["records"]["importZonefile"]["mutate"];
    };
    history: {
        query: Inferred["records"]["history"]["query"];
    };
}
export interface ReplacementsProcedures {
    plan: {
        mutate: Inferred["replacements"]["plan"]["mutate"];
    };
    applyPlan: {
        mutate: Inferred["replacements"]["applyPlan"]["mutate"];
    };
    get: {
        query: Inferred["replacements"]["get"]["query"];
    };
    stop: {
        mutate: Inferred["replacements"]["stop"]["mutate"];
    };
    revert: {
        mutate: Inferred["replacements"]["revert"]["mutate"];
    };
}
export interface ChangeRequestsProcedures {
    list: {
        query: Inferred["changeRequests"]["list"]["query"];
    };
    get: {
        query: Inferred["changeRequests"]["get"]["query"];
    };
    create: {
        mutate: Inferred["changeRequests"]["create"]["mutate"];
    };
    approve: {
        mutate: Inferred["changeRequests"]["approve"]["mutate"];
    };
    reject: {
        mutate: Inferred["changeRequests"]["reject"]["mutate"];
    };
    withdraw: {
        mutate: Inferred["changeRequests"]["withdraw"]["mutate"];
    };
    applyRequest: {
        mutate: Inferred["changeRequests"]["applyRequest"]["mutate"];
    };
    listComments: {
        query: Inferred["changeRequests"]["listComments"]["query"];
    };
    comment: {
        mutate: Inferred["changeRequests"]["comment"]["mutate"];
    };
}
export interface ReverseProcedures {
    report: {
        query: Inferred["reverse"]["report"]["query"];
    };
}
export interface SnapshotsProcedures {
    list: {
        query: Inferred["snapshots"]["list"]["query"];
    };
    create: {
        mutate: Inferred["snapshots"]["create"]["mutate"];
    };
    get: {
        query: Inferred["snapshots"]["get"]["query"];
    };
    diff: {
        query: Inferred["snapshots"]["diff"]["query"];
    };
    rollback: {
        mutate: Inferred["snapshots"]["rollback"]["mutate"];
    };
}
export interface TemplatesProcedures {
    list: {
        query: Inferred["templates"]["list"]["query"];
    };
    get: {
        query: Inferred["templates"]["get"]["query"];
    };
    create: {
        mutate: Inferred["templates"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["templates"]["update"]["mutate"];
    };
    delete: {
        mutate: Inferred["templates"]["delete"]["mutate"];
    };
    linkedPlan: {
        mutate: Inferred["templates"]["linkedPlan"]["mutate"];
    };
    applyLinked: {
        mutate: Inferred["templates"]["applyLinked"]["mutate"];
    };
    listApplied: {
        query: Inferred["templates"]["listApplied"]["query"];
    };
    plan: {
        mutate: Inferred["templates"]["plan"]["mutate"];
    };
    applyPlan: {
        mutate: Inferred["templates"]["applyPlan"]["mutate"];
    };
    unlink: {
        mutate: Inferred["templates"]["unlink"]["mutate"];
    };
}
export interface AssignmentsProcedures {
    list: {
        query: Inferred["assignments"]["list"]["query"];
    };
    create: {
        mutate: Inferred["assignments"]["create"]["mutate"];
    };
    delete: {
        mutate: Inferred["assignments"]["delete"]["mutate"];
    };
    listRequests: {
        query: Inferred["assignments"]["listRequests"]["query"];
    };
    request: {
        mutate: Inferred["assignments"]["request"]["mutate"];
    };
    approve: {
        mutate: Inferred["assignments"]["approve"]["mutate"];
    };
    reject: {
        mutate: Inferred["assignments"]["reject"]["mutate"];
    };
}
export interface ProvidersProcedures {
    list: {
        query: Inferred["providers"]["list"]["query"];
    };
}
export interface ProviderConfigsProcedures {
    list: {
        query: Inferred["providerConfigs"]["list"]["query"];
    };
    create: {
        mutate: Inferred["providerConfigs"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["providerConfigs"]["update"]["mutate"];
    };
    delete: {
        mutate: Inferred["providerConfigs"]["delete"]["mutate"];
    };
    test: {
        mutate: Inferred["providerConfigs"]["test"]["mutate"];
    };
    zones: {
        query: Inferred["providerConfigs"]["zones"]["query"];
    };
    import: {
        mutate: Inferred["providerConfigs"]["import"]["mutate"];
    };
    importProgress: {
        query: Inferred["providerConfigs"]["importProgress"]["query"];
    };
}
export interface NotificationsProcedures {
    list: {
        query: Inferred["notifications"]["list"]["query"];
    };
    stream: {
        subscribe: Inferred["notifications"]["stream"]["subscribe"];
    };
    read: {
        mutate: Inferred["notifications"]["read"]["mutate"];
    };
    readAll: {
        mutate: Inferred["notifications"]["readAll"]["mutate"];
    };
    delete: {
        mutate: Inferred["notifications"]["delete"]["mutate"];
    };
    deleteAll: {
        mutate: Inferred["notifications"]["deleteAll"]["mutate"];
    };
}
export interface ChannelsProcedures {
    list: {
        query: Inferred["channels"]["list"]["query"];
    };
    create: {
        mutate: Inferred["channels"]["create"]["mutate"];
    };
    update: {
        mutate: Inferred["channels"]["update"]["mutate"];
    };
    delete: {
        mutate: Inferred["channels"]["delete"]["mutate"];
    };
    test: {
        mutate: Inferred["channels"]["test"]["mutate"];
    };
    deliveries: {
        query: Inferred["channels"]["deliveries"]["query"];
    };
}
export interface AuditProcedures {
    list: {
        query: Inferred["audit"]["list"]["query"];
    };
}
export interface AcmeProcedures {
    present: {
        mutate: Inferred["acme"]["present"]["mutate"];
    };
    cleanup: {
        mutate: Inferred["acme"]["cleanup"]["mutate"];
    };
}
export interface V1Procedures {
    listDomains: {
        query: Inferred["v1"]["listDomains"]["query"];
    };
    getDomain: {
        query: Inferred["v1"]["getDomain"]["query"];
    };
    listRecords: {
        query: Inferred["v1"]["listRecords"]["query"];
    };
    createRecord: {
        mutate: Inferred["v1"]["createRecord"]["mutate"];
    };
    updateRecord: {
        mutate: Inferred["v1"]["updateRecord"]["mutate"];
    };
    deleteRecord: {
        mutate: Inferred["v1"]["deleteRecord"]["mutate"];
    };
}
interface Routers {
    auth: AuthProcedures;
    twoFactor: TwoFactorProcedures;
    tokens: TokensProcedures;
    tsigKeys: TsigKeysProcedures;
    sessions: SessionsProcedures;
    profile: ProfileProcedures;
    users: UsersProcedures;
    invitations: InvitationsProcedures;
    identity: IdentityProcedures;
    identityConfigs: IdentityConfigsProcedures;
    domains: DomainsProcedures;
    delegation: DelegationProcedures;
    secondaries: SecondariesProcedures;
    mirrors: MirrorsProcedures;
    records: RecordsProcedures;
    replacements: ReplacementsProcedures;
    changeRequests: ChangeRequestsProcedures;
    reverse: ReverseProcedures;
    snapshots: SnapshotsProcedures;
    templates: TemplatesProcedures;
    assignments: AssignmentsProcedures;
    providers: ProvidersProcedures;
    providerConfigs: ProviderConfigsProcedures;
    notifications: NotificationsProcedures;
    channels: ChannelsProcedures;
    audit: AuditProcedures;
    acme: AcmeProcedures;
    v1: V1Procedures;
}
export type Procedures = Routers & Omit<Inferred, keyof Routers>;
