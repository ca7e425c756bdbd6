import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { ProtectedNats, ProtectedPostgres, ProtectedRedis } from './protected-stores.ts';
import type { SecretFiles } from './secret-files.ts';

/** Where a secret is rotated. */
export type ProfileName = 'single node' | 'workers' | 'single node on Postgres' | 'separate services';

/** Those that the profile has. */
export interface ProtectedStores {
  postgres?: ProtectedPostgres;
  redis?: ProtectedRedis;
  nats?: ProtectedNats;
}

/** A process, and where its metrics are. */
export interface MeasuredProcess {
  server: LatchkeyProcess;
  metricsPort: number;
  takesRequests: boolean;
}

/** What a profile consists of, before it is started. */
export interface PreparedProfile {
  processes: readonly MeasuredProcess[];
  secrets: SecretFiles;
  stores: ProtectedStores;
}
