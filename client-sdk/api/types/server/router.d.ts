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
            output: {
                accessToken: string;
                refreshToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            } | {
                requires2FA: true;
                tempToken: string;
                methods: ("email" | "passkey" | "totp")[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            output: {
                accessToken: string;
                refreshToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        refresh: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                refreshToken?: string | undefined;
            };
            output: {
                accessToken: string;
                refreshToken: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        logout: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                refreshToken?: string | undefined;
            };
            output: {
                success: true;
            };
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
            output: {
                accessToken: string;
                refreshToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        forgotPassword: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                email: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        resetPassword: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                token: string;
                newPassword: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        verifyEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                token: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        me: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        confirmOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            output: {
                confirmedUntil: Date;
            };
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
            output: {
                totp: boolean;
                email: boolean;
                passkeys: {
                    id: string;
                    name: string;
                    createdAt: Date;
                    lastUsedAt: Date | null;
                }[];
                recoveryCodesLeft: number;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setupTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
                secret: string;
                otpauthUrl: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        enableTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                code: string;
            };
            output: {
                recoveryCodes: string[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        disableTotp: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        enableEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: {
                recoveryCodes: string[] | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        disableEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyCreationOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            output: {
                id: string;
                name: string;
                createdAt: Date;
                lastUsedAt: Date | null;
                recoveryCodes: string[] | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deletePasskey: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                currentPassword?: string | undefined;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        createRecoveryCodes: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
            };
            output: {
                recoveryCodes: string[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        sendEmailCode: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        passkeyOptions: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            output: {
                accessToken: string;
                refreshToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            };
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
            input: Record<string, never> | undefined;
            output: {
                tokens: {
                    id: string;
                    name: string;
                    permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
                    domainIds: string[] | null;
                    hostPattern: string | null;
                    recordTypes: string[] | null;
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                }[];
            };
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
                recordTypes?: string[] | null | undefined;
            };
            output: {
                id: string;
                name: string;
                permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
                domainIds: string[] | null;
                hostPattern: string | null;
                recordTypes: string[] | null;
                createdAt: Date;
                expiresAt: Date | null;
                lastUsedAt: Date | null;
                token: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            output: {
                keys: {
                    id: string;
                    name: string | null;
                    keyName: string;
                    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
                    domainId: string;
                    domainName: string;
                    hostPattern: string;
                    recordTypes: string[];
                    access: "both" | "read" | "update";
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                    lastUsedFrom: string | null;
                    lastError: string | null;
                    lastErrorAt: Date | null;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                name?: string | null | undefined;
                algorithm?: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512" | undefined;
                domainId: string;
                hostPattern?: string | undefined;
                recordTypes?: string[] | undefined;
                access?: "both" | "read" | "update" | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: {
                id: string;
                name: string | null;
                keyName: string;
                algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
                domainId: string;
                domainName: string;
                hostPattern: string;
                recordTypes: string[];
                access: "both" | "read" | "update";
                createdAt: Date;
                expiresAt: Date | null;
                lastUsedAt: Date | null;
                lastUsedFrom: string | null;
                lastError: string | null;
                lastErrorAt: Date | null;
                secret: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                keys: {
                    id: string;
                    name: string | null;
                    keyName: string;
                    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
                    domainId: string;
                    domainName: string;
                    hostPattern: string;
                    recordTypes: string[];
                    access: "both" | "read" | "update";
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                    lastUsedFrom: string | null;
                    lastError: string | null;
                    lastErrorAt: Date | null;
                    userId: string;
                    username: string;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revoke: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            output: {
                sessions: {
                    id: string;
                    current: boolean;
                    userAgent: string | null;
                    ip: string | null;
                    createdAt: Date;
                    lastUsedAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            output: {
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
            output: {
                success: true;
                remaining: {
                    sessions: number;
                    tokens: number;
                    keys: number;
                    passkeys: number;
                    identities: number;
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        changeEmail: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                currentPassword?: string | undefined;
                password?: string | undefined;
                email: string;
            };
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        resendVerification: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
                success: true;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                users: {
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
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
            output: {
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
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        access: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                hasPassword: boolean;
                sessions: {
                    id: string;
                    current: boolean;
                    userAgent: string | null;
                    ip: string | null;
                    createdAt: Date;
                    lastUsedAt: Date;
                }[];
                tokens: {
                    id: string;
                    name: string;
                    permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
                    domainIds: string[] | null;
                    hostPattern: string | null;
                    recordTypes: string[] | null;
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                }[];
                keys: {
                    id: string;
                    name: string | null;
                    keyName: string;
                    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
                    domainId: string;
                    domainName: string;
                    hostPattern: string;
                    recordTypes: string[];
                    access: "both" | "read" | "update";
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                    lastUsedFrom: string | null;
                    lastError: string | null;
                    lastErrorAt: Date | null;
                }[];
                passkeys: {
                    id: string;
                    name: string;
                    createdAt: Date;
                    lastUsedAt: Date | null;
                }[];
                identities: {
                    id: string;
                    providerId: string;
                    subject: string;
                    email: string | null;
                    displayName: string | null;
                    createdAt: Date;
                }[];
                totp: boolean;
                email: boolean;
                recoveryCodesLeft: number;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        revokeAccess: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                revoke?: ("email" | "identities" | "keys" | "passkeys" | "password" | "recoveryCodes" | "sessions" | "tokens" | "totp")[] | undefined;
                ids?: string[] | undefined;
            };
            output: {
                hasPassword: boolean;
                sessions: {
                    id: string;
                    current: boolean;
                    userAgent: string | null;
                    ip: string | null;
                    createdAt: Date;
                    lastUsedAt: Date;
                }[];
                tokens: {
                    id: string;
                    name: string;
                    permissions: ("assignments:read" | "assignments:write" | "audit:read" | "domains:read" | "domains:write" | "notifications:read" | "notifications:write" | "providers:read" | "records:read" | "records:write" | "requests:read" | "requests:write" | "snapshots:read" | "snapshots:write")[];
                    domainIds: string[] | null;
                    hostPattern: string | null;
                    recordTypes: string[] | null;
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                }[];
                keys: {
                    id: string;
                    name: string | null;
                    keyName: string;
                    algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
                    domainId: string;
                    domainName: string;
                    hostPattern: string;
                    recordTypes: string[];
                    access: "both" | "read" | "update";
                    createdAt: Date;
                    expiresAt: Date | null;
                    lastUsedAt: Date | null;
                    lastUsedFrom: string | null;
                    lastError: string | null;
                    lastErrorAt: Date | null;
                }[];
                passkeys: {
                    id: string;
                    name: string;
                    createdAt: Date;
                    lastUsedAt: Date | null;
                }[];
                identities: {
                    id: string;
                    providerId: string;
                    subject: string;
                    email: string | null;
                    displayName: string | null;
                    createdAt: Date;
                }[];
                totp: boolean;
                email: boolean;
                recoveryCodesLeft: number;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                reassignTo?: string | undefined;
            };
            output: {
                success: true;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                invitations: {
                    id: string;
                    role: "admin" | "auditor" | "member";
                    maxUses: number;
                    uses: number;
                    expiresAt: Date | null;
                    createdBy: string | null;
                    createdAt: Date;
                    state: "ended" | "expired" | "open" | "used_up";
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                role?: "admin" | "auditor" | "member" | undefined;
                maxUses?: number | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            input: Record<string, never> | undefined;
            output: {
                providers: {
                    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
                    name: string;
                    type: "oauth2" | "oidc";
                    host: string | null;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        callbackUrl: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                providerId: string;
            };
            output: {
                providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
                homepageUrl: string;
                redirectUrl: string;
                siteUrl: string;
                callbackUrl: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        exchangeTicket: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                ticket: string;
            };
            output: {
                requires2FA: true;
                tempToken: string;
                methods: ("email" | "passkey" | "totp")[];
            } | {
                accessToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bindStart: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                providerId: string;
            };
            output: {
                authorizeUrl: string;
                callbackUrl: string;
                redirectUrl: string;
            };
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
            output: {
                accessToken: string;
                refreshToken: string;
                user: {
                    id: string;
                    username: string;
                    email: string | null;
                    role: "admin" | "auditor" | "member";
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bindings: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: {
                bindings: {
                    providerId: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
                    name: string;
                    type: "oauth2" | "oidc";
                    subject: string;
                    email: string | null;
                    displayName: string | null;
                    createdAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        unbind: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                providerId: string;
            };
            output: {
                success: true;
            };
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
            input: Record<string, never> | undefined;
            output: {
                providers: {
                    groupsClaim: string | null;
                    groupRules: {
                        group: string;
                        role: "admin" | "auditor" | "member" | null;
                        assignment: {
                            domainId: string | null;
                            groupName: string | null;
                            tag: string | null;
                            subdomainPattern: string;
                            access: "propose" | "read" | "write";
                            recordTypes: string[];
                        } | null;
                    }[];
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
                }[];
                availableProviders: {
                    id: "custom" | "dingtalk" | "feishu" | "github" | "gitlab" | "google" | "oidc";
                    name: string;
                    type: "oauth2" | "oidc";
                }[];
                homepageUrl: string;
                oidcUrls: {
                    homepageUrl: string;
                    redirectUrl: string;
                };
            };
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
                        recordTypes?: string[] | undefined;
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
            output: {
                groupsClaim: string | null;
                groupRules: {
                    group: string;
                    role: "admin" | "auditor" | "member" | null;
                    assignment: {
                        domainId: string | null;
                        groupName: string | null;
                        tag: string | null;
                        subdomainPattern: string;
                        access: "propose" | "read" | "write";
                        recordTypes: string[];
                    } | null;
                }[];
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
                        recordTypes?: string[] | undefined;
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
            output: {
                groupsClaim: string | null;
                groupRules: {
                    group: string;
                    role: "admin" | "auditor" | "member" | null;
                    assignment: {
                        domainId: string | null;
                        groupName: string | null;
                        tag: string | null;
                        subdomainPattern: string;
                        access: "propose" | "read" | "write";
                        recordTypes: string[];
                    } | null;
                }[];
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
                        recordTypes?: string[] | undefined;
                    } | undefined;
                }[] | undefined;
                defaultDeny?: boolean | undefined;
            };
            output: {
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
                    recordTypes: string[];
                }[];
                allowed: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
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
            output: {
                added: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                removed: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                modified: {
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    after: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    changes: Record<string, [unknown, unknown]>;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }> & import("@trpc/server").TRPCDecorateCreateRouterOptions<{
        checkExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: boolean;
                expiresAt: Date | null;
                source: "rdap" | "whois" | null;
                error: string | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        previewExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                domain: string;
            };
            output: {
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
                tag?: string | undefined;
                search?: string | undefined;
                name?: string | undefined;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                drift?: "false" | "true" | boolean | undefined;
                sort?: "-drift" | "-expiresAt" | "-name" | "-provider" | "-recordCount" | "-updatedAt" | "drift" | "expiresAt" | "name" | "provider" | "recordCount" | "updatedAt" | undefined;
            } | undefined;
            output: {
                total: number;
                page: number;
                limit: number;
                domains: {
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
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        tags: import("@trpc/server").TRPCQueryProcedure<{
            input: Record<string, never> | undefined;
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        zoneOf: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                name: string;
            };
            output: {
                domain: {
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
                host: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                force?: "false" | "true" | boolean | undefined;
            };
            output: {
                success: true;
            };
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
            output: {
                created: number;
                updated: number;
                deleted: number;
                synced: number;
                unchanged: number;
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                planHash: string | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setExpiryRemind: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                expiryRemindDays?: number[] | undefined;
                autoCheckExpiry?: boolean | undefined;
            };
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        setExpiry: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                expiresAt: string | Date | null;
            };
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
            output: {
                domainId: string;
                notCheckedBecause: string | null;
                checkedAt: Date | null;
                nextCheckAt: Date | null;
                changedAt: Date | null;
                parent: {
                    zone: string;
                    seenAt: Date;
                    nameServers: string[];
                    glue: {
                        name: string;
                        address: string;
                    }[];
                    ds: string[] | null;
                } | null;
                parentError: string | null;
                apex: {
                    nameServers: string[] | null;
                    keys: {
                        tag: number;
                        algorithm: number;
                        entryPoint: boolean;
                    }[] | null;
                } | null;
                servers: {
                    name: string;
                    address: string | null;
                    state: "authoritative" | "lame" | "no_address" | "not_checked" | "unreachable";
                    serial: number | null;
                    detail: string | null;
                }[];
                targets: {
                    checked: number;
                    unknown: number;
                    skipped: number;
                } | null;
                findings: {
                    code: "dangling" | "dnskey_without_ds" | "ds_without_dnskey" | "glue_missing" | "glue_wrong" | "lame" | "not_delegated" | "ns_extra_at_parent" | "ns_missing_at_parent" | "serial_differs" | "unreachable";
                    severity: "error" | "info" | "warning";
                    name: string;
                    recordType: string | null;
                    server: string | null;
                    target: string | null;
                    message: string;
                    firstSeenAt: Date;
                    lastSeenAt: Date;
                    snoozedUntil: Date | null;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        check: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                domainId: string;
                notCheckedBecause: string | null;
                checkedAt: Date | null;
                nextCheckAt: Date | null;
                changedAt: Date | null;
                parent: {
                    zone: string;
                    seenAt: Date;
                    nameServers: string[];
                    glue: {
                        name: string;
                        address: string;
                    }[];
                    ds: string[] | null;
                } | null;
                parentError: string | null;
                apex: {
                    nameServers: string[] | null;
                    keys: {
                        tag: number;
                        algorithm: number;
                        entryPoint: boolean;
                    }[] | null;
                } | null;
                servers: {
                    name: string;
                    address: string | null;
                    state: "authoritative" | "lame" | "no_address" | "not_checked" | "unreachable";
                    serial: number | null;
                    detail: string | null;
                }[];
                targets: {
                    checked: number;
                    unknown: number;
                    skipped: number;
                } | null;
                findings: {
                    code: "dangling" | "dnskey_without_ds" | "ds_without_dnskey" | "glue_missing" | "glue_wrong" | "lame" | "not_delegated" | "ns_extra_at_parent" | "ns_missing_at_parent" | "serial_differs" | "unreachable";
                    severity: "error" | "info" | "warning";
                    name: string;
                    recordType: string | null;
                    server: string | null;
                    target: string | null;
                    message: string;
                    firstSeenAt: Date;
                    lastSeenAt: Date;
                    snoozedUntil: Date | null;
                }[];
            };
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
            output: {
                domainId: string;
                domainName: string;
                name: string;
                recordType: "A" | "AAAA" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                served: boolean;
                notCheckedBecause: string | null;
                error: string | null;
                servers: {
                    name: string;
                    address: string | null;
                    state: "behind" | "current" | "lame" | "no_address" | "not_checked" | "unreachable";
                    detail: string | null;
                    counts: boolean;
                }[];
            };
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
            output: {
                domainId: string;
                notCheckedBecause: string | null;
                checkedAt: Date | null;
                nextCheckAt: Date | null;
                changedAt: Date | null;
                parent: {
                    zone: string;
                    seenAt: Date;
                    nameServers: string[];
                    glue: {
                        name: string;
                        address: string;
                    }[];
                    ds: string[] | null;
                } | null;
                parentError: string | null;
                apex: {
                    nameServers: string[] | null;
                    keys: {
                        tag: number;
                        algorithm: number;
                        entryPoint: boolean;
                    }[] | null;
                } | null;
                servers: {
                    name: string;
                    address: string | null;
                    state: "authoritative" | "lame" | "no_address" | "not_checked" | "unreachable";
                    serial: number | null;
                    detail: string | null;
                }[];
                targets: {
                    checked: number;
                    unknown: number;
                    skipped: number;
                } | null;
                findings: {
                    code: "dangling" | "dnskey_without_ds" | "ds_without_dnskey" | "glue_missing" | "glue_wrong" | "lame" | "not_delegated" | "ns_extra_at_parent" | "ns_missing_at_parent" | "serial_differs" | "unreachable";
                    severity: "error" | "info" | "warning";
                    name: string;
                    recordType: string | null;
                    server: string | null;
                    target: string | null;
                    message: string;
                    firstSeenAt: Date;
                    lastSeenAt: Date;
                    snoozedUntil: Date | null;
                }[];
            };
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
            output: {
                serial: number | null;
                changedAt: Date | null;
                secondaries: {
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
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        raiseSerial: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                serial: number | null;
                changedAt: Date | null;
                secondaries: {
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
                }[];
            };
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
            output: {
                revision: number;
                mirrors: {
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
                }[];
            };
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
            output: {
                dryRun: boolean;
                mirrorId: string | null;
                create: number;
                update: number;
                delete: number;
                deletes: string[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reconcile: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                mirrorId: string;
                force?: boolean | undefined;
            };
            output: {
                revision: number;
                mirrors: {
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
                }[];
            };
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
            output: {
                success: true;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                entries: {
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
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        } | null;
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        } | null;
                    }[];
                    failures: {
                        action: "create" | "delete" | "update";
                        recordType: string;
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
                }[];
            };
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
                locked?: "false" | "true" | boolean | undefined;
                ownerId?: string | undefined;
                reviewDue?: "false" | "true" | boolean | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: {
                total: number;
                page: number;
                limit: number;
                records: {
                    recordType: string;
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
                }[];
                revision: number;
                typeCounts: Record<string, number> | null;
            };
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
            output: {
                page: number;
                limit: number;
                records: {
                    recordType: string;
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
                }[];
                total: number;
                totalIsExact: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                name: string;
                value?: string | undefined;
                strings?: string[] | null | undefined;
                ttl?: number | undefined;
                priority?: number | null | undefined;
                proxied?: boolean | undefined;
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
            output: {
                recordType: string;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType?: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT" | undefined;
                name?: string | undefined;
                value?: string | undefined;
                strings?: string[] | null | undefined;
                ttl?: number | undefined;
                priority?: number | null | undefined;
                proxied?: boolean | undefined;
                comment?: string | null | undefined;
                locked?: boolean | undefined;
                ownerId?: string | null | undefined;
                reviewAt?: string | Date | null | undefined;
                id: string;
                recordId: string;
            };
            output: {
                recordType: string;
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
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        bulkCreate: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                id: string;
                records: unknown[];
                mode?: "atomic" | "each" | undefined;
            };
            output: {
                results: {
                    success: boolean;
                    recordType: string | null;
                    name: string | null;
                    id: string | null;
                    error: string | null;
                }[];
                total: number;
                succeeded: number;
                reverse: {
                    domainId: string;
                    domainName: string;
                    revision: number | null;
                    error: string | null;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        plan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                changes: ({
                    action: "create";
                    record: {
                        recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                        name: string;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
                        recordType?: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT" | undefined;
                        name?: string | undefined;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
            output: {
                creates: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                updates: {
                    id: string;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    after: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    changes: Record<string, [unknown, unknown]>;
                }[];
                deletes: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                    id: string;
                }[];
                warnings: string[];
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string;
                revision: number;
            };
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
                        recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                        name: string;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
                        recordType?: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT" | undefined;
                        name?: string | undefined;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
            output: {
                results: {
                    success: true;
                    action: "create" | "delete" | "update";
                    recordId: string;
                    record: {
                        recordType: string;
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
                    } | null;
                }[];
                revision: number;
                reverse: {
                    domainId: string;
                    domainName: string;
                    revision: number | null;
                    error: string | null;
                }[];
            };
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
            output: {
                created: number;
                updated: number;
                deleted: number;
                changeSetId: string | null;
                revision: number;
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                planHash: string | null;
                reverse: {
                    domainId: string;
                    domainName: string;
                    revision: number | null;
                    error: string | null;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        exportZonefile: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
                revision?: number | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: {
                zonefile: string;
            };
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
                mode?: "merge" | "replace" | undefined;
                ignoreOutOfZone?: boolean | undefined;
                dryRun?: boolean | undefined;
                force?: boolean | undefined;
                planHash?: string | undefined;
            };
            output: {
                created: number;
                updated: number;
                deleted: number;
                unchanged: number;
                warnings: string[];
                reverse: {
                    domainId: string;
                    domainName: string;
                    revision: number | null;
                    error: string | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                planHash: string | null;
            };
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
                recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                value: string;
                newValue: string;
                newTtl?: number | undefined;
                domainIds?: string[] | undefined;
                tag?: string | undefined;
            };
            output: {
                domains: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                value: string;
                newValue: string;
                newTtl?: number | undefined;
                domainIds?: string[] | undefined;
                tag?: string | undefined;
                planHash: string;
                force?: boolean | undefined;
            };
            output: {
                jobId: string;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                jobId: string;
                kind: "replace" | "revert" | "template";
                state: "done" | "running" | "stopped" | "stopping";
                startedBy: string | null;
                recordType: string | null;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        stop: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                jobId: string;
            };
            output: {
                jobId: string;
                kind: "replace" | "revert" | "template";
                state: "done" | "running" | "stopped" | "stopping";
                startedBy: string | null;
                recordType: string | null;
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
            output: {
                jobId: string;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                requests: {
                    id: string;
                    number: number;
                    state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                }[];
                counts: {
                    open: number;
                    approved: number;
                    toReview: number;
                };
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
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
                        recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                        name: string;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
                        recordType?: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT" | undefined;
                        name?: string | undefined;
                        value?: string | undefined;
                        strings?: string[] | null | undefined;
                        ttl?: number | undefined;
                        priority?: number | null | undefined;
                        proxied?: boolean | undefined;
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
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        approve: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                changesHash: string;
                note?: string | undefined;
            };
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reject: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | undefined;
            };
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        withdraw: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        applyRequest: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                force?: boolean | undefined;
            };
            output: {
                id: string;
                number: number;
                state: "applied" | "approved" | "failed" | "open" | "rejected" | "withdrawn";
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
                changes: {
                    action: "create" | "delete" | "update";
                    recordId: string | null;
                    record: Record<string, unknown> | null;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string | null;
                changesHash: string | null;
                outdated: boolean;
                problem: string | null;
                reason: string | null;
                force: boolean;
                reviews: {
                    userId: string | null;
                    user: string | null;
                    verdict: "approve" | "reject";
                    changesHash: string | null;
                    note: string | null;
                    counts: boolean;
                    createdAt: Date;
                }[];
                changeSetId: string | null;
                mayReview: boolean;
                mayApply: boolean;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listComments: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
            };
            output: {
                total: number;
                page: number;
                limit: number;
                comments: {
                    id: string;
                    userId: string | null;
                    user: string | null;
                    text: string;
                    createdAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        comment: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                text: string;
            };
            output: {
                id: string;
                userId: string | null;
                user: string | null;
                text: string;
                createdAt: Date;
            };
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
            output: {
                findings: {
                    problem: "mismatched" | "missing" | "stale";
                    address: string;
                    domainId: string;
                    domainName: string;
                    name: string;
                    recordId: string | null;
                    value: string | null;
                    expected: string | null;
                    sourceId: string | null;
                }[];
                plan: {
                    domainId: string;
                    domainName: string;
                    changes: ({
                        action: "create";
                        record: {
                            recordType: "PTR";
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
                }[];
                next: string | null;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                snapshots: {
                    id: string;
                    domainId: string;
                    version: number;
                    trigger: "manual" | "on_change" | "scheduled";
                    records: {
                        recordType: string;
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
                    }[] | null;
                    recordCount: number;
                    createdBy: string | null;
                    createdAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                trigger?: "manual" | "on_change" | "scheduled" | undefined;
            };
            output: {
                id: string;
                domainId: string;
                version: number;
                trigger: "manual" | "on_change" | "scheduled";
                records: {
                    recordType: string;
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
                }[] | null;
                recordCount: number;
                createdBy: string | null;
                createdAt: Date;
            };
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
            output: {
                id: string;
                domainId: string;
                version: number;
                trigger: "manual" | "on_change" | "scheduled";
                records: {
                    recordType: string;
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
                }[] | null;
                recordCount: number;
                createdBy: string | null;
                createdAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        diff: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
                from: string;
                to: string;
            };
            output: {
                added: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                removed: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                modified: {
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    after: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    changes: Record<string, [unknown, unknown]>;
                }[];
            };
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
            output: {
                success: boolean;
                snapshot: {
                    id: string;
                    domainId: string;
                    version: number;
                    trigger: "manual" | "on_change" | "scheduled";
                    records: {
                        recordType: string;
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
                    }[] | null;
                    recordCount: number;
                    createdBy: string | null;
                    createdAt: Date;
                } | null;
                created: number;
                updated: number;
                deleted: number;
                failed: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    error: string;
                }[];
                plan: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                } | null;
                planHash: string | null;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                templates: {
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
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        get: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
            output: {
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
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        linkedPlan: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                domains: {
                    creates: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    }[];
                    updates: {
                        id: string;
                        before: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        after: {
                            recordType: string;
                            name: string;
                            value: string;
                            strings: string[] | null;
                            ttl: number;
                            priority: number | null;
                            proxied: boolean;
                        };
                        changes: Record<string, [unknown, unknown]>;
                    }[];
                    deletes: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                        id: string;
                    }[];
                    warnings: string[];
                    domainId: string;
                    domainName: string;
                    error: string | null;
                }[];
                warnings: string[];
                unchanged: number;
                planHash: string;
            };
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
            output: {
                jobId: string;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listApplied: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                id: string;
            };
            output: {
                total: number;
                page: number;
                limit: number;
                templates: {
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
                        recordType: string;
                        name: string;
                        value: string;
                        essential: "Always" | "OnApply";
                    }[];
                    revision: number;
                    appliedBy: string | null;
                    appliedAt: Date;
                }[];
            };
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
            output: {
                creates: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                }[];
                updates: {
                    id: string;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    after: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    };
                    changes: Record<string, [unknown, unknown]>;
                }[];
                deletes: {
                    recordType: string;
                    name: string;
                    value: string;
                    strings: string[] | null;
                    ttl: number;
                    priority: number | null;
                    proxied: boolean;
                    id: string;
                }[];
                warnings: string[];
                reverse: {
                    address: string;
                    domainId: string | null;
                    domainName: string | null;
                    action: "create" | "delete" | "update" | null;
                    recordId: string | null;
                    record: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    before: {
                        recordType: string;
                        name: string;
                        value: string;
                        strings: string[] | null;
                        ttl: number;
                        priority: number | null;
                        proxied: boolean;
                    } | null;
                    included: boolean;
                    reason: string | null;
                }[];
                planHash: string;
                revision: number;
                conflicts: {
                    id: string;
                    recordType: string;
                    name: string;
                    value: string;
                    record: number | null;
                }[];
            };
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
            output: {
                results: {
                    success: true;
                    action: "create" | "delete" | "update";
                    recordId: string;
                    record: {
                        recordType: string;
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
                    } | null;
                }[];
                revision: number;
                reverse: {
                    domainId: string;
                    domainName: string;
                    revision: number | null;
                    error: string | null;
                }[];
                applied: {
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
                        recordType: string;
                        name: string;
                        value: string;
                        essential: "Always" | "OnApply";
                    }[];
                    revision: number;
                    appliedBy: string | null;
                    appliedAt: Date;
                } | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        unlink: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                appliedId: string;
            };
            output: {
                success: true;
            };
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
            output: {
                total: number;
                page: number;
                limit: number;
                assignments: {
                    id: string;
                    userId: string;
                    domainId: string;
                    domainName: string;
                    groupName: string | null;
                    tag: string | null;
                    subdomainPattern: string;
                    access: "propose" | "read" | "write";
                    recordTypes: string[];
                    review: boolean;
                    expiresAt: Date | null;
                    fromGroup: boolean;
                    createdBy: string | null;
                    createdAt: Date;
                }[];
            };
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
                recordTypes?: string[] | undefined;
                review?: boolean | undefined;
                expiresAt?: string | Date | null | undefined;
            };
            output: {
                id: string;
                userId: string;
                domainId: string;
                domainName: string;
                groupName: string | null;
                tag: string | null;
                subdomainPattern: string;
                access: "propose" | "read" | "write";
                recordTypes: string[];
                review: boolean;
                expiresAt: Date | null;
                fromGroup: boolean;
                createdBy: string | null;
                createdAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        listRequests: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                page?: number | undefined;
                limit?: number | undefined;
                status?: "approved" | "pending" | "rejected" | undefined;
            };
            output: {
                total: number;
                page: number;
                limit: number;
                requests: {
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
                }[];
            };
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
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        approve: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | null | undefined;
            };
            output: {
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        reject: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                note?: string | null | undefined;
            };
            output: {
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
            output: {
                providers: {
                    id: string;
                    kind: string;
                    name: string;
                    recordTypes: string[] | null;
                    supportsProxied: boolean;
                    minTtl: number;
                    configFields: {
                        name: string;
                        label: string;
                        secret: boolean;
                        required: boolean;
                    }[];
                }[];
            };
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
            output: {
                configs: {
                    id: string;
                    kind: string;
                    providerId: string;
                    name: string;
                    config: Record<string, string | number | boolean | null>;
                    membersMayUse: boolean;
                    createdAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: import("./dns-providers/config-inputs.js").NewProviderConfig;
            output: {
                id: string;
                kind: string;
                providerId: string;
                name: string;
                config: Record<string, string | number | boolean | null>;
                membersMayUse: boolean;
                createdAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                name?: string | undefined;
                config?: Record<string, string | number | boolean | null> | undefined;
                membersMayUse?: boolean | undefined;
            };
            output: {
                id: string;
                kind: string;
                providerId: string;
                name: string;
                config: Record<string, string | number | boolean | null>;
                membersMayUse: boolean;
                createdAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        test: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: boolean;
                error: string | null;
                zones: number | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        zones: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
                zones: {
                    name: string;
                    managed: boolean;
                }[];
                unusable: {
                    name: string;
                    reason: string;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        import: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                zones?: string[] | undefined;
                all?: true | undefined;
            };
            output: {
                results: {
                    name: string;
                    success: boolean;
                    domainId: string | null;
                    records: number;
                    error: string | null;
                }[];
                progress: {
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
                } | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        importProgress: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
            input: Record<string, never> | undefined;
            output: {
                notifications: import("./platform/events.js").TypedNotification[];
                unreadCount: number;
            };
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
            output: {
                success: true;
                updated: number;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
                deleted: number;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deleteAll: import("@trpc/server").TRPCMutationProcedure<{
            input: Record<string, never> | undefined;
            output: {
                success: true;
                deleted: number;
            };
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
            input: Record<string, never> | undefined;
            output: {
                configs: {
                    id: string;
                    channel: "dingtalk" | "email" | "feishu" | "slack" | "web" | "webhook";
                    name: string;
                    config: Record<string, unknown>;
                    events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
                    enabled: boolean;
                    zoneFilter: {
                        domainIds?: string[] | undefined;
                        tags?: string[] | undefined;
                        groupNames?: string[] | undefined;
                        recordTypes?: string[] | undefined;
                    } | null;
                    digest: "daily" | "hourly" | "immediate";
                    disabledReason: string | null;
                    lastSuccessAt: Date | null;
                    createdAt: Date;
                    updatedAt: Date;
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        create: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                channel: "dingtalk" | "email" | "feishu" | "slack" | "web" | "webhook";
                name: string;
                config: Record<string, unknown>;
                events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
                enabled?: boolean | undefined;
                zoneFilter?: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: string[] | undefined;
                } | null | undefined;
                digest?: "daily" | "hourly" | "immediate" | undefined;
            };
            output: {
                id: string;
                channel: "dingtalk" | "email" | "feishu" | "slack" | "web" | "webhook";
                name: string;
                config: Record<string, unknown>;
                events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
                enabled: boolean;
                zoneFilter: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: string[] | undefined;
                } | null;
                digest: "daily" | "hourly" | "immediate";
                disabledReason: string | null;
                lastSuccessAt: Date | null;
                createdAt: Date;
                updatedAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        update: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
                channel?: "dingtalk" | "email" | "feishu" | "slack" | "web" | "webhook" | undefined;
                name?: string | undefined;
                config?: Record<string, unknown> | undefined;
                events?: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[] | undefined;
                enabled?: boolean | undefined;
                zoneFilter?: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: string[] | undefined;
                } | null | undefined;
                digest?: "daily" | "hourly" | "immediate" | undefined;
            };
            output: {
                id: string;
                channel: "dingtalk" | "email" | "feishu" | "slack" | "web" | "webhook";
                name: string;
                config: Record<string, unknown>;
                events: ("assignment.approve" | "assignment.create" | "assignment.delete" | "assignment.ending" | "assignment.reject" | "assignment.request" | "change.applied" | "change.approved" | "change.failed" | "change.rejected" | "change.requested" | "channel.disabled" | "domain.dangling" | "domain.delegation_changed" | "domain.expired" | "domain.expiring" | "domain.expiry_check_failed" | "domain.registration_changed" | "mirror.failing" | "mirror.recovered" | "record.change_failed" | "record.review_due" | "replacement.finished" | "replacement.progress" | "security.access_revoked" | "security.administrator_added" | "security.email_changed" | "security.factor_added" | "security.factor_removed" | "security.identity_added" | "security.identity_removed" | "security.key_created" | "security.new_sign_in" | "security.password_changed" | "security.recovery_codes_replaced" | "security.sign_in_provider_changed" | "security.token_created" | "zone.changed" | "zone.drift" | "zone.secondary_ahead" | "zone.secondary_behind" | "zone.secondary_recovered")[];
                enabled: boolean;
                zoneFilter: {
                    domainIds?: string[] | undefined;
                    tags?: string[] | undefined;
                    groupNames?: string[] | undefined;
                    recordTypes?: string[] | undefined;
                } | null;
                digest: "daily" | "hourly" | "immediate";
                disabledReason: string | null;
                lastSuccessAt: Date | null;
                createdAt: Date;
                updatedAt: Date;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        delete: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        test: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                id: string;
            };
            output: {
                success: boolean;
                error: string | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        deliveries: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
            output: {
                total: number;
                page: number;
                limit: number;
                entries: {
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
                }[];
            };
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
            output: {
                success: true;
                domainId: string;
                domainName: string;
                name: string;
                value: string;
                changed: boolean;
            };
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
            output: {
                success: true;
                domainId: string;
                domainName: string;
                name: string;
                value: string;
                changed: boolean;
            };
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
                tag?: string | undefined;
                search?: string | undefined;
                name?: string | undefined;
                view?: string | undefined;
                providerConfigId?: string | undefined;
                drift?: "false" | "true" | boolean | undefined;
                sort?: "-drift" | "-expiresAt" | "-name" | "-provider" | "-recordCount" | "-updatedAt" | "drift" | "expiresAt" | "name" | "provider" | "recordCount" | "updatedAt" | undefined;
            } | undefined;
            output: {
                total: number;
                page: number;
                limit: number;
                domains: {
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
                }[];
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        getDomain: import("@trpc/server").TRPCQueryProcedure<{
            input: {
                id: string;
            };
            output: {
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
                registration: {
                    source: "rdap" | "whois";
                    registrar: string | null;
                    statuses: string[] | null;
                    nameServers: string[] | null;
                    ds: string[] | null;
                } | null;
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
                locked?: "false" | "true" | boolean | undefined;
                ownerId?: string | undefined;
                reviewDue?: "false" | "true" | boolean | undefined;
                serverManaged?: "false" | "true" | boolean | undefined;
            };
            output: {
                total: number;
                page: number;
                limit: number;
                records: {
                    recordType: string;
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
                }[];
                revision: number;
                typeCounts: Record<string, number> | null;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        createRecord: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT";
                name: string;
                value?: string | undefined;
                strings?: string[] | null | undefined;
                ttl?: number | undefined;
                priority?: number | null | undefined;
                proxied?: boolean | undefined;
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
            output: {
                recordType: string;
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
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
        updateRecord: import("@trpc/server").TRPCMutationProcedure<{
            input: {
                message?: string | undefined;
                override?: boolean | undefined;
                unlock?: boolean | undefined;
                recordType?: "A" | "AAAA" | "ALIAS" | "CAA" | "CNAME" | "DHCID" | "DS" | "HTTPS" | "MX" | "NAPTR" | "NS" | "PTR" | "SRV" | "SSHFP" | "SVCB" | "TLSA" | "TXT" | undefined;
                name?: string | undefined;
                value?: string | undefined;
                strings?: string[] | null | undefined;
                ttl?: number | undefined;
                priority?: number | null | undefined;
                proxied?: boolean | undefined;
                comment?: string | null | undefined;
                locked?: boolean | undefined;
                ownerId?: string | null | undefined;
                reviewAt?: string | Date | null | undefined;
                id: string;
                recordId: string;
            };
            output: {
                recordType: string;
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
            output: {
                success: true;
            };
            meta: import("./api/context.js").RouteMeta;
            errorShape: import("./api/context.js").ErrorShape;
        }>;
    }>>;
}>>;
export type AppRouter = typeof appRouter;
