import { adminWords } from "../words/admin.ts";

const text = adminWords.users.issues;

interface UserFields {
  username: string;
  email: string;
  /** Empty to keep the present one. */
  password: string;
}

/**
 * What is wrong with the fields of a user, as the service would say it. The service asks for the administrator's own password before it looks
 * at them, and nobody wants to enter that for a form that is refused.
 */
export function userIssues({ username, email, password }: UserFields, isNew: boolean): Partial<UserFields> {
  const issues: Partial<UserFields> = {};
  if (username.length < 2 || username.length > 64) issues.username = text.usernameLength;
  else if (!/^[\w.@-]*$/.test(username)) issues.username = text.usernameForm;
  if (email !== "" && !/^[^\s@]+@[^\s@]+$/.test(email)) issues.email = text.email;
  if (isNew || password !== "") {
    if (password.length < 12) issues.password = text.passwordShort;
    else if (password.length > 256) issues.password = text.passwordLong;
  }
  return issues;
}
