import { useEffect, useRef, useState } from 'react';
import { UnreachableError } from '../../api/api-error.ts';
import { type AuditFilter, type ExportFormat, openAuditExport } from '../../api/audit.ts';
import { downloadBlob } from '../../components/download-text.ts';
import { formatSize } from '../../components/format-size.ts';
import { useApp } from '../../session/app-context.ts';
import { countOctets } from './count-octets.ts';

export type ExportState =
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
export function useExport(filter: AuditFilter): Export {
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
