import type { AcmeChallengeOutcome, Applied, Assignment, AssignmentPage, AssignmentRequest, AssignmentRequestPage, AuditEntry, AuditPage, AvailableProvider, BindingStart, BoundIdentity, BulkResult, ChangeRequest, ChangeRequestComment, ChangeRequestComments, ChangeRequestPage, ChangeRequestSummary, ChangeSet, ChannelTest, ComparedRecord, Confirmation, CreatedPasskey, CurrentUser, DelegationApex, DelegationFinding, DelegationParent, DelegationServer, DeletedCount, Deliveries, DnsRecord, Domain, DomainDelegation, DomainDetail, DomainPage, DomainTemplate, DomainTemplatePage, EnabledFactor, ExchangeAnswer, ExpiryCheck, ExpiryPreview, FieldChanges, FoundRecord, FoundRecords, GroupRule, GroupsTest, History, IdentityBinding, IdentityBindings, IdentityConfig, IdentityConfigs, ImportProgress, ImportResult, Invitation, InvitationPage, LinkedDomainPlan, LinkedPlan, LoginAnswer, ManagedUser, Mirror, MirrorPlan, Mirrors, NewInvitation, NewPersonalToken, NewTsigKey, NotificationChannel, NotificationChannels, Notifications, OidcAddresses, OwnedTsigKey, Passkey, PasskeyCreationOptions, PasskeyRequestOptions, PasswordChanged, PersonalToken, PersonalTokens, Plan, PlannedChanges, Provider, ProviderAddresses, ProviderCatalogue, ProviderConfig, ProviderConfigList, ProviderTest, ProviderZones, RecordData, RecordPage, RecoveryCodes, Registration, ReplacementJob, ReplacementJobPage, ReplacementPlan, RequestedChange, ReverseChange, ReverseFinding, ReverseMending, ReverseOutcome, ReverseReport, RevertResult, Review, RollbackResult, SecondFactors, Secondaries, Secondary, ServedByServer, ServedRecords, Session, Sessions, SignInProvider, SignInProviders, SignedIn, Snapshot, SnapshotDiff, SnapshotPage, StartedJob, Success, SyncResult, TagCounts, Template, TemplateApplied, TemplatePage, TemplatePlan, TemplateSummary, TokenPair, TotpSetup, TsigKey, TsigKeyPage, TsigKeys, UpdatedCount, User, UserAccess, UserPage, ZoneOfName, Zonefile, ZonefileResult } from "../results.js";
export declare const appRouter: import("@trpc/server").TRPCBuiltRouter<{
    ctx: import("./api/context.js").Context;
    meta: import("./api/context.js").RouteMeta;
    errorShape: import("./api/context.js").ErrorShape;
    transformer: true;
}, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
    auth: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        login: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                username: string;
                password: string;
                rememberMe?: boolean | undefined;
            };
            output: LoginAnswer;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: PasskeyRequestOptions;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkey: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                credential: {
                    id: string;
                    rawId: string;
                    type: "public-key";
                    response: {
                        clientDataJSON: string;
                        authenticatorData: string;
                        signature: string;
                        userHandle?: string | null | undefined;
                    };
                };
                rememberMe?: boolean | undefined;
            };
            output: SignedIn;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        refresh: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                refreshToken?: string | undefined;
            };
            output: TokenPair;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        logout: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                refreshToken?: string | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        register: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                inviteCode: string;
                username: string;
                password: string;
                email?: string | null | undefined;
            };
            output: SignedIn;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        forgotPassword: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                email: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        resetPassword: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                token: string;
                newPassword: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        verifyEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                token: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        me: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: CurrentUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        confirmOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: PasskeyRequestOptions;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        confirm: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                password?: string | undefined;
                method?: "passkey" | "recovery" | "totp" | undefined;
                code?: string | undefined;
                credential?: {
                    id: string;
                    rawId: string;
                    type: "public-key";
                    response: {
                        clientDataJSON: string;
                        authenticatorData: string;
                        signature: string;
                        userHandle?: string | null | undefined;
                    };
                } | undefined;
            };
            output: Confirmation;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    twoFactor: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: SecondFactors;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setupTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: TotpSetup;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        enableTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                code: string;
            };
            output: RecoveryCodes;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        disableTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        enableEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: EnabledFactor;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        disableEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyCreationOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: PasskeyCreationOptions;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        createPasskey: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                name: string;
                credential: {
                    id: string;
                    rawId: string;
                    type: "public-key";
                    response: {
                        clientDataJSON: string;
                        attestationObject: string;
                        transports?: string[] | undefined;
                    };
                };
            };
            output: CreatedPasskey;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deletePasskey: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                currentPassword?: string | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        createRecoveryCodes: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: RecoveryCodes;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        sendEmailCode: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: PasskeyRequestOptions;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        verify: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                method: "email" | "passkey" | "recovery" | "totp";
                code?: string | undefined;
                credential?: {
                    id: string;
                    rawId: string;
                    type: "public-key";
                    response: {
                        clientDataJSON: string;
                        authenticatorData: string;
                        signature: string;
                        userHandle?: string | null | undefined;
                    };
                } | undefined;
            };
            output: SignedIn;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    tokens: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: PersonalTokens;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                name: string;
                permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
                expiresAt?: string | Date | null | undefined;
                domainIds?: string[] | null | undefined;
                hostPattern?: string | null | undefined;
                recordTypes?: import("./dns/record.js").TypeName[] | null | undefined;
            };
            output: NewPersonalToken;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    tsigKeys: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: TsigKeys;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                name?: string | null | undefined;
                algorithm?: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512" | undefined;
                domainId: string;
                hostPattern?: string | undefined;
                recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                access?: "both" | "read" | "update" | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: NewTsigKey;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listAll: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                userId?: string | undefined;
                domainId?: string | undefined;
            };
            output: TsigKeyPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revoke: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    sessions: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: Sessions;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    profile: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                displayName?: string | null | undefined;
                nickname?: string | null | undefined;
                avatarUrl?: string | null | undefined;
                notificationsEnabled?: boolean | undefined;
                emailNotificationsEnabled?: boolean | undefined;
            };
            output: CurrentUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        changePassword: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
                oldPassword?: string | undefined;
                newPassword: string;
                revoke?: ("identities" | "keys" | "passkeys" | "sessions" | "tokens")[] | undefined;
            };
            output: PasswordChanged;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        changeEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
                password?: string | undefined;
                email: string;
            };
            output: CurrentUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        resendVerification: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    users: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                search?: string | undefined;
                role?: "admin" | "auditor" | "member" | undefined;
            };
            output: UserPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: ManagedUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                username: string;
                password: string;
                email?: string | null | undefined;
                role: "admin" | "auditor" | "member";
                displayName?: string | null | undefined;
            };
            output: ManagedUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                username?: string | undefined;
                email?: string | null | undefined;
                emailVerified?: boolean | undefined;
                role?: "admin" | "auditor" | "member" | undefined;
                displayName?: string | null | undefined;
                disabled?: boolean | undefined;
                password?: string | undefined;
                revoke?: ("email" | "identities" | "keys" | "passkeys" | "password" | "recoveryCodes" | "sessions" | "tokens" | "totp")[] | undefined;
                removeSecondFactors?: boolean | undefined;
            };
            output: ManagedUser;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        access: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: UserAccess;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revokeAccess: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                revoke?: ("email" | "identities" | "keys" | "passkeys" | "password" | "recoveryCodes" | "sessions" | "tokens" | "totp")[] | undefined;
                ids?: string[] | undefined;
            };
            output: UserAccess;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                reassignTo?: string | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    invitations: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            };
            output: InvitationPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                role?: "admin" | "auditor" | "member" | undefined;
                maxUses?: number | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: NewInvitation;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    identity: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        providers: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: SignInProviders;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        callbackUrl: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                providerId: string;
            };
            output: ProviderAddresses;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        exchangeTicket: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                ticket: string;
            };
            output: ExchangeAnswer;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bindStart: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                providerId: string;
            };
            output: BindingStart;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        register: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                providerId: string;
                pendingToken: string;
                inviteCode?: string | undefined;
                code?: string | undefined;
            };
            output: SignedIn;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bindings: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: IdentityBindings;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        unbind: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                providerId: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    identityConfigs: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: IdentityConfigs;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                groupsClaim?: string | null | undefined;
                groupRules?: {
                    group: string;
                    role?: "admin" | "auditor" | "member" | undefined;
                    assignment?: {
                        domainId?: string | undefined;
                        groupName?: string | undefined;
                        tag?: string | undefined;
                        subdomainPattern?: string | undefined;
                        access?: "propose" | "read" | "write" | undefined;
                        recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                    } | undefined;
                }[] | undefined;
                defaultDeny?: boolean | undefined;
                wellKnownUrl?: string | null | undefined;
                authorizeUrl?: string | null | undefined;
                tokenUrl?: string | null | undefined;
                userInfoUrl?: string | null | undefined;
                providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
                clientId: string;
                clientSecret?: string | undefined;
                scope?: string | undefined;
                enabled?: boolean | undefined;
            };
            output: IdentityConfig;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                groupsClaim?: string | null | undefined;
                groupRules?: {
                    group: string;
                    role?: "admin" | "auditor" | "member" | undefined;
                    assignment?: {
                        domainId?: string | undefined;
                        groupName?: string | undefined;
                        tag?: string | undefined;
                        subdomainPattern?: string | undefined;
                        access?: "propose" | "read" | "write" | undefined;
                        recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                    } | undefined;
                }[] | undefined;
                defaultDeny?: boolean | undefined;
                wellKnownUrl?: string | null | undefined;
                authorizeUrl?: string | null | undefined;
                tokenUrl?: string | null | undefined;
                userInfoUrl?: string | null | undefined;
                id: string;
                clientId?: string | undefined;
                clientSecret?: string | undefined;
                scope?: string | undefined;
                enabled?: boolean | undefined;
            };
            output: IdentityConfig;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        testGroups: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                claims: Record<string, unknown>;
                groupsClaim?: string | null | undefined;
                groupRules?: {
                    group: string;
                    role?: "admin" | "auditor" | "member" | undefined;
                    assignment?: {
                        domainId?: string | undefined;
                        groupName?: string | undefined;
                        tag?: string | undefined;
                        subdomainPattern?: string | undefined;
                        access?: "propose" | "read" | "write" | undefined;
                        recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                    } | undefined;
                }[] | undefined;
                defaultDeny?: boolean | undefined;
            };
            output: GroupsTest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    domains: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        compare: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                with: string;
            };
            output: SnapshotDiff;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }> & import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        checkExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: ExpiryCheck;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        previewExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                domain: string;
            };
            output: ExpiryPreview;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }> & import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                status?: "active" | "disabled" | "expired" | "expiring" | undefined;
                group?: string | undefined;
                ungrouped?: "false" | "true" | boolean | undefined;
                tag?: string | undefined;
                search?: string | undefined;
                name?: string | undefined;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                drift?: "false" | "true" | boolean | undefined;
                sort?: "-drift" | "-expiresAt" | "-name" | "-provider" | "-recordCount" | "-updatedAt" | "drift" | "expiresAt" | "name" | "provider" | "recordCount" | "updatedAt" | undefined;
            } | undefined;
            output: DomainPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        tags: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: TagCounts;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        zoneOf: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                name: string;
            };
            output: ZoneOfName;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        watch: import("@trpc/server").TRPCSubscriptionProcedure<{
            input: {
                ids: string[];
            };
            output: AsyncIterable<{
                domainId: string;
                revision: number;
                changeSetId: string | null;
            }, void, any>;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                name: string;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                expiresAt?: string | Date | null | undefined;
                groupName?: string | null | undefined;
                tags?: string[] | undefined;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                expiresAt?: string | Date | null | undefined;
                groupName?: string | null | undefined;
                tags?: string[] | undefined;
                notes?: string | null | undefined;
                status?: "active" | "disabled" | undefined;
                snapshotSchedule?: "daily" | "off" | "weekly" | undefined;
                reverse?: "follow" | "off" | "offer" | undefined;
                reverseFollowGrant?: boolean | undefined;
                protectMail?: boolean | undefined;
                reviewRequired?: "everyone" | "members" | "off" | null | undefined;
                reviewAcme?: boolean | undefined;
                message?: string | undefined;
                override?: boolean | undefined;
                force?: boolean | undefined;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                force?: "false" | "true" | boolean | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        sync: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                dryRun?: boolean | undefined;
                force?: boolean | undefined;
                planHash?: string | undefined;
                message?: string | undefined;
                unlock?: boolean | undefined;
            };
            output: SyncResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setExpiryRemind: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                expiryRemindDays?: number[] | undefined;
                autoCheckExpiry?: boolean | undefined;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                expiresAt: string | Date | null;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    delegation: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: DomainDelegation;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        check: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: DomainDelegation;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        checkServed: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                name: string;
                recordType: "A" | "AAAA" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                values?: string[] | undefined;
                absent?: boolean | undefined;
            };
            output: ServedRecords;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        snooze: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                code: "dangling" | "dnskey_without_ds" | "ds_without_dnskey" | "glue_missing" | "glue_wrong" | "lame" | "not_delegated" | "ns_extra_at_parent" | "ns_missing_at_parent" | "serial_differs" | "unreachable";
                name: string;
                until: string | Date | null;
            };
            output: DomainDelegation;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    secondaries: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: Secondaries;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        raiseSerial: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Secondaries;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    mirrors: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: Mirrors;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                providerConfigId: string;
                onDrift?: "report" | "restore" | undefined;
                strict?: boolean | undefined;
                dryRun?: boolean | undefined;
                force?: boolean | undefined;
            };
            output: MirrorPlan;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reconcile: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                mirrorId: string;
                force?: boolean | undefined;
            };
            output: Mirrors;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                mirrorId: string;
                force?: "false" | "true" | boolean | undefined;
                deleteZone?: "false" | "true" | boolean | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    records: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        history: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
            };
            output: History;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }> & import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
                type?: string | undefined;
                search?: string | undefined;
                filter?: string | undefined;
                sort?: "-name" | "-ttl" | "-type" | "-updatedAt" | "-value" | "name" | "ttl" | "type" | "updatedAt" | "value" | undefined;
                at?: number | undefined;
                counts?: "false" | "true" | boolean | undefined;
                name?: string | undefined;
                value?: string | undefined;
                status?: "active" | "disabled" | undefined;
                locked?: "false" | "true" | boolean | undefined;
                ownerId?: string | undefined;
                reviewDue?: "false" | "true" | boolean | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: RecordPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        search: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                search?: string | undefined;
                value?: string | undefined;
                type?: string | undefined;
                tag?: string | undefined;
                group?: string | undefined;
                view?: string | undefined;
            };
            output: FoundRecords;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: import("./dns/record.js").TypeName;
                name: string;
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
                id: string;
            } & ({
                value: string;
            } | {
                strings: string[];
            });
            output: DnsRecord;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType?: import("./dns/record.js").TypeName | undefined;
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
                id: string;
                recordId: string;
            };
            output: DnsRecord;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                recordId: string;
                message?: string | undefined;
                override?: "false" | "true" | boolean | undefined;
                unlock?: "false" | "true" | boolean | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bulkCreate: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                records: ({
                    recordType: import("./dns/record.js").TypeName;
                    name: string;
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
                } & ({
                    value: string;
                } | {
                    strings: string[];
                }))[];
                mode?: "atomic" | "each" | undefined;
            };
            output: BulkResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        plan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                changes: ({
                    action: "create";
                    record: {
                        recordType: import("./dns/record.js").TypeName;
                        name: string;
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
                    } & ({
                        value: string;
                    } | {
                        strings: string[];
                    });
                } | {
                    action: "update";
                    recordId: string;
                    record: {
                        recordType?: import("./dns/record.js").TypeName | undefined;
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
                    };
                } | {
                    action: "delete";
                    recordId: string;
                })[];
                reverse?: boolean | string[] | undefined;
                unlock?: boolean | undefined;
            };
            output: Plan;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                changes: ({
                    action: "create";
                    record: {
                        recordType: import("./dns/record.js").TypeName;
                        name: string;
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
                    } & ({
                        value: string;
                    } | {
                        strings: string[];
                    });
                } | {
                    action: "update";
                    recordId: string;
                    record: {
                        recordType?: import("./dns/record.js").TypeName | undefined;
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
                    };
                } | {
                    action: "delete";
                    recordId: string;
                })[];
                reverse?: boolean | string[] | undefined;
                planHash: string;
                force?: boolean | undefined;
            };
            output: Applied;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revert: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                changeSetId: string;
                dryRun?: boolean | undefined;
                planHash?: string | undefined;
                force?: boolean | undefined;
            };
            output: RevertResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        exportZonefile: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
                revision?: number | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: Zonefile;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        importZonefile: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                zonefile: string;
                format?: "auto" | "zonefile" | undefined;
                lenient?: boolean | undefined;
                mode?: "merge" | "replace" | undefined;
                ignoreOutOfZone?: boolean | undefined;
                dryRun?: boolean | undefined;
                force?: boolean | undefined;
                planHash?: string | undefined;
            };
            output: ZonefileResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    replacements: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        plan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                recordType: import("./dns/record.js").TypeName;
                value: string;
                newValue: string;
                newTtl?: number | undefined;
                domainIds?: string[] | undefined;
                tag?: string | undefined;
            };
            output: ReplacementPlan;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: import("./dns/record.js").TypeName;
                value: string;
                newValue: string;
                newTtl?: number | undefined;
                domainIds?: string[] | undefined;
                tag?: string | undefined;
                planHash: string;
                force?: boolean | undefined;
            };
            output: StartedJob;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                jobId: string;
                state?: "done" | "failed" | "running" | "skipped" | "waiting" | undefined;
            };
            output: ReplacementJobPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        stop: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                jobId: string;
            };
            output: ReplacementJob;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revert: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                jobId: string;
                force?: boolean | undefined;
            };
            output: StartedJob;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    changeRequests: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                state?: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn" | undefined;
                domain?: string | undefined;
                mine?: "false" | "true" | boolean | undefined;
                toReview?: "false" | "true" | boolean | undefined;
            };
            output: ChangeRequestPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                title: string;
                note?: string | undefined;
                changes: ({
                    action: "create";
                    record: {
                        recordType: import("./dns/record.js").TypeName;
                        name: string;
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
                    } & ({
                        value: string;
                    } | {
                        strings: string[];
                    });
                } | {
                    action: "update";
                    recordId: string;
                    record: {
                        recordType?: import("./dns/record.js").TypeName | undefined;
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
                    };
                } | {
                    action: "delete";
                    recordId: string;
                })[];
                reverse?: boolean | string[] | undefined;
                applyAt?: string | Date | null | undefined;
                force?: boolean | undefined;
                unlock?: boolean | undefined;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        approve: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                changesHash: string;
                note?: string | undefined;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reject: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | undefined;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        withdraw: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyRequest: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                force?: boolean | undefined;
            };
            output: ChangeRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listComments: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
            };
            output: ChangeRequestComments;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        comment: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                text: string;
            };
            output: ChangeRequestComment;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    reverse: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        report: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                after?: string | undefined;
                limit?: number | undefined;
            } | undefined;
            output: ReverseReport;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    snapshots: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
                trigger?: "manual" | "on_change" | "scheduled" | undefined;
                records?: "false" | "true" | boolean | undefined;
            };
            output: SnapshotPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                trigger?: "manual" | "on_change" | "scheduled" | undefined;
            };
            output: Snapshot;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
                snapshotId: string;
                page?: number | undefined;
                limit?: number | undefined;
            };
            output: Snapshot;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        diff: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
                from: string;
                to: string;
            };
            output: SnapshotDiff;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        rollback: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                snapshotId: string;
                dryRun?: boolean | undefined;
                force?: boolean | undefined;
                planHash?: string | undefined;
            };
            output: RollbackResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    templates: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                search?: string | undefined;
            };
            output: TemplatePage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: Template;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                [x: string]: unknown;
                providerId: string;
                providerName: string;
                serviceId: string;
                serviceName: string;
                version?: string | number | null | undefined;
                description?: string | null | undefined;
                variableDescription?: string | null | undefined;
                hostRequired?: boolean | null | undefined;
                multiInstance?: boolean | null | undefined;
                warnPhishing?: boolean | null | undefined;
                logoUrl?: string | null | undefined;
                records: {
                    [x: string]: unknown;
                    type: string;
                    groupId?: string | number | null | undefined;
                    essential?: string | null | undefined;
                    host?: string | null | undefined;
                    name?: string | null | undefined;
                    pointsTo?: string | null | undefined;
                    target?: string | null | undefined;
                    data?: string | number | null | undefined;
                    rdata?: string | number | null | undefined;
                    ttl?: string | number | null | undefined;
                    priority?: string | number | null | undefined;
                    weight?: string | number | null | undefined;
                    port?: string | number | null | undefined;
                    protocol?: string | null | undefined;
                    service?: string | null | undefined;
                    spfRules?: string | null | undefined;
                    txtConflictMatchingMode?: string | null | undefined;
                    txtConflictMatchingPrefix?: string | null | undefined;
                }[];
            };
            output: Template;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                [x: string]: unknown;
                providerId: string;
                providerName: string;
                serviceId: string;
                serviceName: string;
                version?: string | number | null | undefined;
                description?: string | null | undefined;
                variableDescription?: string | null | undefined;
                hostRequired?: boolean | null | undefined;
                multiInstance?: boolean | null | undefined;
                warnPhishing?: boolean | null | undefined;
                logoUrl?: string | null | undefined;
                records: {
                    [x: string]: unknown;
                    type: string;
                    groupId?: string | number | null | undefined;
                    essential?: string | null | undefined;
                    host?: string | null | undefined;
                    name?: string | null | undefined;
                    pointsTo?: string | null | undefined;
                    target?: string | null | undefined;
                    data?: string | number | null | undefined;
                    rdata?: string | number | null | undefined;
                    ttl?: string | number | null | undefined;
                    priority?: string | number | null | undefined;
                    weight?: string | number | null | undefined;
                    port?: string | number | null | undefined;
                    protocol?: string | null | undefined;
                    service?: string | null | undefined;
                    spfRules?: string | null | undefined;
                    txtConflictMatchingMode?: string | null | undefined;
                    txtConflictMatchingPrefix?: string | null | undefined;
                }[];
                id: string;
            };
            output: Template;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        linkedPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: LinkedPlan;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyLinked: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                planHash: string;
                force?: boolean | undefined;
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
            };
            output: StartedJob;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listApplied: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
            };
            output: DomainTemplatePage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        plan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                templateId: string;
                host?: string | undefined;
                variables?: Record<string, string> | undefined;
                groups?: string[] | null | undefined;
                reverse?: boolean | string[] | undefined;
            };
            output: TemplatePlan;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                templateId: string;
                host?: string | undefined;
                variables?: Record<string, string> | undefined;
                groups?: string[] | null | undefined;
                reverse?: boolean | string[] | undefined;
                linked?: boolean | undefined;
                planHash: string;
                force?: boolean | undefined;
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
            };
            output: TemplateApplied;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        unlink: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                appliedId: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    assignments: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                userId?: string | undefined;
                domainId?: string | undefined;
            };
            output: AssignmentPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                userId: string;
                domainId?: string | undefined;
                groupName?: string | undefined;
                tag?: string | undefined;
                subdomainPattern?: string | undefined;
                access?: "propose" | "read" | "write" | undefined;
                recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                review?: boolean | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: Assignment;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listRequests: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                status?: "approved" | "pending" | "rejected" | undefined;
            };
            output: AssignmentRequestPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        request: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                domainId?: string | undefined;
                domainName?: string | undefined;
                subdomainPattern?: string | undefined;
                host?: string | null | undefined;
                access?: "read" | "write" | undefined;
                reason?: string | null | undefined;
            };
            output: AssignmentRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        approve: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | null | undefined;
            };
            output: AssignmentRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reject: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | null | undefined;
            };
            output: AssignmentRequest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    providers: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: ProviderCatalogue;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    providerConfigs: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: ProviderConfigList;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: import("./dns-providers/config-inputs.js").NewProviderConfig;
            output: ProviderConfig;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                name?: string | undefined;
                config?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
                membersMayUse?: boolean | undefined;
            };
            output: ProviderConfig;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        test: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: ProviderTest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        zones: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: ProviderZones;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        import: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                zones?: string[] | undefined;
                all?: true | undefined;
            };
            output: ImportResult;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        importProgress: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: ImportProgress;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    notifications: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: Notifications;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        stream: import("@trpc/server").TRPCSubscriptionProcedure<{
            input: {
                lastEventId?: string | undefined;
            } | undefined;
            output: AsyncIterable<import("@trpc/server/unstable-core-do-not-import").TrackedData<{
                event: "connected";
                gap: boolean;
            } | import("./platform/events.js").TypedNotification>, void, unknown>;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        read: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: import("./platform/events.js").TypedNotification;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        readAll: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: UpdatedCount;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: DeletedCount;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deleteAll: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: DeletedCount;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    channels: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
            } | undefined;
            output: NotificationChannels;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: import("./notifications/channels/configs.js").WithConfig<{
                name: string;
                events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
                enabled?: boolean | undefined;
                zoneFilter?: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                } | null | undefined;
                digest?: "daily" | "hourly" | "immediate" | undefined;
            }>;
            output: NotificationChannel;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: import("./notifications/channels/configs.js").WithConfigPatch<{
                id: string;
                name?: string | undefined;
                events?: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[] | undefined;
                enabled?: boolean | undefined;
                zoneFilter?: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: import("./dns/record.js").TypeName[] | undefined;
                } | null | undefined;
                digest?: "daily" | "hourly" | "immediate" | undefined;
            }>;
            output: NotificationChannel;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        test: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: ChannelTest;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deliveries: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: Deliveries;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    audit: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        list: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                actorId?: string | undefined;
                action?: string | undefined;
                targetType?: string | undefined;
                targetId?: string | undefined;
                from?: string | Date | undefined;
                to?: string | Date | undefined;
            };
            output: AuditPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    acme: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        present: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                fqdn?: string | undefined;
                value?: string | undefined;
                domain?: string | undefined;
                token?: string | undefined;
                keyAuth?: string | undefined;
            };
            output: AcmeChallengeOutcome;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        cleanup: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                fqdn?: string | undefined;
                value?: string | undefined;
                domain?: string | undefined;
                token?: string | undefined;
                keyAuth?: string | undefined;
            };
            output: AcmeChallengeOutcome;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
    v1: import("@trpc/server").TRPCBuiltRouter<{
        ctx: import("./api/context.js").Context;
        meta: import("./api/context.js").RouteMeta;
        errorShape: import("./api/context.js").ErrorShape;
        transformer: true;
    }, import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        listDomains: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                status?: "active" | "disabled" | "expired" | "expiring" | undefined;
                group?: string | undefined;
                ungrouped?: "false" | "true" | boolean | undefined;
                tag?: string | undefined;
                search?: string | undefined;
                name?: string | undefined;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                drift?: "false" | "true" | boolean | undefined;
                sort?: "-drift" | "-expiresAt" | "-name" | "-provider" | "-recordCount" | "-updatedAt" | "drift" | "expiresAt" | "name" | "provider" | "recordCount" | "updatedAt" | undefined;
            } | undefined;
            output: DomainPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        getDomain: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: DomainDetail;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listRecords: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
                type?: string | undefined;
                search?: string | undefined;
                filter?: string | undefined;
                sort?: "-name" | "-ttl" | "-type" | "-updatedAt" | "-value" | "name" | "ttl" | "type" | "updatedAt" | "value" | undefined;
                at?: number | undefined;
                counts?: "false" | "true" | boolean | undefined;
                name?: string | undefined;
                value?: string | undefined;
                status?: "active" | "disabled" | undefined;
                locked?: "false" | "true" | boolean | undefined;
                ownerId?: string | undefined;
                reviewDue?: "false" | "true" | boolean | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: RecordPage;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        createRecord: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: import("./dns/record.js").TypeName;
                name: string;
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
                id: string;
            } & ({
                value: string;
            } | {
                strings: string[];
            });
            output: DnsRecord;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        updateRecord: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType?: import("./dns/record.js").TypeName | undefined;
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
                id: string;
                recordId: string;
            };
            output: DnsRecord;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deleteRecord: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                recordId: string;
                message?: string | undefined;
                override?: "false" | "true" | boolean | undefined;
                unlock?: "false" | "true" | boolean | undefined;
            };
            output: Success;
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
}>>;
export type AppRouter = typeof appRouter;
