export type AcmeChallengeOutcome = {
    success: true;
    domainId: string;
    domainName: string;
    name: string;
    value: string;
    changed: boolean;
    settled: boolean | null;
};
export type Applied = {
    results: {
        success: true;
        action: "create" | "delete" | "update";
        recordId: string;
        record: DnsRecord | null;
    }[];
    revision: number;
    reverse: ReverseOutcome[];
};
export type Assignment = {
    id: string;
    userId: string;
    domainId: string;
    domainName: string;
    groupName: string | null;
    tag: string | null;
    subdomainPattern: string;
    access: "propose" | "read" | "write";
    recordTypes: import("./server/dns/record.js").TypeName[];
    review: boolean;
    expiresAt: Date | null;
    fromGroup: boolean;
    createdBy: string | null;
    createdAt: Date;
};
export type AssignmentPage = {
    total: number;
    page: number;
    limit: number;
    assignments: Assignment[];
};
export type AssignmentRequest = {
    id: string;
    userId: string;
    username: string;
    domainId: string | null;
    domainName: string | null;
    subdomainPattern: string;
    host: string | null;
    access: "read" | "write";
    reason: string | null;
    status: "approved" | "pending" | "rejected";
    note: string | null;
    decidedBy: string | null;
    decidedAt: Date | null;
    assignmentId: string | null;
    createdAt: Date;
};
export type AssignmentRequestPage = {
    total: number;
    page: number;
    limit: number;
    requests: AssignmentRequest[];
};
export type AuditEntry = {
    id: string;
    at: Date;
    actorId: string | null;
    tokenId: string | null;
    tsigKey: string | null;
    action: string;
    targetType: string;
    targetId: string | null;
    ip: string | null;
    requestId: string | null;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
};
export type AuditPage = {
    total: number;
    page: number;
    limit: number;
    entries: AuditEntry[];
};
export type AvailableProvider = {
    id: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
    name: string;
    type: "oauth2" | "oidc";
};
export type BindingStart = {
    authorizeUrl: string;
    callbackUrl: string;
    redirectUrl: string;
};
export type BoundIdentity = {
    id: string;
    providerId: string;
    subject: string;
    email: string | null;
    displayName: string | null;
    createdAt: Date;
};
export type BulkResult = {
    results: {
        success: boolean;
        recordType: import("./server/dns/record.js").TypeName | null;
        name: string | null;
        id: string | null;
        error: string | null;
    }[];
    total: number;
    succeeded: number;
    reverse: ReverseOutcome[];
};
export type ChangeRequest = {
    id: string;
    number: number;
    state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
    applying: boolean;
    title: string;
    domainId: string | null;
    domainName: string;
    authorId: string | null;
    author: string | null;
    creates: number;
    updates: number;
    deletes: number;
    applyAt: Date | null;
    commentCount: number;
    createdAt: Date;
    closedAt: Date | null;
    note: string | null;
    changes: RequestedChange[];
    plan: PlannedChanges | null;
    reverse: ReverseChange[];
    planHash: string | null;
    changesHash: string | null;
    outdated: boolean;
    problem: string | null;
    reason: string | null;
    force: boolean;
    reviews: Review[];
    changeSetId: string | null;
    mayReview: boolean;
    mayApply: boolean;
};
export type ChangeRequestComment = {
    id: string;
    userId: string | null;
    user: string | null;
    text: string;
    createdAt: Date;
};
export type ChangeRequestComments = {
    total: number;
    page: number;
    limit: number;
    comments: ChangeRequestComment[];
};
export type ChangeRequestPage = {
    total: number;
    page: number;
    limit: number;
    requests: ChangeRequestSummary[];
    counts: {
        open: number;
        approved: number;
        toReview: number;
    };
};
export type ChangeRequestSummary = {
    id: string;
    number: number;
    state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
    applying: boolean;
    title: string;
    domainId: string | null;
    domainName: string;
    authorId: string | null;
    author: string | null;
    creates: number;
    updates: number;
    deletes: number;
    applyAt: Date | null;
    commentCount: number;
    createdAt: Date;
    closedAt: Date | null;
};
export type ChangeSet = {
    id: string;
    kind: "bulk" | "edit" | "import" | "replace" | "revert" | "rollback" | "sync" | "template";
    message: string | null;
    state: "applied" | "failed" | "partial" | "pending";
    actorId: string | null;
    actor: string | null;
    tsigKey: string | null;
    causedBy: string | null;
    revision: number | null;
    creates: number;
    updates: number;
    deletes: number;
    changes: {
        action: "create" | "delete" | "update";
        recordId: string;
        before: RecordData | null;
        after: RecordData | null;
    }[];
    failures: {
        action: "create" | "delete" | "update";
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        error: string;
    }[];
    unknown: number;
    revertsId: string | null;
    changeRequestId: string | null;
    repaired: boolean;
    createdAt: Date;
    finishedAt: Date | null;
    propagation: {
        secondaries: number;
        inSync: number;
        seconds: number | null;
    } | null;
    mirrors: {
        mirrors: number;
        inSync: number;
        seconds: number | null;
    } | null;
};
export type ChannelTest = {
    success: boolean;
    error: string | null;
};
export type ComparedRecord = {
    recordType: import("./server/dns/record.js").TypeName;
    name: string;
    value: string;
    strings: string[] | null;
    ttl: number;
    priority: number | null;
    proxied: boolean;
    status: "active" | "disabled";
};
export type Confirmation = {
    confirmedUntil: Date;
};
export type CreatedPasskey = {
    id: string;
    name: string;
    createdAt: Date;
    lastUsedAt: Date | null;
    recoveryCodes: string[] | null;
};
export type CurrentUser = {
    id: string;
    username: string;
    email: string | null;
    role: "admin" | "auditor" | "member";
    emailVerified: boolean;
    displayName: string | null;
    nickname: string | null;
    avatarUrl: string | null;
    notificationsEnabled: boolean;
    emailNotificationsEnabled: boolean;
    twoFactorMethods: ("email" | "passkey" | "totp")[];
    hasPassword: boolean;
    confirmedUntil: Date | null;
    createdAt: Date;
    lastLoginAt: Date | null;
};
export type DelegationApex = {
    nameServers: string[] | null;
    keys: {
        tag: number;
        algorithm: number;
        entryPoint: boolean;
    }[] | null;
};
export type DelegationFinding = {
    code: "dangling" | "dnskey_without_ds" | "ds_without_dnskey" | "glue_missing" | "glue_wrong" | "lame" | "not_delegated" | "ns_extra_at_parent" | "ns_missing_at_parent" | "serial_differs" | "unreachable";
    severity: "error" | "info" | "warning";
    name: string;
    recordType: import("./server/dns/record.js").TypeName | null;
    server: string | null;
    target: string | null;
    message: string;
    firstSeenAt: Date;
    lastSeenAt: Date;
    snoozedUntil: Date | null;
};
export type DelegationParent = {
    zone: string;
    seenAt: Date;
    nameServers: string[];
    glue: {
        name: string;
        address: string;
    }[];
    ds: string[] | null;
};
export type DelegationServer = {
    name: string;
    address: string | null;
    state: "authoritative" | "lame" | "no_address" | "not_checked" | "unreachable";
    serial: number | null;
    detail: string | null;
};
export type DeletedCount = {
    success: true;
    deleted: number;
};
export type Deliveries = {
    deliveries: {
        id: string;
        event: "assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered";
        title: string;
        state: "delivered" | "failed" | "pending";
        attempts: number;
        lastError: string | null;
        nextAttemptAt: Date | null;
        createdAt: Date;
        finishedAt: Date | null;
    }[];
};
export type DnsRecord = {
    recordType: import("./server/dns/record.js").TypeName;
    name: string;
    value: string;
    strings: string[] | null;
    ttl: number;
    priority: number | null;
    proxied: boolean;
    id: string;
    domainId: string;
    serverManaged: boolean;
    status: "active" | "disabled";
    createdAt: Date;
    comment: string | null;
    locked: boolean;
    ownerId: string | null;
    reviewAt: Date | null;
    updatedAt: Date;
    version: number;
};
export type Domain = {
    id: string;
    name: string;
    view: string;
    ownerId: string | null;
    providerId: string;
    providerConfigId: string;
    expiresAt: Date | null;
    status: "active" | "disabled" | "expired" | "expiring";
    groupName: string | null;
    tags: string[];
    recordCount: number;
    signedBy: "file" | "provider" | null;
    createdAt: Date;
    updatedAt: Date;
    driftedAt: Date | null;
    driftError: string | null;
};
export type DomainDelegation = {
    domainId: string;
    notCheckedBecause: string | null;
    checkedAt: Date | null;
    nextCheckAt: Date | null;
    changedAt: Date | null;
    parent: DelegationParent | null;
    parentError: string | null;
    apex: DelegationApex | null;
    servers: DelegationServer[];
    targets: {
        checked: number;
        unknown: number;
        skipped: number;
    } | null;
    findings: DelegationFinding[];
};
export type DomainDetail = {
    id: string;
    name: string;
    view: string;
    ownerId: string | null;
    providerId: string;
    providerConfigId: string;
    expiresAt: Date | null;
    status: "active" | "disabled" | "expired" | "expiring";
    groupName: string | null;
    tags: string[];
    recordCount: number;
    signedBy: "file" | "provider" | null;
    createdAt: Date;
    updatedAt: Date;
    driftedAt: Date | null;
    driftError: string | null;
    nameUnicode: string;
    notes: string | null;
    expiryRemindDays: number[];
    autoCheckExpiry: boolean;
    expirySource: "manual" | "rdap" | "whois" | null;
    expiryCheckedAt: Date | null;
    registrar: string | null;
    registration: Registration | null;
    snapshotSchedule: "daily" | "off" | "weekly";
    reverse: "follow" | "off" | "offer";
    reverseFollowGrant: boolean;
    protectMail: boolean;
    reviewRequired: "everyone" | "members" | "off";
    reviewIsDefault: boolean;
    reviewAcme: boolean;
    drift: {
        foundAt: Date;
        created: number;
        updated: number;
        deleted: number;
    } | null;
    revision: number;
    historyFrom: number;
};
export type DomainPage = {
    total: number;
    page: number;
    limit: number;
    domains: Domain[];
};
export type DomainTemplate = {
    id: string;
    templateId: string;
    providerId: string;
    serviceId: string;
    serviceName: string;
    templateRevision: number;
    host: string;
    variables: Record<string, string>;
    groups: string[] | null;
    linked: boolean;
    records: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        essential: "Always" | "OnApply";
    }[];
    revision: number;
    appliedBy: string | null;
    appliedAt: Date;
};
export type DomainTemplatePage = {
    total: number;
    page: number;
    limit: number;
    templates: DomainTemplate[];
};
export type EnabledFactor = {
    recoveryCodes: string[] | null;
};
export type ExchangeAnswer = {
    requires2FA: true;
    tempToken: string;
    methods: ("email" | "passkey" | "totp")[];
} | {
    accessToken: string;
    user: User;
};
export type ExpiryCheck = {
    success: boolean;
    expiresAt: Date | null;
    source: "rdap" | "whois" | null;
    error: string | null;
};
export type ExpiryPreview = {
    success: boolean;
    domain: string;
    expiresAt: Date | null;
    source: "rdap" | "whois" | null;
    registrar: string | null;
    statuses: string[];
    nameServers: string[] | null;
    ds: string[] | null;
    error: string | null;
};
export type FieldChanges = {
    recordType?: [import("./server/dns/record.js").TypeName, import("./server/dns/record.js").TypeName] | undefined;
    name?: [string, string] | undefined;
    value?: [string, string] | undefined;
    strings?: [string[] | null, string[] | null] | undefined;
    ttl?: [number, number] | undefined;
    priority?: [number | null, number | null] | undefined;
    proxied?: [boolean, boolean] | undefined;
    status?: ["active" | "disabled", "active" | "disabled"] | undefined;
    locked?: [boolean, boolean] | undefined;
    ownerId?: [string | null, string | null] | undefined;
    reviewAt?: [Date | null, Date | null] | undefined;
};
export type FoundRecord = {
    recordType: import("./server/dns/record.js").TypeName;
    name: string;
    value: string;
    strings: string[] | null;
    ttl: number;
    priority: number | null;
    proxied: boolean;
    id: string;
    domainId: string;
    serverManaged: boolean;
    status: "active" | "disabled";
    createdAt: Date;
    comment: string | null;
    locked: boolean;
    ownerId: string | null;
    reviewAt: Date | null;
    updatedAt: Date;
    version: number;
    domainName: string;
};
export type FoundRecords = {
    page: number;
    limit: number;
    records: FoundRecord[];
    total: number;
    totalIsExact: boolean;
};
export type GroupRule = {
    group: string;
    role: "admin" | "auditor" | "member" | null;
    assignment: {
        domainId: string | null;
        groupName: string | null;
        tag: string | null;
        subdomainPattern: string;
        access: "propose" | "read" | "write";
        recordTypes: import("./server/dns/record.js").TypeName[];
    } | null;
};
export type GroupsTest = {
    groups: string[];
    groupCount: number;
    matchedRules: number[];
    role: "admin" | "auditor" | "member" | null;
    assignments: {
        domainId: string | null;
        groupName: string | null;
        tag: string | null;
        subdomainPattern: string;
        access: "propose" | "read" | "write";
        recordTypes: import("./server/dns/record.js").TypeName[];
    }[];
    allowed: boolean;
    withheld: boolean;
};
export type History = {
    total: number;
    page: number;
    limit: number;
    entries: ChangeSet[];
};
export type IdentityBinding = {
    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
    name: string;
    type: "oauth2" | "oidc";
    subject: string;
    email: string | null;
    displayName: string | null;
    createdAt: Date;
};
export type IdentityBindings = {
    bindings: IdentityBinding[];
};
export type IdentityConfig = {
    groupsClaim: string | null;
    groupRules: GroupRule[];
    defaultDeny: boolean;
    id: string;
    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
    enabled: boolean;
    clientIdMasked: string;
    scope: string;
    wellKnownUrl: string | null;
    authorizeUrl: string | null;
    tokenUrl: string | null;
    userInfoUrl: string | null;
    homepageUrl: string;
    redirectUrl: string;
};
export type IdentityConfigs = {
    providers: IdentityConfig[];
    availableProviders: AvailableProvider[];
    homepageUrl: string;
    oidcUrls: OidcAddresses;
};
export type ImportProgress = {
    startedAt: Date | null;
    finishedAt: Date | null;
    total: number;
    done: number;
    results: {
        name: string;
        state: "done" | "failed" | "running" | "waiting";
        domainId: string | null;
        records: number | null;
        error: string | null;
    }[];
};
export type ImportResult = {
    results: {
        name: string;
        success: boolean;
        domainId: string | null;
        records: number;
        error: string | null;
    }[];
    progress: ImportProgress | null;
};
export type Invitation = {
    id: string;
    role: "admin" | "auditor" | "member";
    maxUses: number;
    uses: number;
    expiresAt: Date | null;
    createdBy: string | null;
    createdAt: Date;
    state: "ended" | "expired" | "open" | "used_up";
};
export type InvitationPage = {
    total: number;
    page: number;
    limit: number;
    invitations: Invitation[];
};
export type LinkedDomainPlan = {
    creates: RecordData[];
    updates: {
        id: string;
        before: RecordData;
        after: RecordData;
        changes: FieldChanges;
    }[];
    deletes: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        strings: string[] | null;
        ttl: number;
        priority: number | null;
        proxied: boolean;
        status: "active" | "disabled";
        id: string;
    }[];
    warnings: string[];
    domainId: string;
    domainName: string;
    error: string | null;
};
export type LinkedPlan = {
    domains: LinkedDomainPlan[];
    warnings: string[];
    unchanged: number;
    planHash: string;
};
export type LoginAnswer = {
    accessToken: string;
    refreshToken: string;
    user: User;
} | {
    requires2FA: true;
    tempToken: string;
    methods: ("email" | "passkey" | "totp")[];
};
export type ManagedUser = {
    id: string;
    username: string;
    email: string | null;
    emailVerified: boolean;
    role: "admin" | "auditor" | "member";
    displayName: string | null;
    disabled: boolean;
    hasPassword: boolean;
    domainCount: number;
    createdAt: Date;
    lastLoginAt: Date | null;
};
export type Mirror = {
    id: string;
    providerConfigId: string;
    kind: string;
    state: "behind" | "failing" | "in_sync" | "unsupported";
    onDrift: "report" | "restore";
    strict: boolean;
    revision: number | null;
    lastAppliedAt: Date | null;
    lagSeconds: number;
    differences: number;
    foreign: number;
    unsupported: number;
    error: string | null;
};
export type MirrorPlan = {
    dryRun: boolean;
    mirrorId: string | null;
    create: number;
    update: number;
    delete: number;
    deletes: string[];
};
export type Mirrors = {
    revision: number;
    mirrors: Mirror[];
};
export type NewInvitation = {
    id: string;
    role: "admin" | "auditor" | "member";
    maxUses: number;
    uses: number;
    expiresAt: Date | null;
    createdBy: string | null;
    createdAt: Date;
    state: "ended" | "expired" | "open" | "used_up";
    code: string;
};
export type NewPersonalToken = {
    id: string;
    name: string;
    permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
    domainIds: string[] | null;
    hostPattern: string | null;
    recordTypes: import("./server/dns/record.js").TypeName[] | null;
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    token: string;
};
export type NewTsigKey = {
    id: string;
    name: string | null;
    keyName: string;
    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
    domainId: string;
    domainName: string;
    hostPattern: string;
    recordTypes: import("./server/dns/record.js").TypeName[];
    access: "both" | "read" | "update";
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    lastUsedFrom: string | null;
    lastError: string | null;
    lastErrorAt: Date | null;
    secret: string;
};
export type NotificationChannel = import("./server/notifications/channels/configs.js").WithShownConfig<{
    id: string;
    name: string;
    events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
    enabled: boolean;
    zoneFilter: {
        domainIds?: string[] | undefined;
        tags?: string[] | undefined;
        groupNames?: string[] | undefined;
        recordTypes?: import("./server/dns/record.js").TypeName[] | undefined;
    } | null;
    digest: "daily" | "hourly" | "immediate";
    disabledReason: string | null;
    lastSuccessAt: Date | null;
    createdAt: Date;
    updatedAt: Date;
}>;
export type NotificationChannels = {
    configs: NotificationChannel[];
};
export type Notifications = {
    notifications: import("./server/platform/events.js").TypedNotification[];
    unreadCount: number;
};
export type OidcAddresses = {
    homepageUrl: string;
    redirectUrl: string;
};
export type OwnedTsigKey = {
    id: string;
    name: string | null;
    keyName: string;
    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
    domainId: string;
    domainName: string;
    hostPattern: string;
    recordTypes: import("./server/dns/record.js").TypeName[];
    access: "both" | "read" | "update";
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    lastUsedFrom: string | null;
    lastError: string | null;
    lastErrorAt: Date | null;
    userId: string;
    username: string;
};
export type Passkey = {
    id: string;
    name: string;
    createdAt: Date;
    lastUsedAt: Date | null;
};
export type PasskeyCreationOptions = {
    rp: {
        id?: string | undefined;
        name: string;
    };
    user: {
        id: string;
        name: string;
        displayName: string;
    };
    challenge: string;
    pubKeyCredParams: {
        type: "public-key";
        alg: number;
    }[];
    timeout: number;
    excludeCredentials: {
        id: string;
        type: "public-key";
        transports?: string[] | undefined;
    }[];
    authenticatorSelection: {
        residentKey: "required";
        requireResidentKey: true;
        userVerification: "required";
    };
    attestation: "none";
};
export type PasskeyRequestOptions = {
    challenge: string;
    timeout: number;
    rpId: string;
    userVerification: "required";
    allowCredentials?: {
        id: string;
        type: "public-key";
        transports?: string[] | undefined;
    }[] | undefined;
};
export type PasswordChanged = {
    success: true;
    remaining: {
        sessions: number;
        tokens: number;
        keys: number;
        passkeys: number;
        identities: number;
    };
};
export type PersonalToken = {
    id: string;
    name: string;
    permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
    domainIds: string[] | null;
    hostPattern: string | null;
    recordTypes: import("./server/dns/record.js").TypeName[] | null;
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
};
export type PersonalTokens = {
    tokens: PersonalToken[];
};
export type Plan = {
    creates: RecordData[];
    updates: {
        id: string;
        before: RecordData;
        after: RecordData;
        changes: FieldChanges;
    }[];
    deletes: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        strings: string[] | null;
        ttl: number;
        priority: number | null;
        proxied: boolean;
        status: "active" | "disabled";
        id: string;
    }[];
    warnings: string[];
    reverse: ReverseChange[];
    planHash: string;
    revision: number;
};
export type PlannedChanges = {
    creates: RecordData[];
    updates: {
        id: string;
        before: RecordData;
        after: RecordData;
        changes: FieldChanges;
    }[];
    deletes: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        strings: string[] | null;
        ttl: number;
        priority: number | null;
        proxied: boolean;
        status: "active" | "disabled";
        id: string;
    }[];
    warnings: string[];
};
export type Provider = {
    id: string;
    kind: string;
    name: string;
    recordTypes: import("./server/dns/record.js").TypeName[] | null;
    supportsProxied: boolean;
    minTtl: number;
    configFields: {
        name: string;
        label: string;
        secret: boolean;
        required: boolean;
    }[];
};
export type ProviderAddresses = {
    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
    homepageUrl: string;
    redirectUrl: string;
    siteUrl: string;
    callbackUrl: string;
};
export type ProviderCatalogue = {
    providers: Provider[];
};
export type ProviderConfig = import("./server/dns-providers/config-inputs.js").WithShownProviderConfig<{
    id: string;
    providerId: string;
    name: string;
    membersMayUse: boolean;
    lastTest: {
        testedAt: Date;
        success: boolean;
        error: string | null;
        zones: number | null;
    } | null;
    createdAt: Date;
}>;
export type ProviderConfigList = {
    configs: ProviderConfig[];
};
export type ProviderTest = {
    success: boolean;
    error: string | null;
    zones: number | null;
};
export type ProviderZones = {
    zones: {
        name: string;
        managed: boolean;
    }[];
    unusable: {
        name: string;
        reason: string;
    }[];
};
export type RecordData = {
    recordType: import("./server/dns/record.js").TypeName;
    name: string;
    value: string;
    strings: string[] | null;
    ttl: number;
    priority: number | null;
    proxied: boolean;
    status: "active" | "disabled";
};
export type RecordPage = {
    total: number;
    page: number;
    limit: number;
    records: DnsRecord[];
    revision: number;
    typeCounts: Record<string, number> | null;
};
export type RecoveryCodes = {
    recoveryCodes: string[];
};
export type Registration = {
    source: "rdap" | "whois";
    registrar: string | null;
    statuses: string[] | null;
    nameServers: string[] | null;
    ds: string[] | null;
};
export type ReplacementJob = {
    jobId: string;
    kind: "replace" | "revert" | "template";
    state: "done" | "running" | "stopped" | "stopping";
    startedBy: string | null;
    recordType: import("./server/dns/record.js").TypeName | null;
    value: string | null;
    newValue: string | null;
    newTtl: number | null;
    message: string | null;
    templateId: string | null;
    templateRevision: number | null;
    revertsId: string | null;
    reason: string | null;
    progress: {
        domains: number;
        waiting: number;
        running: number;
        done: number;
        failed: number;
        skipped: number;
    };
    createdAt: Date;
    finishedAt: Date | null;
};
export type ReplacementJobPage = {
    total: number;
    page: number;
    limit: number;
    jobId: string;
    kind: "replace" | "revert" | "template";
    state: "done" | "running" | "stopped" | "stopping";
    startedBy: string | null;
    recordType: import("./server/dns/record.js").TypeName | null;
    value: string | null;
    newValue: string | null;
    newTtl: number | null;
    message: string | null;
    templateId: string | null;
    templateRevision: number | null;
    revertsId: string | null;
    reason: string | null;
    progress: {
        domains: number;
        waiting: number;
        running: number;
        done: number;
        failed: number;
        skipped: number;
    };
    createdAt: Date;
    finishedAt: Date | null;
    domains: {
        domainId: string;
        domainName: string;
        state: "done" | "failed" | "running" | "skipped" | "waiting";
        changeSetId: string | null;
        error: string | null;
    }[];
};
export type ReplacementPlan = {
    domains: {
        creates: RecordData[];
        updates: {
            id: string;
            before: RecordData;
            after: RecordData;
            changes: FieldChanges;
        }[];
        deletes: {
            recordType: import("./server/dns/record.js").TypeName;
            name: string;
            value: string;
            strings: string[] | null;
            ttl: number;
            priority: number | null;
            proxied: boolean;
            status: "active" | "disabled";
            id: string;
        }[];
        warnings: string[];
        domainId: string;
        domainName: string;
        error: string | null;
    }[];
    warnings: string[];
    planHash: string;
};
export type RequestedChange = {
    action: "create" | "delete" | "update";
    recordId: string | null;
    record: {
        recordType?: import("./server/dns/record.js").TypeName | undefined;
        name?: string | undefined;
        value?: string | undefined;
        strings?: string[] | null | undefined;
        ttl?: number | undefined;
        priority?: number | null | undefined;
        proxied?: boolean | undefined;
        status?: "active" | "disabled" | undefined;
        comment?: string | null | undefined;
        locked?: boolean | undefined;
        ownerId?: string | null | undefined;
        reviewAt?: string | Date | null | undefined;
    } | null;
};
export type ReverseChange = {
    address: string;
    domainId: string | null;
    domainName: string | null;
    action: "create" | "delete" | "update" | null;
    recordId: string | null;
    record: RecordData | null;
    before: RecordData | null;
    included: boolean;
    reason: string | null;
};
export type ReverseFinding = {
    problem: "mismatched" | "missing" | "stale" | "unreachable";
    address: string;
    domainId: string;
    domainName: string;
    name: string;
    recordId: string | null;
    value: string | null;
    expected: string | null;
    sourceId: string | null;
};
export type ReverseMending = {
    domainId: string;
    domainName: string;
    changes: ({
        action: "create";
        record: {
            recordType: "CNAME" | "PTR";
            name: string;
            value: string;
        };
    } | {
        action: "update";
        recordId: string;
        record: {
            value: string;
        };
    } | {
        action: "delete";
        recordId: string;
    })[];
};
export type ReverseOutcome = {
    domainId: string;
    domainName: string;
    revision: number | null;
    error: string | null;
};
export type ReverseReport = {
    findings: ReverseFinding[];
    plan: ReverseMending[];
    next: string | null;
};
export type RevertResult = {
    created: number;
    updated: number;
    deleted: number;
    changeSetId: string | null;
    revision: number;
    plan: PlannedChanges | null;
    planHash: string | null;
    reverse: ReverseOutcome[];
};
export type Review = {
    userId: string | null;
    user: string | null;
    verdict: "approve" | "reject";
    changesHash: string | null;
    note: string | null;
    counts: boolean;
    createdAt: Date;
};
export type RollbackResult = {
    success: boolean;
    snapshot: Snapshot | null;
    created: number;
    updated: number;
    deleted: number;
    failed: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        strings: string[] | null;
        error: string;
    }[];
    plan: PlannedChanges | null;
    planHash: string | null;
};
export type SecondFactors = {
    totp: boolean;
    email: boolean;
    passkeys: Passkey[];
    recoveryCodesLeft: number;
};
export type Secondaries = {
    serial: number | null;
    changedAt: Date | null;
    secondaries: Secondary[];
};
export type Secondary = {
    address: string;
    keyName: string | null;
    notified: boolean;
    signs: boolean;
    serial: number | null;
    inSync: boolean;
    inSyncSince: Date | null;
    lastNotifyAt: Date | null;
    lastQueryAt: Date | null;
    lastTransferAt: Date | null;
    lastTransferKind: "axfr" | "ixfr" | null;
    lastTransferRecords: number | null;
    lastTransferMilliseconds: number | null;
    error: string | null;
};
export type ServedByServer = {
    name: string;
    address: string | null;
    state: "behind" | "current" | "lame" | "no_address" | "not_checked" | "unreachable";
    detail: string | null;
    counts: boolean;
};
export type ServedRecords = {
    domainId: string;
    domainName: string;
    name: string;
    recordType: "A" | "AAAA" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
    served: boolean;
    notCheckedBecause: string | null;
    error: string | null;
    servers: ServedByServer[];
};
export type Session = {
    id: string;
    current: boolean;
    userAgent: string | null;
    ip: string | null;
    createdAt: Date;
    lastUsedAt: Date;
};
export type Sessions = {
    sessions: Session[];
};
export type SignInProvider = {
    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
    name: string;
    type: "oauth2" | "oidc";
    host: string | null;
};
export type SignInProviders = {
    providers: SignInProvider[];
};
export type SignedIn = {
    accessToken: string;
    refreshToken: string;
    user: User;
};
export type Snapshot = {
    id: string;
    domainId: string;
    version: number;
    trigger: "manual" | "on_change" | "scheduled";
    records: DnsRecord[] | null;
    recordCount: number;
    createdBy: string | null;
    createdAt: Date;
};
export type SnapshotDiff = {
    added: ComparedRecord[];
    removed: ComparedRecord[];
    modified: {
        before: ComparedRecord;
        after: ComparedRecord;
        changes: FieldChanges;
    }[];
};
export type SnapshotPage = {
    total: number;
    page: number;
    limit: number;
    snapshots: Snapshot[];
};
export type StartedJob = {
    jobId: string;
};
export type Success = {
    success: true;
};
export type SyncResult = {
    created: number;
    updated: number;
    deleted: number;
    synced: number;
    unchanged: number;
    plan: PlannedChanges | null;
    planHash: string | null;
};
export type TagCounts = {
    tags: {
        name: string;
        count: number;
    }[];
    groups: {
        name: string;
        count: number;
    }[];
    views: {
        name: string;
        count: number;
    }[];
};
export type Template = {
    id: string;
    builtIn: boolean;
    providerId: string;
    providerName: string;
    serviceId: string;
    serviceName: string;
    version: number | null;
    revision: number;
    description: string | null;
    variableDescription: string | null;
    variables: string[];
    groups: string[];
    hostRequired: boolean;
    multiInstance: boolean;
    recordCount: number;
    unsupported: {
        index: number;
        type: string;
        reason: string;
    }[];
    createdBy: string | null;
    createdAt: Date | null;
    updatedAt: Date | null;
    template: Record<string, unknown>;
};
export type TemplateApplied = {
    results: {
        success: true;
        action: "create" | "delete" | "update";
        recordId: string;
        record: DnsRecord | null;
    }[];
    revision: number;
    reverse: ReverseOutcome[];
    applied: DomainTemplate | null;
};
export type TemplatePage = {
    total: number;
    page: number;
    limit: number;
    templates: TemplateSummary[];
};
export type TemplatePlan = {
    creates: RecordData[];
    updates: {
        id: string;
        before: RecordData;
        after: RecordData;
        changes: FieldChanges;
    }[];
    deletes: {
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        strings: string[] | null;
        ttl: number;
        priority: number | null;
        proxied: boolean;
        status: "active" | "disabled";
        id: string;
    }[];
    warnings: string[];
    reverse: ReverseChange[];
    planHash: string;
    revision: number;
    conflicts: {
        id: string;
        recordType: import("./server/dns/record.js").TypeName;
        name: string;
        value: string;
        record: number | null;
    }[];
};
export type TemplateSummary = {
    id: string;
    builtIn: boolean;
    providerId: string;
    providerName: string;
    serviceId: string;
    serviceName: string;
    version: number | null;
    revision: number;
    description: string | null;
    variableDescription: string | null;
    variables: string[];
    groups: string[];
    hostRequired: boolean;
    multiInstance: boolean;
    recordCount: number;
    unsupported: {
        index: number;
        type: string;
        reason: string;
    }[];
    createdBy: string | null;
    createdAt: Date | null;
    updatedAt: Date | null;
};
export type TokenPair = {
    accessToken: string;
    refreshToken: string;
};
export type TotpSetup = {
    secret: string;
    otpauthUrl: string;
};
export type TsigKey = {
    id: string;
    name: string | null;
    keyName: string;
    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
    domainId: string;
    domainName: string;
    hostPattern: string;
    recordTypes: import("./server/dns/record.js").TypeName[];
    access: "both" | "read" | "update";
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    lastUsedFrom: string | null;
    lastError: string | null;
    lastErrorAt: Date | null;
};
export type TsigKeyPage = {
    total: number;
    page: number;
    limit: number;
    keys: OwnedTsigKey[];
};
export type TsigKeys = {
    keys: TsigKey[];
};
export type UpdatedCount = {
    success: true;
    updated: number;
};
export type User = {
    id: string;
    username: string;
    email: string | null;
    role: "admin" | "auditor" | "member";
};
export type UserAccess = {
    hasPassword: boolean;
    sessions: Session[];
    tokens: PersonalToken[];
    keys: TsigKey[];
    passkeys: Passkey[];
    identities: BoundIdentity[];
    totp: boolean;
    email: boolean;
    recoveryCodesLeft: number;
};
export type UserPage = {
    total: number;
    page: number;
    limit: number;
    users: ManagedUser[];
};
export type ZoneOfName = {
    domain: Domain;
    host: string;
};
export type Zonefile = {
    zonefile: string;
};
export type ZonefileResult = {
    created: number;
    updated: number;
    deleted: number;
    unchanged: number;
    warnings: string[];
    reverse: ReverseOutcome[];
    plan: PlannedChanges | null;
    planHash: string | null;
};
