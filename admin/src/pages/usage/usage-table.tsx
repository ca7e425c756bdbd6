import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { UsageKind } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatCount, formatShare } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { viewerAddress } from '../viewers/viewer-address.ts';

/** Null for all that is not among the series. */
type Row = Omit<Usage['series'][number], 'id'> & { id: string | null };

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
export function UsageTable({ by, usage, nameOf, onOnly }: UsageTableProps) {
  // The same while the pointer moves over the charts.
  const rows = useMemo(() => rowsOf(usage), [usage]);
  const columns = useMemo(() => columnsOf(by, nameOf, onOnly), [by, nameOf, onOnly]);
  if (rows.length === 0) return null;
  return (
    <DataTable
      label={`Requests by ${nouns[by]}`}
      columns={columns}
      list={{ rows }}
      rowId={({ id }) => id ?? ''}
    />
  );
}

function rowsOf({ series, other }: Usage): readonly Row[] {
  const hasOther = other.served + other.refused > 0;
  return hasOther ? [...series, { ...other, id: null }] : series;
}

export function numberColumn<Of>(header: string, cell: (row: Of) => string): Column<Of> {
  return { header, cell, width: '8rem' };
}

function columnsOf(
  by: UsageKind,
  nameOf: (id: string) => string,
  onOnly: (id: string) => void,
): Column<Row>[] {
  const refused = numberColumn<Row>('Refused', (row) => formatCount(row.refused));
  return [
    {
      header: nouns[by],
      cell: ({ id }) => (id === null ? 'All others' : <SeriesName by={by} id={id} name={nameOf(id)} />),
    },
    ...(by === 'code'
      ? [refused]
      : [
          numberColumn<Row>('Served', ({ served }) => formatCount(served)),
          refused,
          numberColumn<Row>('Share refused', ({ served, refused: lost }) =>
            served + lost === 0 ? '–' : formatShare(lost / (served + lost)),
          ),
        ]),
    {
      header: 'Actions',
      isHeaderHidden: true,
      width: '8rem',
      cell: ({ id }) =>
        id !== null && (
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
