import type { RevocationTarget } from '../../api/leases.ts';

/** Opens the dialog that revokes. */
export type BeginRevoking = (target: RevocationTarget) => void;
