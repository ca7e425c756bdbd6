import { Button, Flex } from '@mantine/core';
import { useState } from 'react';
import { useExport } from '../state/use-export.ts';
import { downloadBlob } from './download-text.ts';
import { ErrorNotice } from './errors.tsx';
import { countOf } from './format-numbers.ts';
import { Icon } from './icon.tsx';
import { toCsvLine } from './to-csv.ts';

interface CsvPage<Row> {
  rows: readonly Row[];
  next: string | null;
}

interface CsvExportProps<Row> {
  /** Such as `lease`. */
  noun: string;
  /** Without its ending. */
  fileName: string;
  /** The member of a row in each column, by the header. Its values are texts. */
  columns: Readonly<Record<string, keyof Row>>;
  /** Reads all rows of the filter, page by page. */
  read: (cursor: string | null, limit: number, signal: AbortSignal) => Promise<CsvPage<Row>>;
}

/** The most that the server gives at once. */
const rowsAtOnce = 500;

/** Saves every row that the filter matches, from all pages. Leaving the page stops it. */
export function CsvExport<Row>(props: CsvExportProps<Row>) {
  const [rows, setRows] = useState(0);
  const { begin, stop, isPending, error } = useExport(async (_, signal) => {
    setRows(0);
    downloadBlob(`${props.fileName}.csv`, await readAll(props, signal, setRows));
  });
  if (isPending)
    return (
      <Flex wrap="wrap" align="center" gap="0.75rem" className="quiet">
        <span role="status">Exporting… {countOf(rows, props.noun)}</span>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
      </Flex>
    );
  return (
    <>
      <Button variant="default" leftSection={<Icon name="download" size={18} />} onClick={() => begin()}>
        Export CSV
      </Button>
      <ErrorNotice error={error} purpose="read-once" />
    </>
  );
}

async function readAll<Row>(
  { columns, read }: CsvExportProps<Row>,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<Blob> {
  const lines = [toCsvLine(Object.keys(columns))];
  for (let cursor: string | null = null; ; ) {
    const { rows, next }: CsvPage<Row> = await read(cursor, rowsAtOnce, signal);
    for (const row of rows)
      lines.push(toCsvLine(Object.values(columns).map((member) => row[member] as string | null)));
    onRows(lines.length - 1);
    if (next === null) return new Blob(lines, { type: 'text/csv;charset=utf-8' });
    cursor = next;
  }
}
