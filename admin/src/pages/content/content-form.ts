import type { ContentFields } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { readMetadata } from './metadata.ts';

/** What is written in the fields of the dialogs. */
export interface FormTexts {
  name: string;
  sizeBytes: string;
  manifestKey: string;
  metadata: string;
}

export type FormFaults = Partial<Record<keyof ContentFields | 'id', string>>;

export type ReadForm = { fields: ContentFields; faults: null } | { fields: null; faults: FormFaults };

/** Checks what can be checked without the server. */
export function readForm(texts: FormTexts): ReadForm {
  const name = texts.name.trim();
  const sizeBytes = readSize(texts.sizeBytes);
  const read = readMetadata(texts.metadata);
  const faults: FormFaults = {
    ...(name === '' && { name: 'Give it a name by which it is found.' }),
    ...(sizeBytes === undefined && { sizeBytes: 'A whole number of bytes, 0 or more.' }),
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

/** @returns null for nothing written; undefined for what is no size */
function readSize(text: string): number | null | undefined {
  // As people write them: 1 234 567, or 1,234,567.
  const digits = text.replace(/[\s,_.'’]/g, '');
  if (digits === '') return text.trim() === '' ? null : undefined;
  const size = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(size) ? size : undefined;
}
