import { statSync } from 'node:fs';
import {
  type CertificateExpiry,
  readTlsFiles,
  type TlsFileSettings,
  type TlsMaterial,
} from './read-tls-files.ts';

interface TlsFilesOptions {
  now: () => number;
  /** Called once for changed files that cannot be used: those before stay in use. */
  onFault: (error: unknown) => void;
}

export type TlsFiles = ReturnType<typeof openTlsFiles>;

/**
 * The files of one kind of connection, read again after a change.
 *
 * @throws TlsFileRefused for a file that is missing, is not PEM, has expired, or does not belong to the others
 */
export function openTlsFiles(settings: TlsFileSettings, { now, onFault }: TlsFilesOptions) {
  /** Of the files that were read last, whether they could be used or not. */
  let seen = signatureOf(settings);
  let kept = readTlsFiles(settings, now());
  const listeners: ((material: TlsMaterial) => void)[] = [];
  return {
    settings,
    /** The material that new connections use. It is the same object until a file has changed. */
    current: () => kept.material,
    expiries: (): readonly CertificateExpiry[] => kept.expiries,
    /** Reads the files again if one has changed. Call it every few seconds: it costs one call of the system for each file. */
    renew(): void {
      const signature = signatureOf(settings);
      if (signature === seen) return;
      seen = signature;
      try {
        kept = readTlsFiles(settings, now());
      } catch (error) {
        // Perhaps only one of certificate and key was replaced yet. The next change is tried again.
        onFault(error);
        return;
      }
      for (const listener of listeners) listener(kept.material);
    },
    /** Calls back after a change. A listener needs it: a client calls `current` for each connection. */
    onChange: (listener: (material: TlsMaterial) => void) => void listeners.push(listener),
  };
}

/** Differs after a change of a file. Kubernetes replaces a link, so the file behind it counts. */
function signatureOf({ ca, cert, key }: TlsFileSettings): string {
  return [ca, cert, key]
    .map((file) => {
      if (!file) return '';
      try {
        const { ino, mtimeMs, size } = statSync(file.path);
        return `${ino} ${mtimeMs} ${size}`;
      } catch (error) {
        return String((error as NodeJS.ErrnoException).code);
      }
    })
    .join(', ');
}
