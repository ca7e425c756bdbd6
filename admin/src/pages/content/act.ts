import type { Content } from '../../api/resources.ts';

/** The dialog that is open. */
export type Act = { kind: 'create' } | { kind: 'edit' | 'disable'; content: Content };

export type BeginAct = (act: Act) => void;
