import { Button, Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { UnreachableError } from '../../api/api-error.ts';
import { type AuditFilter, type ExportFormat, openAuditExport } from '../../api/audit.ts';
import { downloadBlob } from '../../components/download-text.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { useApp } from '../../session/app-context.ts';
import styles from './audit.module.css';

const formats: [ExportFormat, string, string][] = [
  ['csv', 'CSV', 'for spreadsheets; formulas are made harmless'],
  ['jsonl', 'JSON Lines', 'one record in each line, for programs'],
];

/** Saves everything that the filters leave, on all pages. */
export function ExportMenu({ filter }: { filter: AuditFilter }) {
  const { state, begin, stop } = useExport(filter);
  if (state.status === 'running')
    return (
      <div className={styles.exporting}>
        <span>
          Exporting… <span className={styles.size}>{formatSize(state.octets)}</span>
        </span>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
        <span role="status" className="visually-hidden">
          The export has begun.
        </span>
      </div>
    );
  return (
    <div className={styles.export}>
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
              <small className={styles.use}>{use}</small>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {state.status === 'failed' && <ErrorNotice error={state.error} purpose="asked-once" />}
    </div>
  );
}

type ExportState =
  | { status: 'idle' }
  /** @property octets that have come so far; how many there will be, nobody knows */
  | { status: 'running'; octets: number }
  | { status: 'failed'; error: unknown };

export interface Export {
  state: ExportState;
  begin: (format: ExportFormat) => void;
  stop: () => void;
}

/**
 * Fetches an export, because a link would send no Authorization, and has the browser save it once it is whole. It ends
 * with the page.
 */
function useExport(filter: AuditFilter): Export {
  const { api, toasts } = useApp();
  const [state, setState] = useState<ExportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const save = async (format: ExportFormat, signal: AbortSignal) => {
    const response = await openAuditExport(api, format, filter, signal);
    const counted = countOctets(response, (octets) => setState({ status: 'running', octets }));
    // A body that breaks off rejects: half of a file is never saved.
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
      setState({ status: 'running', octets: 0 });
      save(format, controller.signal).then(
        () => setState({ status: 'idle' }),
        (error) => setState(controller.signal.aborted ? { status: 'idle' } : { status: 'failed', error }),
      );
    },
    stop: () => running.current?.abort(),
  };
}

/** As the server calls it. */
function fileNameOf({ headers }: Response, format: ExportFormat): string {
  const [, name] = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return name ?? `latchkey-audit.${format}`;
}

/** Often enough to see that it goes on. */
const tellEveryMs = 200;

/**
 * The same answer, telling how much of it has come. The browser keeps what is read from it where it likes: a file of any
 * size needs no memory of this page.
 */
export function countOctets(response: Response, tell: (octets: number) => void): Response {
  let octets = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      octets += piece.byteLength;
      controller.enqueue(piece);
      const now = Date.now();
      if (now - toldMs < tellEveryMs) return;
      toldMs = now;
      tell(octets);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null, { headers: response.headers });
}
