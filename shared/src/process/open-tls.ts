import { internalTlsVariableNames, openTlsFiles, type TlsFileSettings, type TlsFiles } from '../tls/index.ts';
import type { ProcessBase } from './process-context.ts';

/** Soon enough for a certificate that ends in days, or a CA that is taken away. */
const renewEveryMs = 5_000;

type Kind = 'ca' | 'cert' | 'key';
type Variables = Readonly<Record<Kind, string>>;
type FollowingProcess = Pick<ProcessBase, 'jobs' | 'tlsFiles'>;

/** Renews the files while the process runs, and shows their expiry in the metrics. */
export function followTlsFiles(files: TlsFiles, { jobs, tlsFiles }: FollowingProcess): void {
  tlsFiles.push(files);
  jobs.repeat({
    everyMs: renewEveryMs,
    run: async () => files.renew(),
    failed: 'whether files for TLS have changed cannot be seen',
  });
}

/**
 * Opens the files for TLS to a dependency, and follows them.
 *
 * @param name of the dependency, for the log
 * @param variables that name the files
 * @param paths what they name
 * @returns null where none is named
 * @throws TlsFileRefused for a file that cannot be used
 */
export function openStoreTls(
  name: string,
  variables: Variables,
  paths: Readonly<Record<Kind, string | undefined>>,
  base: FollowingProcess & Pick<ProcessBase, 'clock' | 'warn'>,
): TlsFiles | null {
  const kinds: readonly Kind[] = ['ca', 'cert', 'key'];
  const named = kinds.flatMap((kind) => {
    const path = paths[kind];
    return path === undefined ? [] : [[kind, { variable: variables[kind], path }] as const];
  });
  if (named.length === 0) return null;
  const settings: TlsFileSettings = Object.fromEntries(named);
  const files = openTlsFiles(settings, {
    now: base.clock.now,
    onFault: (error) => base.warn(`changed files for TLS to ${name} are not used`, error),
  });
  followTlsFiles(files, base);
  return files;
}

export interface InternalTlsSettings {
  internalTlsCaFile?: string | undefined;
  internalTlsCertFile?: string | undefined;
  internalTlsKeyFile?: string | undefined;
}

/** The same for mutual TLS between the processes of the distributed profile. */
export function openInternalTls(values: InternalTlsSettings, base: ProcessBase): TlsFiles | null {
  const { internalTlsCaFile: ca, internalTlsCertFile: cert, internalTlsKeyFile: key } = values;
  return openStoreTls('other services', internalTlsVariableNames, { ca, cert, key }, base);
}
