import { table } from '../table.ts';
import type { RowSizes } from './measure-rows.ts';

/** Bytes for each row, by database. */
export function reportRows(sizes: readonly RowSizes[]): string {
  const head = ['bytes, indexes included', ...sizes.map(({ database }) => database)];
  const kinds = ['lease', 'content', 'API key'] as const;
  return table(head, [
    ...kinds.map((kind) => [kind, ...sizes.map(({ bytesOf }) => bytesOf[kind].toFixed(0))]),
    ['an empty database', ...sizes.map(({ emptyBytes }) => emptyBytes.toLocaleString('en'))],
  ]);
}
