import { ApiError } from '../../api/api-error.ts';
import type { ContentFields } from '../../api/contents.ts';
import type { Content, Metadata } from '../../api/resources.ts';

/** What is written in the fields of the dialogs. */
export interface FormTexts {
  name: string;
  sizeBytes: string;
  manifestKey: string;
  metadata: string;
}

export type FormFaults = Partial<Record<keyof ContentFields | 'id', string>>;

type ReadForm = { fields: ContentFields; faults: null } | { fields: null; faults: FormFaults };

/**
 * Checks what can be checked without the server.
 *
 * @param before what is there already: metadata that nobody touched is not read again
 */
export function readForm(texts: FormTexts, before: Content | null = null): ReadForm {
  const name = texts.name.trim();
  const sizeBytes = readSize(texts.sizeBytes);
  const isUntouched = before !== null && texts.metadata === writeMetadata(before.metadata);
  const read = isUntouched ? { metadata: before.metadata } : readMetadata(texts.metadata);
  const faults: FormFaults = {
    ...(name === '' && { name: 'Give it a name by which it is found.' }),
    ...(sizeBytes === undefined && { sizeBytes: 'A whole number of bytes, such as 1500000 or 1,500,000.' }),
    ...('fault' in read && { metadata: read.fault }),
  };
  if (sizeBytes === undefined || 'fault' in read || name === '') return { fields: null, faults };
  const manifestKey = texts.manifestKey.trim() || null;
  return { fields: { name, sizeBytes, manifestKey, metadata: read.metadata }, faults: null };
}

/** The members that differ, so that what somebody else changed meanwhile stays. */
export function changedFields(before: Content, after: ContentFields): Partial<ContentFields> {
  const members = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(before[member as keyof ContentFields]) !== JSON.stringify(value),
  );
  return Object.fromEntries(members);
}

/** As people write them, by one sign throughout: 1 234 567, or 1,234,567. Anything else may be a fraction: 1.5 is not 15. */
const grouped = /^\d{1,3}(?:([\s,_.'’])\d{3})(?:\1\d{3})*$/;

/** @returns null for nothing written; undefined for what is no size */
function readSize(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!/^\d+$/.test(written) && !grouped.test(written)) return undefined;
  const size = Number(written.replace(/\D/g, ''));
  return Number.isSafeInteger(size) ? size : undefined;
}

const members = ['id', 'name', 'sizeBytes', 'manifestKey', 'metadata'] as const;

const idFault = 'Letters, digits, - and _ alone, 256 at most, and not "leases".';

/** What the server says of each field. */
export function faultsOf(error: unknown): FormFaults {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    members.flatMap((member) => {
      const message = error.about(member);
      // The server names its pattern, which helps nobody.
      return message === undefined ? [] : [[member, member === 'id' ? idFault : message]];
    }),
  );
}

type ReadMetadata = { metadata: Metadata } | { fault: string };

/** 16 KiB, the most that the server takes. */
const maxOctets = 16 * 1024;

/** Reads what an admin wrote as JSON; nothing at all is no metadata. */
export function readMetadata(text: string): ReadMetadata {
  if (text.trim() === '') return { metadata: {} };
  let value: unknown;
  let inexact: string | undefined;
  try {
    value = JSON.parse(text, (member, part) => {
      if (typeof part === 'number' && !isKept(part)) inexact ??= member;
      return part;
    });
  } catch (error) {
    return { fault: `This is no JSON${placeOf(text, error)}.` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'It has to be an object: {"name": "value"}.' };
  if (inexact !== undefined)
    return {
      fault: `The number at “${inexact}” is too large to be kept exactly. Write it as a text, in quotes.`,
    };
  const octets = new TextEncoder().encode(JSON.stringify(value)).length;
  if (octets > maxOctets) return { fault: `It is too long: ${octets} octets of ${maxOctets}.` };
  return { metadata: value as Metadata };
}

/** Beyond 2^53 integers lose digits, here and on the server. */
function isKept(part: number): boolean {
  return Number.isFinite(part) && (!Number.isInteger(part) || Number.isSafeInteger(part));
}

/** As an admin would write it. */
export function writeMetadata(metadata: Metadata): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2);
}

/** ": line 2, character 7", as far as the browser says where. */
function placeOf(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  const end = /end of (JSON|data)|unterminated/i.test(message);
  if (position === undefined) return end ? ': it ends too early' : '';
  const before = text.slice(0, Number(position)).split('\n');
  return `: look at line ${before.length}, character ${(before.at(-1) ?? '').length + 1}`;
}
