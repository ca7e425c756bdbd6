/** A user, and what the user may do. Replace this file by calls to your own application, which knows its users. */
export interface User {
  readonly id: string;
  readonly name: string;
  /** Shown beside the name on the page. */
  readonly about: string;
  readonly mayWatch: boolean;
  readonly mayUpload: boolean;
}

export const users: readonly User[] = [
  { id: 'ada', name: 'Ada', about: 'editor: watches and uploads', mayWatch: true, mayUpload: true },
  { id: 'ben', name: 'Ben', about: 'subscriber: watches', mayWatch: true, mayUpload: false },
  { id: 'cleo', name: 'Cleo', about: 'has no subscription', mayWatch: false, mayUpload: false },
];

export function findUser(id: unknown): User | undefined {
  return users.find((user) => user.id === id);
}
