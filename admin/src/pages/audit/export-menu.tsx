import { Box, Button, Group, Menu, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { UnreachableError } from '../../api/api-error.ts';
import { downloadBlob } from '../../components/download-text.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { useApp } from '../../session/app-context.ts';
import styles from './audit.module.css';
import type { AuditQuery } from './audit-filter.ts';

type ExportFormat = 'csv' | 'jsonl';

const formats: [ExportFormat, string, string][] = [
  ['csv', 'CSV', 'for spreadsheets; formulas are neutralised'],
  ['jsonl', 'JSON Lines', 'one record per line, for programs'],
];

/** Exports all matching records, from all pages. */
export function ExportMenu({ filter }: { filter: AuditQuery }) {
  const { state, begin, stop } = useExport(filter);
  if (state.status === 'running')
    return (
      <Group gap="1rem" c="dimmed" fz="sm">
        <span>
          Exporting… <span className={styles.size}>{formatSize(state.bytes)}</span>
        </span>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
        <span role="status" className="visually-hidden">
          The export has started.
        </span>
      </Group>
    );
  return (
    <Stack align="flex-end" gap="0.5rem" maw="22rem">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={18} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map(([format, name, use]) => (
            <Menu.Item key={format} onClick={() => begin(format)}>
              {name}
              <Box component="small" display="block" c="dimmed">
                {use}
              </Box>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {state.status === 'failed' && <ErrorNotice error={state.error} purpose="read-once" />}
    </Stack>
  );
}

type ExportState =
  | { status: 'idle' }
  /** @property bytes received so far. The total is unknown */
  | { status: 'running'; bytes: number }
  | { status: 'failed'; error: unknown };

interface Export {
  state: ExportState;
  begin: (format: ExportFormat) => void;
  stop: () => void;
}

/**
 * Downloads an export with fetch, because a link cannot send Authorization. The browser saves the complete file. Leaving the page
 * cancels the download.
 */
function useExport(filter: AuditQuery): Export {
  const { api, toasts } = useApp();
  const [state, setState] = useState<ExportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const save = async (format: ExportFormat, signal: AbortSignal) => {
    const params = { query: { format, ...filter } };
    const response = await api.open('/api/v1/audit/export', { params, signal });
    const counted = countBytes(response, (bytes) => setState({ status: 'running', bytes }));
    // An incomplete body rejects, so half a file is never saved.
    const file = await counted.blob().catch((cause) => {
      throw signal.aborted ? cause : new UnreachableError(cause);
    });
    downloadBlob(fileNameOf(response, format), file);
    toasts.announce(`Audit saved: ${formatSize(file.size)}`);
  };

  return {
    state,
    begin(format) {
      const controller = new AbortController();
      running.current = controller;
      setState({ status: 'running', bytes: 0 });
      save(format, controller.signal).then(
        () => setState({ status: 'idle' }),
        (error) => setState(controller.signal.aborted ? { status: 'idle' } : { status: 'failed', error }),
      );
    },
    stop: () => running.current?.abort(),
  };
}

/** The file name that the server gives. */
function fileNameOf({ headers }: Response, format: ExportFormat): string {
  const [, name] = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return name ?? `latchkey-audit.${format}`;
}

/** Frequent enough to show progress. */
const reportEveryMs = 200;

/** The same answer, with a progress callback. The browser stores the body, so a large file needs no memory in this page. */
function countBytes(response: Response, report: (bytes: number) => void): Response {
  let bytes = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      controller.enqueue(piece);
      const now = Date.now();
      if (now - reportedMs < reportEveryMs) return;
      reportedMs = now;
      report(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null, { headers: response.headers });
}
