/** What an API key may do, widest first (`docs/contract.md#scopes`). */
export const scopes = ['admin', 'full', 'upload', 'playback'] as const;

export type Scope = (typeof scopes)[number];
