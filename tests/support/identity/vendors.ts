import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  startLoopbackVendor,
  type LoopbackVendor,
  type VendorCall,
  type VendorReply,
} from "../vendors/loopback-vendor.ts";

export const vendorClient = { clientId: "vendor-client-1234", clientSecret: "vendor secret & more = 100%" };

/** What is documented of one vendor. */
interface Dialect {
  /** Parameters of the authorisation request besides state and challenge. */
  asks: (redirectUri: string) => Record<string, string>;
  pkce: boolean;
  /** The name of the code in the answer. */
  codeName: string;
  authorizePath: string;
  tokenPath: string;
  userPath: string;
  /** What is wrong with a request for a token; null for a good one. */
  wrong: (
    call: VendorCall,
    expected: { code: string; redirectUri: string; verifierFits: (verifier: unknown) => boolean },
  ) => string | null;
  token: VendorReply;
  refusal: (why: string) => VendorReply;
  /** Whether a call has the access token as documented. */
  authorized: (call: VendorCall) => boolean;
  /** More paths to read, by path. */
  more?: Record<string, unknown>;
  user: unknown;
}

export interface IdentityVendor extends LoopbackVendor {
  endpoints: { authorizeUrl: string; tokenUrl: string; userInfoUrl: string };
  /** Checks an authorisation request, and agrees. @returns where the browser goes. @throws Error naming what is wrong with the request */
  agree(authorizeUrl: URL): URL;
  /** The mutable answer of the user endpoint. */
  user: { value: unknown };
}

const accessToken = "vendor-access-token";

function json(status: number, body: unknown): VendorReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function form(call: VendorCall): Record<string, string> | null {
  return call.headers["content-type"] === "application/x-www-form-urlencoded"
    ? Object.fromEntries(new URLSearchParams(call.body))
    : null;
}

/** RFC 6749 §4.1.3 with the credentials in the body, and RFC 7636 §4.5. */
const wrongForm: Dialect["wrong"] = (call, { code, redirectUri, verifierFits }) => {
  const { code_verifier: verifier, ...fields } = form(call) ?? {};
  const { clientId, clientSecret } = vendorClient;
  const right = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
  };
  if (call.headers.accept !== "application/json") return "Accept is not JSON";
  if (call.headers.authorization !== undefined) return "There are credentials in the header, too";
  if (!isDeepStrictEqual(fields, right)) return `The form is ${JSON.stringify(Object.keys(fields))}`;
  return verifierFits(verifier) ? null : "The verifier does not fit";
};

const bearer: Dialect["authorized"] = ({ headers }) => headers.authorization === `Bearer ${accessToken}`;

const code = (scope: string) => (redirectUri: string) => ({
  response_type: "code",
  client_id: vendorClient.clientId,
  redirect_uri: redirectUri,
  ...(scope === "" ? {} : { scope }),
});

const standard: Omit<Dialect, "asks" | "authorizePath" | "tokenPath" | "userPath" | "user"> = {
  pkce: true,
  codeName: "code",
  wrong: wrongForm,
  token: json(200, { access_token: accessToken, token_type: "Bearer", expires_in: 7_200 }),
  refusal: (why) => json(400, { error: "invalid_grant", error_description: why }),
  authorized: bearer,
};

