import { ApiError, fieldFaultsOf } from '../../api/api-error.ts';
import type { KeyPeriods } from '../../api/resources.ts';
import type { Content } from '../../api/schema.ts';
import {
  type PeriodsFaults,
  type PeriodsTexts,
  readPeriods,
  showsPeriods,
  writePeriods,
} from './key-periods-form.ts';

type TextField = 'name' | 'sizeBytes' | 'manifestKey' | 'playlistUrl' | 'metadata';

/** The fields of a content that can change. */
interface ContentFields extends Pick<Content, TextField> {
  /** Undefined leaves it to the server. */
  keyPeriods?: KeyPeriods | null | undefined;
}

/** The texts in the fields of the dialogs. */
export type FormTexts = Record<TextField, string> & { keyPeriods: PeriodsTexts };

type FormFaults = Partial<Record<TextField, string>> & PeriodsFaults;

/** The texts that show a stored content; empty ones for null. */
export function writeForm(content: Content | null): FormTexts {
  return {
    name: content?.name ?? '',
    sizeBytes: String(content?.sizeBytes ?? ''),
    manifestKey: content?.manifestKey ?? '',
    playlistUrl: content?.playlistUrl ?? '',
    metadata: content ? writeMetadata(content.metadata) : '',
    keyPeriods: writePeriods(content?.keyPeriods),
  };
}

/**
 * Validates a form without the server.
 *
 * @param before the stored content: unchanged metadata and key periods are not parsed again
 */
export function readForm(
  texts: FormTexts,
  before: Content | null = null,
): { fields: ContentFields; faults: null } | { fields: null; faults: FormFaults } {
  const name = texts.name.trim();
  const sizeBytes = readSize(texts.sizeBytes);
  const isUntouched = before !== null && texts.metadata === writeMetadata(before.metadata);
  const read = isUntouched ? { metadata: before.metadata } : readMetadata(texts.metadata);
  const periods = showsPeriods(texts.keyPeriods, before?.keyPeriods)
    ? { periods: before?.keyPeriods }
    : readPeriods(texts.keyPeriods);
  const playlistUrl = readPlaylistUrl(texts.playlistUrl);
  const faults: FormFaults = {
    ...(name === '' && { name: 'Enter a name.' }),
    ...(sizeBytes === undefined && { sizeBytes: 'A whole number of bytes, such as 1500000 or 1,500,000.' }),
    ...(playlistUrl === undefined && {
      playlistUrl: 'An http or https URL, such as https://cdn.example.com/film/master.m3u8.',
    }),
    ...('fault' in read && { metadata: read.fault }),
    ...('faults' in periods && periods.faults),
  };
  if (Object.keys(faults).length > 0) return { fields: null, faults };
  const manifestKey = texts.manifestKey.trim() || null;
  const keyPeriods = 'periods' in periods ? periods.periods : null;
  return {
    fields: { name, sizeBytes, manifestKey, playlistUrl, ...read, keyPeriods } as ContentFields,
    faults: null,
  };
}

/** @returns undefined for anything but a URL */
function readPlaylistUrl(text: string): string | null | undefined {
  const url = text.trim();
  if (url === '') return null;
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** Only the members that differ, so that simultaneous changes by others are kept. */
export function changedFields(before: Content, after: ContentFields): Partial<ContentFields> {
  const members = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(before[member as keyof ContentFields]) !== JSON.stringify(value),
  );
  return Object.fromEntries(members);
}

/** Groups of three digits with one separator: 1 234 567 or 1,234,567. Other forms are ambiguous: 1.5 is not 15. */
const grouped = /^\d{1,3}(?:([\s,_.'’])\d{3})(?:\1\d{3})*$/;

/** @returns null for an empty text; undefined for an invalid size */
function readSize(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!/^\d+$/.test(written) && !grouped.test(written)) return undefined;
  const size = Number(written.replace(/\D/g, ''));
  return Number.isSafeInteger(size) ? size : undefined;
}

const idFault = 'Use only letters, digits, - and _, at most 256 characters, and not "leases".';

/** The faults of fields that an error of the server names. */
export function faultsOf(error: unknown): Record<string, string> {
  if (error instanceof ApiError && error.code === 'CONTENT_EXISTS')
    return { id: 'This ID is taken. Edit that content, or choose another ID.' };
  const faults = fieldFaultsOf(error);
  // The server's message has a regular expression, which does not help admins.
  if (faults.id !== undefined) faults.id = idFault;
  if (faults.playlistUrl !== undefined) faults.playlistUrl = `It ${faults.playlistUrl}.`;
  return faults;
}

type Metadata = Content['metadata'];

/** 16 KiB, the limit of the server. */
const maxBytes = 16 * 1024;

/** Parses JSON that an admin entered. An empty text means no metadata. */
export function readMetadata(text: string): { metadata: Metadata } | { fault: string } {
  if (text.trim() === '') return { metadata: {} };
  let value: unknown;
  let inexact: string | undefined;
  try {
    value = JSON.parse(text, (member, part) => {
      if (typeof part === 'number' && !isKept(part)) inexact ??= member;
      return part;
    });
  } catch (error) {
    return { fault: `This is not valid JSON${placeOf(text, error)}.` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'It must be an object: {"name": "value"}.' };
  if (inexact !== undefined)
    return {
      fault: `The number at “${inexact}” is too large to be stored exactly. Write it as text, in quotes.`,
    };
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > maxBytes) return { fault: `It is too long: ${bytes} bytes, at most ${maxBytes}.` };
  return { metadata: value as Metadata };
}

/** Integers beyond 2^53 lose digits, here and on the server. */
function isKept(part: number): boolean {
  return Number.isFinite(part) && (!Number.isInteger(part) || Number.isSafeInteger(part));
}

/** Indented JSON for editing; empty for no metadata. */
export function writeMetadata(metadata: Metadata): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2);
}

/** ": see line 2, character 7", if the browser gives the place: Chromium by its position, Firefox by line and column. */
export function placeOf(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const place = / at line (\d+) column (\d+)/.exec(message);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined && /end of (JSON|data)|unterminated/i.test(message))
    return ': it ends too early';
  if (place) return `: see line ${place[1]}, character ${place[2]}`;
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `: see line ${before.length}, character ${(before.at(-1) ?? '').length + 1}`;
}
