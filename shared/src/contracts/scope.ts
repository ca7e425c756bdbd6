/** What an API key may do, widest first (specification, section 2). */
export const scopes = ['admin', 'full', 'upload', 'playback'] as const;

export type Scope = (typeof scopes)[number];
