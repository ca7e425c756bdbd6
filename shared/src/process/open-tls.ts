import { openTlsFiles, type TlsFileSettings, type TlsFiles } from '../tls/index.ts';
import type { ProcessBase } from './process-context.ts';

type Kind = 'ca' | 'cert' | 'key';

/**
 * Opens the files for TLS to a dependency, and shows their expiry in the metrics.
 *
 * @param name of the dependency, for the log
 * @param variables that name the files
 * @param paths what they name
 * @returns null where none is named
 * @throws TlsFileRefused for a file that cannot be used
 */
export function openStoreTls(
  name: string,
  variables: Readonly<Record<Kind, string>>,
  paths: Readonly<Record<Kind, string | undefined>>,
  { clock, warn, tlsFiles }: Pick<ProcessBase, 'clock' | 'warn' | 'tlsFiles'>,
): TlsFiles | null {
  const kinds: readonly Kind[] = ['ca', 'cert', 'key'];
  const named = kinds.flatMap((kind) => {
    const path = paths[kind];
    return path === undefined ? [] : [[kind, { variable: variables[kind], path }] as const];
  });
  if (named.length === 0) return null;
  const settings: TlsFileSettings = Object.fromEntries(named);
  const files = openTlsFiles(settings, {
    now: clock.now,
    onFault: (error) => warn(`changed files for TLS to ${name} are not used`, error),
  });
  tlsFiles.push(files);
  return files;
}
