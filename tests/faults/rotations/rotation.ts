import type { Checks } from '../checks.ts';
import type { Credentials } from './credentials.ts';
import type { JudgedLoad } from './judged-load.ts';
import type { ProfileName } from './prepared-profile.ts';
import type { RotatedStack } from './rotated-stack.ts';

/** What a rotation may use. */
export interface Scene {
  stack: RotatedStack;
  /** What the load shows. Players and applications get new ones at the step of the rotation that says so. */
  credentials: Credentials;
  checks: Checks;
  load: Pick<JudgedLoad, 'burst'>;
}

/** A secret that is replaced while requests go on. */
export interface Rotation {
  name: string;
  profiles: readonly ProfileName[];
  /**
   * The steps of the runbook.
   *
   * @returns what proves, once the load has ended, that the old secret no longer works and the new one does
   */
  rotate(scene: Scene): Promise<() => Promise<void>>;
}
