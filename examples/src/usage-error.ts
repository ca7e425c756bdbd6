/** An option that cannot be used; the message says which and what is accepted. */
export class UsageError extends Error {}
