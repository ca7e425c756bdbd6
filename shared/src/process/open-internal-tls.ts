import { internalTlsVariableNames, type TlsFiles } from '../tls/index.ts';
import { openStoreTls } from './open-tls.ts';
import type { ProcessBase } from './process-context.ts';

/** Connections are rare, and calls may stay on open ones for hours. So a listener looks by itself whether the files have changed. */
const lookEveryMs = 5_000;

export interface InternalTlsSettings {
  internalTlsCaFile?: string | undefined;
  internalTlsCertFile?: string | undefined;
  internalTlsKeyFile?: string | undefined;
}

/**
 * Opens the files for mutual TLS between the processes of the distributed profile.
 *
 * @returns null where none is named
 * @throws TlsFileRefused for a file that cannot be used
 */
export function openInternalTls(values: InternalTlsSettings, base: ProcessBase): TlsFiles | null {
  const { internalTlsCaFile: ca, internalTlsCertFile: cert, internalTlsKeyFile: key } = values;
  const files = openStoreTls('other services', internalTlsVariableNames, { ca, cert, key }, base);
  if (files)
    base.jobs.repeat({
      everyMs: lookEveryMs,
      run: async () => void files.current(),
      failed: 'the files of INTERNAL_TLS_… cannot be read',
    });
  return files;
}
