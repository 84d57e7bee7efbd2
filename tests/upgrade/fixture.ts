/** The content of tests/upgrade/<version>/fixture.json: the credentials, and that version's answers. */
export interface Fixture {
  madeAt: string;
  /** A personal token of the administrator. */
  token: string;
  refreshToken: string;
  /** Of the guarded member's authenticator app. */
  totpSecret: string;
  recoveryCode: string;
  /** Ids of a zone in a file and of one without a provider. */
  harbour: string;
  kept: string;
  /** Of the zone in a file: before and after an edit. */
  snapshots: [string, string];
  /** The zone in a file, as exported. */
  exported: string;
  /** Answers to the administrator, by path. */
  answers: Record<string, unknown>;
}

export const accounts = {
  admin: { username: "admin", password: "correct horse battery staple" },
  member: { username: "mona", password: "another long enough password" },
  /** With an authenticator app. */
  guarded: { username: "tara", password: "yet another long password" },
};

export const secretKeys = "the-key-of-the-stored-installation";
