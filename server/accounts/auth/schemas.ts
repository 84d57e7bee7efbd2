import { z } from "zod";
import { id, line, timestamp } from "../../api/schemas.ts";
import { roles } from "../../database/tables/users.ts";
import { emailField, newPasswordField, typedPassword, usernameField } from "../users/schemas.ts";
import { methods } from "./second-factors/methods.ts";
import { secondFactorNeeded, answerCredential } from "./second-factors/schemas.ts";

const role = z.enum(roles).meta({ description: "The user's role.", example: "admin" });
const email = z.string().nullable().meta({ description: "Email address; null for none.", example: "ada@example.com" });

export const signedInUser = z
  .object({
    id: id("The user's id."),
    username: z.string().meta({ description: "Sign-in name.", example: "ada" }),
    email,
    role,
  })
  .meta({ id: "User", description: "A user, as returned at sign-in." });

export const currentUser = z
  .object({
    ...signedInUser.shape,
    emailVerified: z.boolean().meta({
      description: "Whether the address is verified. Until then it receives only verification links.",
      example: true,
    }),
    displayName: z.string().nullable().meta({ description: "Full name; null for none.", example: "Ada Lovelace" }),
    nickname: z.string().nullable().meta({ description: "Short name; null for none.", example: "Ada" }),
    avatarUrl: z.string().nullable().meta({ description: "URL of a picture; null for none.", example: null }),
    notificationsEnabled: z.boolean().meta({ description: "Whether in-app notifications and the live stream are on." }),
    emailNotificationsEnabled: z.boolean().meta({ description: "Whether notifications are also sent by email." }),
    twoFactorMethods: z.array(z.enum(methods)).meta({ description: "Second factors that are set up.", example: [] }),
    hasPassword: z.boolean().meta({ description: "Whether the user can sign in with a password." }),
    confirmedUntil: timestamp(
      "When this session's confirmation expires; null if it is not confirmed. Calls that change a way into the account require one: see `POST /api/auth/me/confirm`.",
    ).nullable(),
    createdAt: timestamp("When the account was created."),
    lastLoginAt: timestamp("When the user last signed in; null if never.").nullable(),
  })
  .meta({ id: "CurrentUser", description: "The signed-in user." });

export const loginInput = z.strictObject({
  username: line(256, 1).meta({ description: "Sign-in name, case-insensitive.", example: "admin" }),
  password: typedPassword.meta({ description: "Password.", example: "correct horse battery staple" }),
  rememberMe: z.boolean().default(false).meta({
    description:
      "True: the session lasts 30 days from its last use. False: 24 hours, and its cookie ends with the browser.",
  }),
});

const accessToken = z
  .string()
  .meta({ description: "JWT for `Authorization: Bearer`, valid for 15 minutes.", example: "eyJhbGciOi…" });
const refreshToken = z.string().meta({
  description: "Valid for one refresh. Also set as the HttpOnly cookie `refresh_token`.",
  example: "b3BhcXVl…",
});

export const tokenPair = z
  .object({ accessToken, refreshToken })
  .meta({ id: "TokenPair", description: "The tokens of a session." });

export const signedInAnswer = z
  .object({ accessToken, refreshToken, user: signedInUser })
  .meta({ id: "SignedIn", description: "A new session." });

export const loginAnswer = z
  .union([signedInAnswer, secondFactorNeeded])
  .meta({ id: "LoginAnswer", description: "A new session, or the second factor it requires." });

export const registerInput = z.strictObject({
  inviteCode: line(100, 1).meta({
    description: "Invitation code from an administrator.",
    example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C",
  }),
  username: usernameField,
  password: newPasswordField,
  email: emailField.nullable().default(null),
});

export const forgotPasswordInput = z.strictObject({ email: emailField });

export const verifyEmailInput = z.strictObject({
  token: line(100, 1).meta({ description: "Token from the mailed link.", example: "pX3v…" }),
});

export const resetPasswordInput = z.strictObject({
  token: line(100, 1).meta({ description: "Token from the mailed link.", example: "pX3v…" }),
  newPassword: newPasswordField,
});

export const refreshInput = z.strictObject({
  refreshToken: line(512, 1).optional().meta({
    description: "Refresh token, for clients without cookies. Takes precedence over the cookie.",
    example: "b3BhcXVl…",
  }),
});

export const confirmInput = z.strictObject({
  password: typedPassword.optional().meta({
    description: "Your current password. Omit it when you confirm with a passkey.",
    example: "correct horse battery staple",
  }),
  method: z
    .enum(["totp", "recovery", "passkey"], "This must be totp, recovery or passkey.")
    .optional()
    .meta({ description: "The second factor. Required if the account has one.", example: "totp" }),
  code: line(64, 1)
    .optional()
    .meta({ description: "A six-digit code for `totp`, or a recovery code for `recovery`.", example: "123456" }),
  credential: answerCredential.optional(),
});

export const confirmation = z
  .object({ confirmedUntil: timestamp("When the confirmation expires: ten minutes from now.") })
  .meta({ id: "Confirmation", description: "A confirmed session." });