const dialects = {
  github: {
    ...standard,
    asks: code("read:user user:email"),
    authorizePath: "/login/oauth/authorize",
    tokenPath: "/login/oauth/access_token",
    userPath: "/user",
    token: json(200, { access_token: accessToken, token_type: "bearer", scope: "read:user,user:email" }),
    // With status 200, as GitHub does.
    refusal: (why) => json(200, { error: "bad_verification_code", error_description: why }),
    authorized: (call) =>
      bearer(call) &&
      call.headers.accept === "application/vnd.github+json" &&
      call.headers["x-github-api-version"] === "2022-11-28" &&
      (call.headers["user-agent"] ?? "") !== "",
    user: { id: 583_231, login: "octo-cat", name: "Mona Octocat", email: "profile@example.org", plan: { name: "pro" } },
    more: {
      "/user/emails": [
        { email: "old@example.org", primary: false, verified: true },
        { email: "mona@example.org", primary: true, verified: true },
      ],
    },
  },
  gitlab: {
    ...standard,
    asks: code("openid profile email"),
    authorizePath: "/oauth/authorize",
    tokenPath: "/oauth/token",
    userPath: "/oauth/userinfo",
    user: { sub: "4711", name: "Tanuki", nickname: "tanuki", email: "tanuki@example.org", email_verified: true },
  },
  google: {
    ...standard,
    asks: code("openid email profile"),
    authorizePath: "/o/oauth2/v2/auth",
    tokenPath: "/token",
    userPath: "/v1/userinfo",
    user: { sub: "110169484474386276334", name: "Ada Lovelace", email: "ada@example.org", email_verified: false },
  },
  dingtalk: {
    ...standard,
    asks: (redirectUri) => ({ ...code("openid")(redirectUri), prompt: "consent" }),
    pkce: false,
    codeName: "authCode",
    authorizePath: "/oauth2/auth",
    tokenPath: "/v1.0/oauth2/userAccessToken",
    userPath: "/v1.0/contact/users/me",
    wrong: (call, { code: given }) => {
      if (call.headers["content-type"] !== "application/json") return "The body is not JSON";
      const right = { ...vendorClient, code: given, grantType: "authorization_code" };
      return isDeepStrictEqual(JSON.parse(call.body), right) ? null : "The body does not fit";
    },
    token: json(200, { accessToken, refreshToken: "vendor-refresh-token", expireIn: 7_200, corpId: "ding1" }),
    refusal: (why) => json(400, { code: "invalidParameter.authCode.notFound", message: why, requestid: "1" }),
    authorized: ({ headers }) =>
      headers["x-acs-dingtalk-access-token"] === accessToken && headers.authorization === undefined,
    user: { nick: "小明", unionId: "z21HjQliSzpw0Yxxxx", openId: "123", email: "ming@example.org", stateCode: "86" },
  },
  feishu: {
    ...standard,
    asks: code(""),
    authorizePath: "/open-apis/authen/v1/authorize",
    tokenPath: "/oauth/v3/token",
    userPath: "/open-apis/authen/v1/user_info",
    wrong: (call, { code: given, redirectUri, verifierFits }) => {
      if (call.headers["content-type"] !== "application/json; charset=utf-8") return "The body is not JSON";
      const { code_verifier: verifier, ...fields } = JSON.parse(call.body) as Record<string, unknown>;
      const right = {
        grant_type: "authorization_code",
        client_id: vendorClient.clientId,
        client_secret: vendorClient.clientSecret,
        code: given,
        redirect_uri: redirectUri,
      };
      if (!isDeepStrictEqual(fields, right)) return "The body does not fit";
      return verifierFits(verifier) ? null : "The verifier does not fit";
    },
    token: json(200, { code: 0, access_token: accessToken, expires_in: 7_200, token_type: "Bearer", scope: "" }),
    refusal: (why) => json(400, { code: 20_003, error: "invalid_grant", error_description: why }),
    user: {
      code: 0,
      msg: "success",
      data: {
        name: "张三",
        en_name: "San Zhang",
        union_id: "on_d89jhsdhjsajkda7828",
        open_id: "ou_1",
        tenant_key: "736588c9260f175e",
        email: "zhang@example.org",
      },
    },
  },
} satisfies Record<string, Dialect>;

export type VendorName = keyof typeof dialects;

/** A vendor on loopback that accepts only what the vendor documents. @param more paths to read, replacing the usual ones */
export async function startIdentityVendor(
  name: VendorName,
  more: Record<string, unknown> = {},
): Promise<IdentityVendor> {
  const dialect: Dialect = dialects[name];
  const user = { value: dialect.user };
  const codes = new Map<string, { challenge: string | null; redirectUri: string }>();
  const redeem = (call: VendorCall): VendorReply => {
    const given = [...codes.keys()].find((one) => call.body.includes(one)) ?? "";
    const flow = codes.get(given);
    codes.delete(given);
    if (!flow) return dialect.refusal("The code is unknown");
    const verifierFits = (verifier: unknown) =>
      flow.challenge === createHash("sha256").update(String(verifier)).digest("base64url");
    const why = dialect.wrong(call, { code: given, redirectUri: flow.redirectUri, verifierFits });
    return why === null ? dialect.token : dialect.refusal(why);
  };
  const vendor = await startLoopbackVendor((call) => {
    const { pathname } = call.url;
    if (call.method === "POST" && pathname === dialect.tokenPath) return redeem(call);
    const content = pathname === dialect.userPath ? user.value : (more[pathname] ?? dialect.more?.[pathname]);
    if (call.method !== "GET" || content === undefined) return json(404, { message: "Not Found" });
    return dialect.authorized(call) ? json(200, content) : json(401, { message: "Bad credentials" });
  });
  return Object.assign(vendor, {
    user,
    endpoints: {
      authorizeUrl: vendor.url + dialect.authorizePath,
      tokenUrl: vendor.url + dialect.tokenPath,
      userInfoUrl: vendor.url + dialect.userPath,
    },
    agree({ pathname, searchParams }: URL) {
      const {
        state = "",
        code_challenge: challenge,
        code_challenge_method: method,
        ...rest
      } = Object.fromEntries(searchParams);
      const redirectUri = rest["redirect_uri"] ?? "";
      if (pathname !== dialect.authorizePath) throw new Error(`The path is ${pathname}.`);
      if (!isDeepStrictEqual(rest, dialect.asks(redirectUri)))
        throw new Error(`The request is ${JSON.stringify(rest)}.`);
      const pkce = /^[\w-]{43}$/.test(challenge ?? "") && method === "S256";
      if (pkce !== dialect.pkce || (!pkce && challenge !== undefined)) throw new Error("PKCE is not as documented.");
      const issued = `vendor-code-${crypto.randomUUID()}`;
      codes.set(issued, { challenge: challenge ?? null, redirectUri });
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ [dialect.codeName]: issued, state }).toString();
      return back;
    },
  });
}
