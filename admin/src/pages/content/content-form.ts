import type { ContentFields } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { readMetadata, writeMetadata } from './metadata.ts';

/** What is written in the fields of the dialogs. */
export interface FormTexts {
  name: string;
  sizeBytes: string;
  manifestKey: string;
  metadata: string;
}

export type FormFaults = Partial<Record<keyof ContentFields | 'id', string>>;

export type ReadForm = { fields: ContentFields; faults: null } | { fields: null; faults: FormFaults };

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
