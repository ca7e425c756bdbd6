import { Button, Flex } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
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

type ExportState =
  | { status: 'idle' }
  | { status: 'running'; rows: number }
  | { status: 'failed'; error: unknown };

/** Saves every row that the filter matches, from all pages. Leaving the page stops it. */
export function CsvExport<Row>(props: CsvExportProps<Row>) {
  const [state, setState] = useState<ExportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const stop = () => {
    running.current?.abort();
    setState({ status: 'idle' });
  };
  const begin = () => {
    const controller = new AbortController();
    running.current = controller;
    setState({ status: 'running', rows: 0 });
    readAll(props, controller.signal, (rows) => setState({ status: 'running', rows })).then(
      (file) => {
        downloadBlob(`${props.fileName}.csv`, file);
        setState({ status: 'idle' });
      },
      (error) => {
        if (!controller.signal.aborted) setState({ status: 'failed', error });
      },
    );
  };
  if (state.status === 'running')
    return (
      <Flex wrap="wrap" align="center" gap="0.75rem" className="quiet">
        <span role="status">Exporting… {countOf(state.rows, props.noun)}</span>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
      </Flex>
    );
  return (
    <>
      <Button variant="default" leftSection={<Icon name="download" size={18} />} onClick={begin}>
        Export CSV
      </Button>
      {state.status === 'failed' && <ErrorNotice error={state.error} purpose="read-once" />}
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
