import { isCacheControl } from '@latchkey/shared/contracts';
import { InvalidArgumentError } from 'commander';

/** The values of an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** A whole number from 1 on. */
export function parsePositiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Accepted: a whole number, 1 or more.');
}

/** `Cache-Control` of an upload, as `POST /presign` signs it. */
export function parseCacheControl(text: string): string {
  if (isCacheControl(text)) return text;
  throw new InvalidArgumentError(
    'Accepted: "no-cache", "public, max-age=<seconds>" or "public, max-age=<seconds>, immutable".',
  );
}
