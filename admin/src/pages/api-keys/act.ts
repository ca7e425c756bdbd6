import type { ApiKey } from '../../api/resources.ts';

/** The dialog that is open. */
export type Act = { kind: 'create' } | { kind: 'details' | 'rotate' | 'revoke'; apiKey: ApiKey };

export type Begin = (act: Act) => void;
