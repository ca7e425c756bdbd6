import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { UsageKind } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatCount, formatShare } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { allOf } from './usage-lines.ts';

type Series = Usage['series'][number];

interface UsageTableProps {
  by: UsageKind;
  usage: Usage;
  nameOf: (id: string) => string;
  onOnly: (id: string) => void;
}

export const nouns: Record<UsageKind, string> = {
  code: 'Code',
  content: 'Content',
  viewer: 'Viewer',
  'api-key': 'API key',
};

/** Each series in numbers, with the way to it. */
export function UsageTable({ by, usage: { series, other }, nameOf, onOnly }: UsageTableProps) {
  // The same while the pointer moves over the charts.
  const columns = useMemo(() => columnsOf(by, nameOf, onOnly), [by, nameOf, onOnly]);
  const rows = allOf(other) === 0 ? series : [...series, { ...other, id: others }];
  if (rows.length === 0) return null;
  return <DataTable label={`Requests by ${nouns[by]}`} columns={columns} list={{ rows }} />;
}

/** In place of an ID, which is never empty. */
const others = '';

export function numberColumn<Of>(header: string, cell: (row: Of) => string): Column<Of> {
  return { header, cell, width: '8rem' };
}

function columnsOf(
  by: UsageKind,
  nameOf: (id: string) => string,
  onOnly: (id: string) => void,
): Column<Series>[] {
  const refused = numberColumn<Series>('Refused', (row) => formatCount(row.refused));
  return [
    {
      header: nouns[by],
      cell: ({ id }) => (id === others ? 'All others' : <SeriesName by={by} id={id} name={nameOf(id)} />),
    },
    ...(by === 'code'
      ? [refused]
      : [
          numberColumn<Series>('Served', ({ served }) => formatCount(served)),
          refused,
          numberColumn<Series>('Share refused', (row) =>
            allOf(row) === 0 ? '–' : formatShare(row.refused / allOf(row)),
          ),
        ]),
    {
      header: 'Actions',
      isHeaderHidden: true,
      width: '8rem',
      cell: ({ id }) =>
        id !== others && (
          <Button variant="subtle" size="compact-sm" onClick={() => onOnly(id)}>
            Show only<span className="visually-hidden"> {nameOf(id)}</span>
          </Button>
        ),
    },
  ];
}

/** A link to what was counted. */
export function SeriesName({ by, id, name }: { by: UsageKind; id: string; name: string }) {
  const text = <OutsideText text={name} />;
  if (by === 'content') return <Link href={`/content/${id}`}>{text}</Link>;
  if (by === 'viewer') return <Link href={viewerAddress(id)}>{text}</Link>;
  if (by === 'code') return <code>{name}</code>;
  return text;
}
