import { UploadError } from './upload-error.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';

/** What each option has to be. Types do not help where JavaScript calls, or where a variable of the environment is missing. */
const rules: readonly (readonly [
  name: keyof UploadOptions,
  accepted: string,
  isGood: (value: unknown) => boolean,
])[] = [
  ['auth', 'a function that gives a token', isFunction],
  // A missing id would pass the pattern as "undefined".
  [
    'contentId',
    '1 to 256 of A-Z a-z 0-9 _ -',
    (value) => typeof value === 'string' && /^[\w-]{1,256}$/.test(value),
  ],
  ['keyServerUrl', 'an absolute http or https URL', isHttpUrl],
  ['concurrency', 'a whole number, 1 or more', orMissing(isCount)],
  ['attempts', 'a whole number, 1 or more', orMissing(isCount)],
  ['onProgress', 'a function', orMissing(isFunction)],
  ['exists', 'a function', orMissing(isFunction)],
  ['signal', 'an AbortSignal', orMissing(hasMethods('addEventListener', 'throwIfAborted'))],
  [
    'memory',
    'null, or an object with get and set',
    (value) => value === null || orMissing(hasMethods('get', 'set'))(value),
  ],
];

/** @throws UploadError `INVALID_OPTIONS`, which names everything that is wrong */
export function checkOptions(files: readonly UploadFile[], options: UploadOptions): void {
  const given: Partial<Record<string, unknown>> = isObject(options) ? options : {};
  const faults = rules
    .filter(([name, , isGood]) => !isGood(given[name]))
    .map(([name, accepted]) => `${name}: ${given[name] === undefined ? 'missing; ' : ''}${accepted}`);
  if (!Array.isArray(files)) faults.push('files: an array, such as filesFromList or openFolder makes');
  else faults.push(...files.flatMap(findFileFault));
  if (faults.length > 0) throw new UploadError('INVALID_OPTIONS', faults.join('. '));
}

/** A file without a path could not be told apart in the result. */
function findFileFault(file: unknown, index: number): string[] {
  return isObject(file) && typeof file.path === 'string'
    ? []
    : [`files[${index}]: an object with a path and data`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  // A path is appended to it.
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}
function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => isObject(value) && names.every((name) => isFunction(value[name]));
}
function orMissing(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isGood(value);
}
