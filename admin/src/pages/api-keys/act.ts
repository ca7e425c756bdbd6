import type { ApiKey, IssuedApiKey } from '../../api/resources.ts';

/** The dialog that is open. */
export type Act =
  | { kind: 'create' }
  | { kind: 'details' | 'rotate' | 'revoke'; apiKey: ApiKey }
  /** @property note what else came of it: when the old key ends */
  | { kind: 'issued'; issued: IssuedApiKey; note: string | null };

export type Begin = (act: Act) => void;
