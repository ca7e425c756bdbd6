import { Box, Button, Group, Menu, Stack } from '@mantine/core';
import { useThrottledState } from '@mantine/hooks';
import { UnreachableError } from '../../api/api-error.ts';
import { downloadBlob } from '../../components/download-text.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { useApp } from '../../session/app-context.ts';
import { useExport } from '../../state/use-export.ts';
import styles from './audit.module.css';
import type { AuditQuery } from './audit-filter.ts';

type ExportFormat = 'csv' | 'jsonl';

const formats: [ExportFormat, string, string][] = [
  ['csv', 'CSV', 'for spreadsheets; formulas are neutralised'],
  ['jsonl', 'JSON Lines', 'one record per line, for programs'],
];

/** Frequent enough to show progress. */
const reportEveryMs = 200;

/** Exports all matching records, from all pages. */
export function ExportMenu({ filter }: { filter: AuditQuery }) {
  const { api, toasts } = useApp();
  /** Received so far. The total is unknown. */
  const [bytes, setBytes] = useThrottledState(0, reportEveryMs);
  // With fetch, because a link cannot send Authorization. The browser saves the complete file.
  const { begin, stop, isPending, error } = useExport(async (format: ExportFormat, signal) => {
    setBytes(0);
    const params = { query: { format, ...filter } };
    const response = await api.open('/api/v1/audit/export', { params, signal });
    // An incomplete body rejects, so half a file is never saved.
    const file = await countBytes(response, setBytes)
      .blob()
      .catch((cause) => {
        throw new UnreachableError(cause);
      });
    const header = response.headers.get('content-disposition') ?? '';
    const [, name = `latchkey-audit.${format}`] = /filename="([\w.-]+)"/.exec(header) ?? [];
    downloadBlob(name, file);
    toasts.announce(`Audit saved: ${formatSize(file.size)}`);
  });
  if (isPending)
    return (
      <Group gap="1rem" className="note">
        <span>
          Exporting… <span className={styles.size}>{formatSize(bytes)}</span>
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
              <Box component="small" display="block">
                {use}
              </Box>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ErrorNotice error={error} purpose="read-once" />
    </Stack>
  );
}

/** The same answer, with a progress callback. The browser stores the body, so a large file needs no memory in this page. */
function countBytes(response: Response, report: (bytes: number) => void): Response {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      report(bytes);
      controller.enqueue(piece);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null, { headers: response.headers });
}
