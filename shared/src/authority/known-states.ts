import type { Authority } from './authority.ts';

/** The states that are known at this instant. */
export type KnownStates = { readonly [Name in keyof Authority]: Pick<Authority[Name], 'peek'> };

/** A state that a decision needs and that is not known now. */
export interface UnknownState {
  readonly cache: keyof Authority;
  readonly key: string;
}
