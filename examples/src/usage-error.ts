/** An option that cannot be used. The message names it and the accepted forms. */
export class UsageError extends Error {}
