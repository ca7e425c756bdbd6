import { setTimeout as pause } from 'node:timers/promises';
import { signalRotations } from './rotate-at-signal.ts';
import { restartRotations } from './rotate-by-restart.ts';
import { keySetRotations } from './rotate-key-set.ts';
import { masterKeyRotations } from './rotate-master-key.ts';
import { storeRotations } from './rotate-stores.ts';
import type { Rotation } from './rotation.ts';

const comparedMs = 3_000;

/** Every rotation, in the order of the table. */
export const rotations: readonly Rotation[] = [
  {
    name: 'none, to compare with',
    profiles: ['single node', 'workers', 'single node on Postgres', 'separate services'],
    async rotate() {
      await pause(comparedMs);
      return async () => {};
    },
  },
  ...signalRotations,
  ...restartRotations,
  ...keySetRotations,
  ...storeRotations,
  // The last: a later restart of the same processes would take the version away again.
  ...masterKeyRotations,
];
