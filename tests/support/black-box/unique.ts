import { randomUUID } from 'node:crypto';

/** An id that no other test has. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 13)}`;
}
