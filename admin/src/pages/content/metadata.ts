import type { Metadata } from '../../api/resources.ts';

export type ReadMetadata = { metadata: Metadata } | { fault: string };

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
