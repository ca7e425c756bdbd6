import { isDeepStrictEqual } from 'node:util';
import type { Settings, Values } from './read-config.ts';
import { Secret } from './secret.ts';
import type { Environment } from './source.ts';

/** Names of variables. */
export interface Renewal {
  readonly renewed: readonly string[];
  /** Those that have changed too, and are read at the start only. */
  readonly needRestart: readonly string[];
}

/**
 * Puts the renewable secrets of a later reading in the place of those in use, all of them or, if this throws, none.
 *
 * @param values in use; code that holds one of their secrets reads the new value from it
 * @param fresh read later, without a fault
 */
export function renewSecrets<S extends Settings>(settings: S, values: Values<S>, fresh: Values<S>): Renewal {
  const renewed: string[] = [];
  const needRestart: string[] = [];
  const renewals: (() => void)[] = [];
  for (const [key, setting] of Object.entries(settings)) {
    const [before, after]: unknown[] = [values[key], fresh[key]];
    if (isDeepStrictEqual(openedOf(before), openedOf(after))) continue;
    const name = setting.descriptions[0]?.name ?? key;
    if (setting.isRenewable && before instanceof Secret && after instanceof Secret) {
      renewals.push(() => before.renew(after.reveal()));
      renewed.push(name);
    } else needRestart.push(name);
  }
  for (const renew of renewals) renew();
  return { renewed, needRestart };
}

const openedOf = (value: unknown): unknown => (value instanceof Secret ? value.reveal() : value);

/** Whether a variable comes from a file, so that reading it again may find another value. */
export function readsFiles(settings: Settings, env: Environment): boolean {
  const names = Object.values(settings).flatMap(({ descriptions }) => descriptions.map(({ name }) => name));
  return names.some((name) => Boolean(env[`${name}_FILE`]));
}
